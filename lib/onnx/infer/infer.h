/*
 * Shape inference with value propagation: what is known of each value of a
 * graph, and the rule of each operator type that says what it makes of what is
 * known of its inputs.
 */
#ifndef SF_ONNX_INFER_H
#define SF_ONNX_INFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "onnx/read/model.h"
#include "trace/dtype.h"

/*
 * What is known of one value. A value of which nothing is known is all zeros
 * with dtype SF_DT_UNKNOWN. Arrays live in the arena of the inference and are
 * never changed once they are set, so they may be shared.
 */
struct sf_value {
	struct sf_str name;
	enum sf_onnx_type_kind kind;
	enum sf_onnx_type_kind item; /* in a sequence or an optional */
	enum sf_dtype dtype;
	bool rank_known;
	int rank;
	const int64_t *dims;            /* SF_DIM_UNKNOWN where not known */
	const struct sf_str *dim_names; /* NULL, or a name per dimension */
	/*
	 * The contents, NUMEL elements in row-major order, when they are few
	 * enough and known: integers and bools in INTS, floating-point numbers
	 * in FLOATS; neither otherwise. KNOWN is NULL when all of them are known,
	 * or says which are (a batch size may be unknown among known sizes).
	 * NAMES is NULL, or has for an unknown element the name of the
	 * dimension that it is the size of, empty when it is no such thing.
	 */
	const int64_t *ints;
	const uint8_t *known;
	struct sf_reals floats;
	const struct sf_str *names;
	/* Of a sequence whose elements are known one by one: NITEMS of them. */
	struct sf_value *const *items;
	int nitems; /* -1 when their number is not known */
	/*
	 * How the value comes about: CONSTANT when it does not depend on the
	 * model's inputs, PARAM when it is a parameter or was computed from
	 * parameters before the run, of which STORED bytes are stored. The last
	 * two are set when the model was run.
	 */
	bool constant;
	bool param;
	int64_t stored;
	/* Why it is not fully known: a text in the arena, NULL if it is. */
	const char *why;
	/* Where a rule tells: the input whose contents WHY is about, or NULL. */
	struct sf_value *blame;
};

struct sf_infer_entry;
struct sf_rule; /* rules/rule.h */

/* One node while its rule runs. */
struct sf_infer {
	struct sf_arena *arena;
	const struct sf_onnx_node *node;
	const struct sf_infer_entry *entry; /* whose rule it is */
	int64_t opset; /* of the node's domain, as the model imports it */
	/* An input that was left out is NULL. Trailing ones are not counted. */
	struct sf_value **inputs;
	int ninputs;
	/*
	 * The outputs to fill in: kind, dtype, shape, contents. Never NULL, but
	 * an output that the model does not use has an empty name.
	 */
	struct sf_value *outputs;
	int noutputs;
	/*
	 * How many more elements of contents the whole model may have followed,
	 * counted down; below 0, tensors of more than 64 are not. NULL: any.
	 */
	int64_t *contents;
	/*
	 * What a rule finds that no runtime would run, though every shape is
	 * clear: a text in the arena, otherwise NULL.
	 */
	const char *oddity;
	struct sf_error *error;
};

/*
 * A rule fills in the outputs as far as the inputs allow. It returns false,
 * with infer->error set by sf_fail, only when the node can not be valid
 * whatever the unknown parts are: the file is then refused. Where something is
 * not known, it leaves it unknown and says why with sf_infer_unknown.
 */
typedef bool sf_infer_rule(struct sf_infer *infer);

/*
 * The elements of input I that share its stored elements, as four-bit weights
 * share bytes; -1 when each has its own, or the node does not tell.
 */
typedef int64_t sf_infer_packed(const struct sf_infer *infer, int i);

/* What an input is read for. */
enum sf_infer_read {
	SF_READ_DATA = '.',    /* what its elements are */
	SF_READ_NUMBERS = 'n', /* sizes, places, or which elements to take */
	SF_READ_SHAPE = 's',   /* its shape or type alone */
};

/* A row of lib/onnx/ops/infer.def. */
struct sf_infer_entry {
	const char *domain; /* "" for the default domain */
	const char *op_type;
	int since; /* the first opset it holds for */
	sf_infer_rule *rule;
	/* How many it may have; -1 for max: any number. */
	int min_inputs, max_inputs;
	int min_outputs, max_outputs;
	/* A letter an input, of enum sf_infer_read; DATA where it ends. */
	const char *reads;
	/* The outputs are elements of the first input, arranged or selected. */
	bool keeps;
	/* 0, or 1 + N: they differ from run to run with N inputs or more. */
	int random;
	sf_infer_packed *packed; /* NULL: no input is */
	const char *learned;     /* attributes with weights in them, or NULL */
	const struct sf_rule
	    *stated; /* what a rule of the user's says; or NULL */
};

/* ENTRY may be NULL in these: an operator without a row reads data. */
enum sf_infer_read sf_infer_reads(const struct sf_infer_entry *entry, int i);
bool sf_infer_random(const struct sf_infer_entry *entry, int ninputs);

/*
 * Runs ENTRY on the node: checks the number of inputs and outputs, applies the
 * rule, refuses an output whose number of elements passes 2^63 - 1, and sees to
 * it that an output that is not fully known says why. False with the error set
 * when the node can not be valid; the text names the attribute or the input,
 * and the caller puts the place of the node before it.
 */
bool sf_infer_run(struct sf_infer *infer, const struct sf_infer_entry *entry);

/* ---- what rules are written with (lib/onnx/infer/infer.c, shape.h) ---- */

/* Attributes; the value given last holds when the node has none. */
const struct sf_onnx_attr *
sf_infer_attr(const struct sf_infer *infer, const char *name);
/* Each returns false with the error set when the attribute has another type. */
bool sf_infer_attr_int(
    struct sf_infer *infer, const char *name, int64_t otherwise, int64_t *out);
bool sf_infer_attr_ints(struct sf_infer *infer, const char *name,
    const int64_t **out, int *n); /* *n = -1 when absent */
bool sf_infer_attr_str(struct sf_infer *infer, const char *name,
    const char *otherwise, struct sf_str *out);
bool sf_infer_attr_floats(struct sf_infer *infer, const char *name,
    const double **out, int *n); /* *n = -1 when absent */

/* Input I, or NULL when it was left out or there are not so many. */
struct sf_value *sf_infer_input(const struct sf_infer *infer, int i);

/* Sets the shape of output I; DIMS is copied. */
void sf_infer_set_shape(struct sf_infer *infer, int i, enum sf_dtype dtype,
    int rank, const int64_t *dims);

/* Gives output I the kind, type and shape of VALUE, not its contents. */
void sf_infer_like(struct sf_infer *infer, int i, const struct sf_value *value);

/*
 * Says why output I is not fully known; the first reason given stays. A rule
 * that got it from an unknown input passes that input's own reason on.
 */
void sf_infer_unknown(struct sf_infer *infer, int i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sf_infer_unknown_from(
    struct sf_infer *infer, int i, const struct sf_value *input);

/* The number of elements; SF_DIM_UNKNOWN when it is not known. Dies never. */
int64_t sf_value_numel(const struct sf_value *value);

/* True when rank, all sizes and the type of a tensor are known. */
bool sf_value_resolved(const struct sf_value *value);

/* It is an integer tensor or a bool tensor, all of whose contents are known. */
bool sf_value_has_ints(const struct sf_value *value);

#endif
