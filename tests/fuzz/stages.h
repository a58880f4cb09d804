/*
 * What must hold from one stage of a pipeline to the next: what a filter has
 * written is read by the next one, and twice the same input gives twice the
 * same bytes.
 */
#ifndef SF_TESTS_FUZZ_STAGES_H
#define SF_TESTS_FUZZ_STAGES_H

#include "harness.h"

/*
 * IN is a stream of any kind. Nothing in it stands where a later stage writes:
 * what a filter does not know passes, so only then is all that a later stage
 * finds another stage's work.
 */
bool is_plain(struct bytes in);

/*
 * Whether a model has more than 99 layers, with which time and memory grow: a
 * fuzzer wants many.
 */
bool is_tall(struct bytes model);

/*
 * Counts what a source wrote, which is refused for nothing but a count that
 * passes 2^63 - 1, and which is read and written again as it is.
 */
struct run stage_count(struct bytes trace);

/* Writes the operators of IN as the library writes what it has read of them. */
struct run stage_copy(struct bytes in, int may);

/*
 * Whether the lines of their operators are the same bytes; whether what
 * sf-rules has counted is.
 */
bool same_ops(struct bytes a, struct bytes b);
bool same_counts(struct bytes a, struct bytes b);

/* Counts IN; its result goes through all that follow. */
void stage_rules(struct bytes in);

/* Lowers counted traces and simulates what there is. */
void stage_lower(struct bytes counted, int kind, bool plain);

/* What a reader of layers wrote is counted, lowered and simulated. */
void stage_layers(struct bytes trace, int kind);

/* Simulates lowered traces, which the engines must agree on. */
void stage_sim(struct bytes lowered, bool plain);

/* The same, always by all engines and sf-check; LOWERED comes from sf-lower. */
void stage_engines(struct bytes lowered);

/* Reads traces of any stage with all the programs that end a pipeline. */
void stage_sinks(struct bytes in, int may);

#endif
