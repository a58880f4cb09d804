/* A file that is whole under its name, or not there. */
#ifndef SF_BASE_WHOLE_H
#define SF_BASE_WHOLE_H

#include "base/buf.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * Writes the bytes to a temporary file beside PATH and renames it; signals that
 * end a program wait meanwhile. Where PATH is a symbolic link it stays one, and
 * the file at its end is the one that is meant. What is there and is no file, such
 * as a pipe or a device, is written to as it is. Dies with SF_EX_IO when that
 * fails, and leaves nothing behind, and what was there as it was.
 */
void sf_write_whole(const char *path, const struct sf_buf *bytes);

SF_PUBLIC_END

#endif
