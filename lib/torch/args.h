/*
 * What has to be known of an operator's arguments where a file leaves some out
 * and has no schema: which of those that may be missing are tensors.
 */
#ifndef SF_TORCH_ARGS_H
#define SF_TORCH_ARGS_H

#include <stdbool.h>

#include "base/str.h"

/*
 * The optional tensors of aten.OP in order, with blanks between; empty where
 * no place can be lost.
 */
struct sf_str sf_torch_optional_tensors(struct sf_str op);

/* True when an argument of that name is never a tensor, even if it is None. */
bool sf_torch_is_number(struct sf_str argument);

#endif
