/* Counting the operators of a stream: what sf-rules does to each. */
#ifndef SF_RULES_COUNT_H
#define SF_RULES_COUNT_H

#include "base/decl.h"
#include "rules/rulebook.h"
#include "stream/stream.h"
#include "trace/op.h"
#include "trace/value.h"

SF_PUBLIC_BEGIN

struct sf_counter {
	struct sf_rulebook *book;
	struct sf_values values; /* parts of parameters */
	/* How many operators of each name were not counted, and why. */
	struct sf_table without_rule;
	struct sf_table unresolved;
	struct sf_table unfit; /* not what their rule is for */
	struct sf_buf text;    /* of the last explanation */
	bool why;              /* explain each */
};

/* BOOK and ARENA must outlive the counter. */
void sf_counter_init(struct sf_counter *counter, struct sf_rulebook *book,
    struct sf_arena *arena);
void sf_counter_release(struct sf_counter *counter);

/*
 * Counts OP, which was read from the current record, and adds to the record
 * category, flops, bytes_read, bytes_written and weight_bytes; with
 * COUNTER->why, the formula with its numbers; and "unresolved" when the
 * operator has a tensor that is not and the record does not say so, or when it
 * is not what its rule is for. Dies when a count passes 2^63 - 1.
 */
void sf_counter_count(
    struct sf_counter *counter, struct sf_stream *stream, struct sf_op *op);

/* True when every operator so far could be counted. */
bool sf_counter_complete(const struct sf_counter *counter);

/*
 * Says on standard error which could not, one line a name, those without a
 * rule first, those that do not fit theirs last.
 */
void sf_counter_complain(const struct sf_counter *counter);

/*
 * Says there in one line how many operators have no rule, and which name most
 * of them have; in another how many do not fit theirs, and why the first does
 * not. Nothing of what there is none of.
 */
void sf_counter_summarise(const struct sf_counter *counter);

SF_PUBLIC_END

#endif
