/*
 * What a call gives, where it follows from the operator and what it was given:
 * a profiler's trace has no results. Nothing is guessed: what does not follow
 * has no shape or no type.
 */
#ifndef SF_DISPATCH_DERIVE_H
#define SF_DISPATCH_DERIVE_H

#include "base/table.h"
#include "dispatch/call.h"

/* The argument of a call as a profiler saw it. */
struct sf_profiled_arg {
	struct sf_str type;     /* "float", "Scalar", "TensorList", "" */
	struct sf_str concrete; /* "[1, 1]", "True"; empty: not said */
	int tensor;             /* among the inputs, -1: it is none */
};

struct sf_derive;

struct sf_derive *sf_derive_new(struct sf_arena *arena);
void sf_derive_release(struct sf_derive *derive);

/*
 * Adds to the operator's outputs what it gives, and its attributes under the
 * names of the arguments, where these matter; a tensor without a shape where it
 * is not known. NAME is without "aten.".
 * False when the bytes of a result pass 2^63 - 1.
 */
bool sf_derive_outputs(struct sf_derive *derive, struct sf_str name,
    const struct sf_profiled_arg *args, int nargs, bool concrete,
    struct sf_made_op *call);

/* Writes a value as a profiler spells it, "[1, True]", as JSON. */
void sf_derive_value(struct sf_jsonw *w, struct sf_str text);

#endif
