/* Sizes that the user gives: --dim NAME=N and --shape VALUE=1x3x224x224. */
#ifndef SF_ONNX_BIND_H
#define SF_ONNX_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/table.h"
#include "onnx/read/model.h"

/* What the user wants, as it was given. */
struct sf_onnx_wants {
	struct sf_list dims; /* "NAME=N", split at the last '=' */
	/* "VALUE=1x3x224x224[:TYPE]"; "VALUE=" is a scalar */
	struct sf_list shapes;
	struct sf_list values; /* "INPUT=V,V,V" */
	int64_t batch;         /* of all inputs; -1: none is given */
};

struct sf_onnx_bind {
	struct sf_arena *arena;
	/* By the name of a dimension: its size, in the order it was given. */
	struct sf_table dims;
	/*
	 * Names that were given two sizes, and so are none: where nothing else
	 * says it, the size of --dim or SF_DIM_UNKNOWN holds. CONFLICTS is
	 * "'N' is given 1 and 3", NULL when there is none.
	 */
	struct sf_table dropped;
	const char *conflicts;
	/*
	 * The inputs of which a shape changes sizes that the model fixes, with
	 * both: "'x' from f32[1,3] to 8x3"; NULL when there is none.
	 */
	const char *changed;
	const char *changed_by; /* the option, or the two */
	int64_t batch;          /* as it was given; -1: it was not */
	const char *given; /* "x=1,2 --value n=5": what inputs hold, or NULL */
	/* By name, what is given to no input: struct sf_onnx_given. */
	struct sf_table shapes;
	const char *inputs; /* "the model has: x, y" */
};

/*
 * Gives the model the sizes of dimensions and shapes that WANTS has: declared
 * types are changed in place, in graphs inside and in functions, too. A
 * dimension that a shape gives a size is bound wherever its name occurs, and so
 * is the one of a vector without a size, by the number of its values. Where a
 * shape changes a size that the model fixes, the sizes that are declared for
 * what nodes make hold no longer and are dropped. Inputs hold their values then.
 * False with the error set when a name is not in the model (the error lists
 * those that are), or a size or a value contradicts the model or another.
 */
bool sf_onnx_bind(struct sf_onnx_bind *bind, struct sf_onnx_model *model,
    const struct sf_onnx_wants *wants, struct sf_arena *arena,
    struct sf_error *error);

void sf_onnx_bind_release(struct sf_onnx_bind *bind);

#endif
