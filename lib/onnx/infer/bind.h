/* Sizes that the user gives: --dim NAME=N and --shape INPUT=1x3x224x224. */
#ifndef SF_ONNX_BIND_H
#define SF_ONNX_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/table.h"
#include "onnx/read/model.h"

struct sf_onnx_bind {
	struct sf_arena *arena;
	/* By the name of a dimension: its size, in the order it was given. */
	struct sf_table dims;
	/*
	 * The inputs of which a shape changes sizes that the model fixes, with
	 * both: "'x' from f32[1,3] to 8x3"; NULL when there is none.
	 */
	const char *changed;
};

/*
 * Gives the model the sizes of DIMS ("NAME=N", split at the last '=') and
 * SHAPES ("INPUT=1x3x224x224"; "INPUT=" is a scalar): declared types are
 * changed in place, in graphs inside and in functions, too. A dimension that a
 * shape gives a size is bound wherever its name occurs. Where a shape changes
 * a size that the model fixes, the sizes that are declared for what nodes make
 * hold no longer and are dropped. False with the error set when a name is not
 * in the model (the error lists those that are), or a size contradicts another.
 */
bool sf_onnx_bind(struct sf_onnx_bind *bind, struct sf_onnx_model *model,
    const struct sf_list *dims, const struct sf_list *shapes,
    struct sf_arena *arena, struct sf_error *error);

void sf_onnx_bind_release(struct sf_onnx_bind *bind);

#endif
