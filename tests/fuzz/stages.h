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
 * Counts what a filter wrote, which is refused for nothing but a count that
 * passes 2^63 - 1.
 */
struct run stage_count(struct bytes trace);

/* Counts IN; its result goes through all that follow. */
void stage_rules(struct bytes in);

/* Lowers counted traces and simulates what there is. */
void stage_lower(struct bytes counted, int kind, bool plain);

/* Simulates lowered traces, which the engines must agree on. */
void stage_sim(struct bytes lowered, bool plain);

/* The same, always by all engines and sf-check; LOWERED comes from sf-lower. */
void stage_engines(struct bytes lowered);

/* Reads traces of any stage with all the programs that end a pipeline. */
void stage_sinks(struct bytes in, int may);

#endif
