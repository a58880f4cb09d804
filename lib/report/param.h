/* A parameter of a device or an accelerator, for people. */
#ifndef SF_REPORT_PARAM_H
#define SF_REPORT_PARAM_H

#include "config/key.h"
#include "text/markdown.h"
#include "text/pairs.h"

/*
 * The value of the member PAIR of a record in the unit that a user would write:
 * "25.6 GB/s". What KEYS does not know is written as it stands. `cells` puts it
 * behind a cell for its name.
 */
void sf_param_value(struct sf_buf *out, const struct sf_keys *keys,
    const struct sf_pair *pair, struct sf_arena *arena);
void sf_param_cells(struct sf_grid *grid, const struct sf_keys *keys,
    const struct sf_pair *pair, struct sf_arena *arena);

#endif
