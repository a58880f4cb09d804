/*
 * What a node of a PyTorch graph calls. One operator is spelt in many ways:
 *
 *	torch.ops.aten.add.Tensor   .pt2, print_readable
 *	aten.add.Tensor             str() of an OpOverload
 *	aten::add.Tensor            its schema; aten::add has no overload
 *	torch.ops.higher_order.cond operators whose arguments are graphs
 *	_operator.add, math.trunc   arithmetic on sizes, in Python
 *
 * The stream's name of it is "aten.add", with the overload, unless it is the
 * default one, as the attribute "overload".
 */
#ifndef SF_TORCH_TARGET_H
#define SF_TORCH_TARGET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum sf_torch_callee {
	SF_TORCH_OP,           /* of a namespace, with a schema */
	SF_TORCH_HIGHER_ORDER, /* takes graphs, has no schema */
	SF_TORCH_PYTHON, /* a function on sizes: of operator, math, torch */
};

struct sf_torch_target {
	enum sf_torch_callee callee;
	struct sf_str ns;       /* "aten"; of a function its module */
	struct sf_str op;       /* "add" */
	struct sf_str overload; /* "Tensor"; empty: the default one, or none */
};

/* The parts of TEXT, which they lie in; false when it is no such name. */
bool sf_torch_target_parse(struct sf_str text, struct sf_torch_target *target);

/* "aten.add", in ARENA. */
struct sf_str sf_torch_target_name(
    const struct sf_torch_target *target, struct sf_arena *arena);

#endif
