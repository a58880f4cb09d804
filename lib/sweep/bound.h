/*
 * A formula with its names bound to what a target has: parameters of the design
 * that is next, results of the run, columns of the user's own.
 */
#ifndef SF_SWEEP_BOUND_H
#define SF_SWEEP_BOUND_H

#include "sweep/formula.h"
#include "sweep/target.h"

struct sf_slot {
	const struct sf_key *key; /* or NULL */
	const struct sf_key_scope *scope;
	int result; /* or -1 */
	int own;
};

struct sf_bound_formula {
	struct sf_str name; /* of what is set or made, where there is one */
	struct sf_formula formula;
	struct sf_slot *slots;
	double *values;
};

struct sf_bounds {
	struct sf_bound_formula *v;
	int n;
};

/*
 * Parses TEXT and binds its names; dies with SF_EX_USAGE, naming OPTION, when it
 * cannot. RESULTS: may be named. OWN: those before, which may be NULL.
 */
void sf_bound_parse(struct sf_bound_formula *bound, const char *option,
    const char *text, const struct sf_target *target, bool results,
    const struct sf_bounds *own);

/* RESULTS and OWN may be NULL where no name of the formula is one. */
double sf_bound_eval(const struct sf_bound_formula *bound,
    const struct sf_outcome *results, const double *own);

#endif
