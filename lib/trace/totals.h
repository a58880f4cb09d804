/* What a trace adds up to: by category, by operator type, and in all. */
#ifndef SF_TRACE_TOTALS_H
#define SF_TRACE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "trace/op.h"

/* Sums over some of the operators. */
struct sf_amount {
	int64_t calls;
	int64_t flops;
	int64_t macs;  /* of products that rules state */
	int64_t bytes; /* read and written */
	int64_t weight_bytes;
};

/* One operator type: all calls of one name. */
struct sf_type {
	struct sf_str name; /* NUL-terminated */
	struct sf_amount sum;
	unsigned categories;  /* bit c: some call is of category c */
	int64_t no_rule;      /* calls that no rule counts */
	int64_t unresolved;   /* calls that are unknown for their shapes */
	struct sf_str reason; /* of the first of these */
	bool reasons_differ;
};

struct sf_totals {
	int64_t ops, folded, dead;
	bool counted; /* sf-rules has been here (or there is no operator) */
	struct sf_amount all;
	struct sf_amount by_category[SF_CAT_COUNT];
	struct sf_table types; /* entries hold struct sf_type */
	/* Not counted: calls, and types of which some call is not. */
	int64_t unknown_calls, unknown_types;
};

/* Memory for names comes from the arena, which must outlive the totals. */
void sf_totals_init(struct sf_totals *totals, struct sf_arena *arena);
void sf_totals_release(struct sf_totals *totals);

/*
 * Adds one operator that was read. Reading has seen to it that all of a trace
 * are counted, or none, and that no sum passes 2^63 - 1.
 */
void sf_totals_add(struct sf_totals *totals, const struct sf_op *op);

/* The operator type of a name that was added. */
struct sf_type *
sf_totals_type(const struct sf_totals *totals, struct sf_str name);

/*
 * All types, an array of totals->types.n in the arena: by FLOPs, bytes and
 * calls, the largest first, then by name.
 */
struct sf_type **
sf_totals_sorted(const struct sf_totals *totals, struct sf_arena *arena);

/* The categories of a type's calls: one, but for calls that are unknown. */
void sf_type_categories(struct sf_buf *out, const struct sf_type *type);

/* Adds B to A: sums of operators that were read, whose sum is checked then. */
void sf_amount_add(struct sf_amount *a, const struct sf_amount *b);

#endif
