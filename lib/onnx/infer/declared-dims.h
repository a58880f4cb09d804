/*
 * The dimensions that a model declares for its values, those of graphs inside
 * and of functions, too.
 */
#ifndef SF_ONNX_DECLARED_DIMS_H
#define SF_ONNX_DECLARED_DIMS_H

#include "base/arena.h"
#include "base/table.h"
#include "onnx/read/model.h"

/* Adds the names of all to NAMES. */
void
sf_onnx_declared_names(struct sf_onnx_model *model, struct sf_table *names);

/* Those that have a name of SIZES have that size, its num, and no name. */
void sf_onnx_declared_give(struct sf_onnx_model *model, struct sf_table *sizes);

/*
 * Takes the names of DROPPED away; a size of its own stays, and what has none
 * gets that of the name.
 */
void
sf_onnx_declared_unname(struct sf_onnx_model *model, struct sf_table *dropped);

/*
 * Forgets the sizes of what nodes make, as they hold for the inputs that the
 * model was written with; names stay. Weights keep theirs: an export without
 * weights has them nowhere else.
 */
void
sf_onnx_declared_forget(struct sf_onnx_model *model, struct sf_arena *arena);

#endif
