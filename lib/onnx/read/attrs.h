/* The attributes of a node as they stand in a trace. */
#ifndef SF_ONNX_ATTRS_H
#define SF_ONNX_ATTRS_H

#include "onnx/read/model.h"
#include "stream/jsonw.h"

/*
 * Appends the node's attributes as a JSON object. Lists of more than 64
 * elements and texts of more than 4096 bytes are {"n":N}, a tensor is
 * {"dtype":D,"shape":[...]}, a graph {"nodes":N}, a type null. Numbers that are
 * not finite are the texts "nan", "inf" and "-inf".
 */
void sf_onnx_write_attrs(struct sf_jsonw *w, const struct sf_onnx_node *node);

#endif
