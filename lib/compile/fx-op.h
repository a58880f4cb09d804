/* Operators while a graph is walked; for compile/fx-program.c. */
#ifndef SF_COMPILE_FX_OP_H
#define SF_COMPILE_FX_OP_H

#include "compile/fx-callee.h"
#include "compile/fx-values.h"

/* The type that LINE prints of its value. */
bool sf_fx_read_type(struct sf_fx_walk *w, const struct sf_fx_line *line,
    struct sf_fx_type *type);

/*
 * LINE calls what CALLEE names with the arguments of VALUE, behind its first
 * item: an operator more. What it gives; NULL with a reason.
 */
struct sf_fx_val *
sf_fx_call_op(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_callee *callee, const struct sf_fx_value *value);

/* LINE takes the K-th of an operator's results; NULL with a reason. */
struct sf_fx_val *sf_fx_pick(struct sf_fx_walk *w,
    const struct sf_fx_line *line, struct sf_fx_val *results, int k);

/* Result PLACE of operator I is TENSOR; those before it that are not known are
 * not wanted. */
void sf_fx_set_output(
    struct sf_fx_walk *w, int i, int place, struct sf_tensor tensor);

#endif
