/*
 * The head of a swept trace: all that stands before its points. Shares of one
 * sweep have the same, but for which share each is.
 */
#ifndef SF_SWEEP_HEAD_H
#define SF_SWEEP_HEAD_H

#include "base/buf.h"
#include "base/str.h"
#include "sweep/shard.h"

/*
 * Appends LINE, a tool record with its LF, without the member `shard`, which is
 * written to *SHARD; it is 1/1 where there is none.
 */
void sf_head_put_tool(
    struct sf_buf *out, struct sf_str line, struct sf_shard *shard);

#endif
