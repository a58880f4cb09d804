/* The functions that a model brings along. */
#ifndef SF_ONNX_FUNCTION_H
#define SF_ONNX_FUNCTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "onnx/read/model.h"
#include "onnx/run/order.h"

struct sf_onnx_callee {
	const struct sf_onnx_function *function;
	struct sf_onnx_body body; /* ordered when it is first called */
	bool ordered;
	bool active; /* a call of it is being expanded */
};

struct sf_onnx_functions {
	struct sf_arena *arena;
	struct sf_table by_key;
};

/* False with the error set when two functions have the same identity. */
bool sf_onnx_functions_init(struct sf_onnx_functions *functions,
    const struct sf_onnx_model *model, struct sf_arena *arena,
    struct sf_error *error);
void sf_onnx_functions_release(struct sf_onnx_functions *functions);

/* The function that NODE calls, by domain, name and overload; or NULL. */
struct sf_onnx_callee *sf_onnx_functions_find(
    const struct sf_onnx_functions *functions, const struct sf_onnx_node *node);

/*
 * NODE, which stands in FUNCTION, with the attributes that it takes from CALL
 * or from FUNCTION's defaults; one that neither has is left out. NODE itself
 * when it takes none. NULL with the error set when the types differ.
 */
const struct sf_onnx_node *
sf_onnx_function_node(const struct sf_onnx_function *function,
    const struct sf_onnx_node *call, const struct sf_onnx_node *node,
    struct sf_arena *arena, struct sf_error *error);

#endif
