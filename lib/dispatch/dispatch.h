/*
 * What PyTorch's dispatcher ran, from a file that it was recorded in: an
 * execution trace, or a profiler's trace.
 */
#ifndef SF_DISPATCH_DISPATCH_H
#define SF_DISPATCH_DISPATCH_H

#include "base/decl.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

/*
 * Writes the trace of the file at PATH, "-" for standard input; which of the
 * two it is, it says itself. Dies with file and line when it is neither, or is
 * damaged. Of an execution trace that ends behind a node, since the process
 * died, the trace is what was written, with a note.
 */
void sf_dispatch_write(struct sf_stream *stream, const char *path);

SF_PUBLIC_END

#endif
