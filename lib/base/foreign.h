/* Files of all kinds, by how they begin. */
#ifndef SF_BASE_FOREIGN_H
#define SF_BASE_FOREIGN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * What a file is whose first bytes are HEAD, and who reads it: "an ONNX model,
 * which sf-onnx reads". NULL: nothing that is known, and a stream.
 */
const char *sf_foreign(struct sf_str head);

/* Whether it begins as a stream does, with white space or without. */
bool sf_foreign_is_stream(struct sf_str head);

/*
 * The same of the file that READER could not read: "; this is an ONNX model,
 * which sf-onnx reads". "" where nothing is known of it, and where READER is who
 * reads such a file, which is then no help.
 */
const char *sf_foreign_meant(
    struct sf_str head, const char *reader, struct sf_arena *arena);

#endif
