/*
 * Expressions over numbers with names, as users write them: what prevents a
 * design, what drops it, a column of one's own. Doubles; + - * / ( ), min and
 * max of two, < <= > >= == !=, && || and !, where true is 1 and false 0. A
 * number may have a unit, 4MiB. A name is letters, digits, _ and dots:
 * stalls_s.compute.
 */
#ifndef SF_SWEEP_FORMULA_H
#define SF_SWEEP_FORMULA_H

#include "base/arena.h"
#include "base/decl.h"
#include "base/error.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

enum {
	SF_FORMULA_DEEPEST = 64, /* brackets, and values that wait */
};

struct sf_formula_step {
	int what;
	double x; /* of a constant */
	int name; /* of a name */
};

struct sf_formula {
	const char *text;
	struct sf_formula_step *steps; /* in the order of a stack machine */
	int nsteps;
	struct sf_str *names; /* each once, as they are met */
	int nnames;
};

/* Parses TEXT, which must outlive it; the rest lives in ARENA. */
bool sf_formula_parse(struct sf_formula *formula, const char *text,
    struct sf_arena *arena, struct sf_error *error);

/* VALUES are those of its names, in their order. */
double sf_formula_eval(const struct sf_formula *formula, const double *values);

SF_PUBLIC_END

#endif
