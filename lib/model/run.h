/* Which parts of a model are run, and what they are given. */
#ifndef SF_MODEL_RUN_H
#define SF_MODEL_RUN_H

#include "config/config.h"
#include "model/arch.h"
#include "model/call.h"
#include "stream/trace.h"

/*
 * Sets b->parts, and what the workload left open, by what was asked for. Reads
 * the tower into ARCH where it is needed. Dies when the model has not what was
 * asked for.
 */
void sf_run_choose(
    struct sf_build *b, struct sf_arch *arch, const struct sf_config *config);

/* Runs them; what the last of them gives comes back. */
struct sf_val *sf_run_parts(struct sf_build *b);

/* What the shapes were made for, at most 8 items; their number comes back. */
size_t
sf_run_workload(const struct sf_build *b, struct sf_workload_item *items);

/*
 * The parameters of a model of several parts, each once; false when it is none
 * or not all of its parts are known.
 */
bool sf_run_count(const struct sf_build *b, int64_t *count, int64_t *bytes);

#endif
