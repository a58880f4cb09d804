/* Types that a model declares for its values, beside those that follow. */
#ifndef SF_ONNX_DECLARED_H
#define SF_ONNX_DECLARED_H

#include "base/arena.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"

/* Gives VALUE, of which nothing is known, the declared type. */
void sf_onnx_declare(struct sf_value *value, const struct sf_onnx_type *type,
    struct sf_arena *arena);

/*
 * Adds to VALUE what is declared of it and not known yet. What is known stays;
 * where it contradicts the declaration, a text says both, otherwise NULL is
 * returned.
 */
const char *sf_onnx_declare_more(struct sf_value *value,
    const struct sf_onnx_type *type, struct sf_arena *arena);

/* "f32[1,batch,?]" */
const char *
sf_onnx_type_text(const struct sf_value *value, struct sf_arena *arena);

#endif
