/*
 * A row for each operator of a trace, or for all that share a node, a module
 * or a type, with whatever the stages before found out about it.
 *
 * A trace's rows are held until it ends, as shares and modules need what comes
 * behind: some 300 bytes an operator, and its shapes.
 */
#ifndef SF_REPORT_ROWS_H
#define SF_REPORT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/sim_record.h"
#include "base/arena.h"
#include "base/table.h"
#include "report/by.h"
#include "stream/trace.h"
#include "trace/op.h"

struct sf_row {
	int64_t i;     /* of the first operator */
	int64_t calls; /* how many operators it stands for */
	/* Empty where the operators of a row differ. */
	struct sf_str type, node, module, category, inputs, outputs, dtype;
	int64_t flops, macs, bytes_read, bytes_written, weight_bytes;
	double time_s, transfer_s; /* by sf-cost */
	struct sf_str unit, bound;
	/*
	 * By sf-sim: the first tile's space, the last store, and how much later
	 * the run's last store is for the row, which sums to the latency.
	 */
	double start_s, end_s, added_s;
	int64_t tiles, tiled_bytes;
	/*
	 * By sf-sim: what the row has of each part of the makespan, the tail
	 * behind the last compute being the last operator's.
	 */
	struct sf_stalls stalls;
	double store_tail_s;
	double measured_s;
	bool measured;
	/* By sf_rows_finish: of the trace, see sf_row_weight; FLOPs a byte. */
	double share, flops_per_byte;
};

struct sf_rows {
	struct sf_arena *arena;  /* emptied when a trace begins */
	struct sf_table strings; /* each text once */
	struct sf_table owners;  /* modules of views of parameters */
	enum sf_rows_by by;
	int64_t depth; /* parts of a module's name that count; 0: all */
	struct sf_trace trace;
	int64_t number; /* of the trace, from 1 */
	struct sf_row *v;
	size_t n, room;
	/* Of any operator: what the columns can hold. */
	bool counted, costed, simulated, measured, stalled;
	double last_s;    /* the last store so far */
	size_t last_tile; /* 1 + the row that has it */
};

void sf_rows_init(struct sf_rows *rows, enum sf_rows_by by, int64_t depth);
void sf_rows_release(struct sf_rows *rows);

/* The stream's current record is a trace; an op; the summary of a run. */
void sf_rows_begin(struct sf_rows *rows, struct sf_stream *stream);
void sf_rows_add(struct sf_rows *rows, struct sf_stream *stream);
void sf_rows_summary(struct sf_rows *rows, struct sf_stream *stream);

/* The trace is whole: finds modules, and makes one row of those of a kind. */
void sf_rows_finish(struct sf_rows *rows, struct sf_stream *stream);

/* Appends what there is: the rows of sf_rows_shown. */
void
sf_rows_markdown(const struct sf_rows *rows, int64_t top, struct sf_buf *out);
void sf_rows_csv_header(struct sf_buf *out);
void sf_rows_csv(const struct sf_rows *rows, int64_t top, struct sf_buf *out);
void sf_rows_json(const struct sf_rows *rows, int64_t top, struct sf_buf *out);

/* What the operators of a row share: its node, module or type. */
struct sf_str sf_row_key(enum sf_rows_by by, const struct sf_row *row);

/*
 * What a row's share is a share of: seconds added to the latency of a run, of
 * units and transfers, or measured ones; else FLOPs.
 */
double sf_row_weight(const struct sf_rows *rows, const struct sf_row *row);

/*
 * The rows that are shown, and their number: the first TOP by weight, or all as
 * they came when TOP < 0. The array is in the arena.
 */
const struct sf_row **
sf_rows_shown(const struct sf_rows *rows, int64_t top, size_t *n);

/* ---- the module of an operator, row-module.c ---- */

/*
 * What OP itself says, with '.' between the parts: its module, or else its
 * node's name up to the last '/', or else where the first parameter that it reads belongs, which is
 * what OWNERS, names to struct sf_str, says of it, or its name up to the last
 * '.' or '/'. Views of parameters that OP makes are entered there. False when
 * nothing says it.
 */
bool sf_module_of(const struct sf_op *op, struct sf_table *owners,
    struct sf_arena *arena, struct sf_str *module);

/* How many bytes of A the first N parts take; all of them when N is 0. */
size_t sf_module_depth(struct sf_str a, int64_t n);

/* How many bytes of A the parts take that begin both A and B. */
size_t sf_module_common(struct sf_str a, struct sf_str b);

#endif
