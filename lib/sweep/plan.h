/*
 * The designs of a sweep: a grid, draws at random or by Latin hypercube, each a
 * function of its index alone, or what a file lists.
 */
#ifndef SF_SWEEP_PLAN_H
#define SF_SWEEP_PLAN_H

#include "sweep/axis.h"
#include "sweep/bound.h"
#include "sweep/points-file.h"
#include "sweep/shard.h"
#include "sweep/target.h"

/* What the command line says; 0 and NULL where it does not. */
struct sf_plan_request {
	struct sf_list grid;            /* "KEY=SPEC" */
	struct sf_list ties;            /* "KEY=EXPR" */
	struct sf_list where;           /* expressions over parameters */
	const struct sf_list *settings; /* of the base, "KEY=VALUE" */
	int64_t random, lhs, seed;
	const char *points; /* a file */
	const char *shard;
};

enum sf_plan_mode {
	SF_PLAN_GRID,
	SF_PLAN_RANDOM,
	SF_PLAN_LHS,
	SF_PLAN_POINTS
};

struct sf_plan {
	struct sf_target *target;
	enum sf_plan_mode mode;
	struct sf_sweep_axis *axes; /* of a file its columns, without values */
	int naxes;
	struct sf_bounds ties, where;
	int64_t total; /* of all designs; -1 where only the file's end tells */
	int64_t seed;
	struct sf_shard shard;
	struct sf_points_file *file; /* or NULL */
	struct sf_arena *scratch;    /* of one design's texts */
};

/* A design that is set in the target. */
enum sf_plan_verdict {
	SF_PLAN_RUN,    /* it is set */
	SF_PLAN_HOLE,   /* --where prevents it */
	SF_PLAN_REFUSED /* and the error says why */
};

/* Dies with SF_EX_USAGE when the request cannot be meant. */
struct sf_plan *
sf_plan_new(struct sf_target *target, const struct sf_plan_request *request);
void sf_plan_free(struct sf_plan *plan);

/*
 * The next design of the share behind *I, which is -1 before the first; false
 * at the end. Of a file the design's own index is read.
 */
bool sf_plan_next(struct sf_plan *plan, int64_t *i);

/* Sets design I, which is the next one, in the target. */
enum sf_plan_verdict
sf_plan_set(struct sf_plan *plan, int64_t i, struct sf_error *error);

/* Begins anew, for the next trace. */
void sf_plan_rewind(struct sf_plan *plan);

#endif
