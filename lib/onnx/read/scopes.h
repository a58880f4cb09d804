/* Where PyTorch says that a node comes from. */
#ifndef SF_ONNX_READ_SCOPES_H
#define SF_ONNX_READ_SCOPES_H

#include "base/str.h"

/*
 * The module of "['', 'layers', 'layers.0', 'conv2d']", names of the modules
 * around a node and at last its own: that before the last, a slice of TEXT.
 * Empty for another text, and for a node of the model itself.
 */
struct sf_str sf_onnx_module_of(struct sf_str text);

#endif
