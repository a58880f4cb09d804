/*
 * The shares of a sweep as the whole of it: their points by rising index, under
 * the one head that they have.
 */
#ifndef SF_SWEEP_MERGE_H
#define SF_SWEEP_MERGE_H

#include "stream/stream.h"

/*
 * Reads the files of STREAM's command line side by side and writes the whole to
 * it. Dies when their heads differ, when a share or an index is missing or there
 * twice, or when one is not whole.
 */
void sf_points_merge(struct sf_stream *stream);

#endif
