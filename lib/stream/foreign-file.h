/* What a file is that a program could not read. */
#ifndef SF_STREAM_FOREIGN_FILE_H
#define SF_STREAM_FOREIGN_FILE_H

#include "base/arena.h"

/*
 * sf_foreign_meant of the file at PATH, gzip or not. "" of standard input, of
 * which the beginning is gone, and of what is no file.
 */
const char *
sf_foreign_file(const char *path, const char *reader, struct sf_arena *arena);

#endif
