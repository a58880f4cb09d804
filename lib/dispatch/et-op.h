/* The operators of an execution trace. */
#ifndef SF_DISPATCH_ET_OP_H
#define SF_DISPATCH_ET_OP_H

#include "base/error.h"
#include "dispatch/et.h"
#include "stream/stream.h"

/*
 * Writes every operator of what was read, in the order in which they began.
 * Dies, naming FILE and line, at a node whose arguments are not what they must
 * be.
 */
void sf_et_write(struct sf_et *et, const char *file, struct sf_stream *stream);

#endif
