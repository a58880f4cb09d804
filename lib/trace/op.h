/*
 * The op record: one operator with its tensors, as it stands in the stream.
 *
 * Text and arrays of an op that was read belong to its record and are gone
 * when the next record is read.
 */
#ifndef SF_TRACE_OP_H
#define SF_TRACE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/str.h"
#include "stream/member.h"
#include "stream/stream.h"
#include "trace/category.h"
#include "trace/product.h"
#include "trace/tensor.h"

SF_PUBLIC_BEGIN

/* What sf-rules added. */
struct sf_counts {
	enum sf_category category;
	int64_t flops;
	int64_t bytes_read;
	int64_t bytes_written;
	int64_t weight_bytes; /* part of bytes_read */
	/* Part of flops: what a mask hides, and the operator does not run. */
	int64_t masked_flops;
	int64_t macs; /* of its products; 0 where none are stated */
	/* NULL: its rule states none, or the op was read, not counted. */
	const struct sf_products *products;
	struct sf_op_window window; /* n = 0: none, or not known */
};

/* No operator was measured to take longer. */
#define SF_MEASURED_MOST_S 1e30

struct sf_op {
	int64_t i;          /* from 0, by one, within the trace */
	struct sf_str name; /* "aten.mm", "onnx.Conv" */
	struct sf_str node; /* the model's own name of it; may be empty */
	/* Where in the model it is, outermost first: "layers.0.mlp". */
	struct sf_str module; /* may be empty */
	/* Which part of a step of training it is of; may be empty. */
	struct sf_str phase;
	struct sf_tensor *inputs;
	int ninputs;
	struct sf_tensor *outputs;
	int noutputs;
	struct sf_str attrs; /* the text of an object; empty when absent */
	bool folded;         /* computed before the run: costs nothing */
	bool dead;           /* no output of the model needs it: nothing */
	/* Why shapes are not known; empty when all is resolved. */
	struct sf_str unresolved;
	bool measured; /* MEASURED_S is there: what it took where it ran */
	double measured_s;
	bool counted; /* COUNTS is there */
	struct sf_counts counts;
	/* The text of what later stages added; empty when absent. */
	struct sf_str gemms, window, lower, cost, sim, ep;
};

/*
 * Reads on to the next op record, passing on all others, and decodes it; false
 * at the end of the input. For a filter that wants nothing but ops.
 */
bool sf_stream_next_op(struct sf_stream *stream, struct sf_op *op);

/* Decodes the current record, which must be an op. */
void sf_op_read(struct sf_stream *stream, struct sf_op *op);

/* The place of what is wrong with OP, which must live as long. */
struct sf_place sf_op_place(const struct sf_op *op);

/* Appends the members of op->counts; dies when the op has them already. */
void sf_stream_put_counts(struct sf_stream *stream, const struct sf_op *op);

/*
 * Dies with SF_EX_INPUT: file, line, "op 17 'aten.mm'" and the text.
 */
SF_NORETURN void sf_op_die(struct sf_stream *stream, const struct sf_op *op,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The text of the value of attribute NAME, empty when there is none. It lies in
 * the record; ARENA takes keys whose escapes are undone on the way.
 */
struct sf_str
sf_op_attr(const struct sf_op *op, struct sf_str name, struct sf_arena *arena);

/*
 * An integer attribute; false when it is not there. Dies when it is there with
 * another type.
 */
bool sf_op_attr_int(struct sf_stream *stream, const struct sf_op *op,
    const char *name, int64_t *out);

/*
 * A source writes one op; the library numbers it. What filters add (counts,
 * lower, cost, sim, ep) is not written.
 */
void sf_op_put(struct sf_stream *stream, const struct sf_op *op);

SF_PUBLIC_END

#endif
