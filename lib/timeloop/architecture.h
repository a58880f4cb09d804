/*
 * An architecture of Timeloop, of version 0.3 (subtree and local) or 0.4 (nodes),
 * as the configuration of an accelerator: the multiply-accumulate units, the
 * outermost buffer on the chip, and the memory.
 */
#ifndef SF_TIMELOOP_ARCHITECTURE_H
#define SF_TIMELOOP_ARCHITECTURE_H

#include "base/buf.h"

/*
 * Appends the configuration that the file PATH describes, as JSON; notes the
 * components that are not read. Dies when it is none, or lacks one of the three.
 */
void sf_timeloop_architecture(const char *path, struct sf_buf *out);

#endif
