/* An operator in the words of tables, timelines and pictures. */
#ifndef SF_TRACE_OP_TEXT_H
#define SF_TRACE_OP_TEXT_H

#include "base/buf.h"
#include "base/decl.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

/*
 * Appends "1x3x32x32:f32 16x3x3x3:f32"; "scalar" for a rank of 0, "-" for a
 * tensor that was left out, "?" for what is not known.
 */
void
sf_tensors_text(struct sf_buf *out, const struct sf_tensor *tensors, int n);

/*
 * Appends what a person calls the operator: the model's name of its node; where
 * it has none, the name of its module and "mm" of "aten.mm"; and without that
 * its own name.
 */
void sf_op_label(struct sf_buf *out, const struct sf_op *op);

SF_PUBLIC_END

#endif
