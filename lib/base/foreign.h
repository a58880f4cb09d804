/* Files that are no stream, by how they begin. */
#ifndef SF_STREAM_FOREIGN_H
#define SF_STREAM_FOREIGN_H

#include "base/str.h"

/*
 * What a file is whose first bytes are HEAD, and who reads it: "an ONNX model,
 * which sf-onnx reads". NULL: nothing that is known.
 */
const char *sf_foreign(struct sf_str head);

#endif
