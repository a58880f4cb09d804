/* What a front or an order is made of, as a user says it: "COL,-COL,...". */
#ifndef SF_SWEEP_COLUMNS_H
#define SF_SWEEP_COLUMNS_H

#include "base/arena.h"

struct sf_axes_list {
	const char **said;  /* as they were given */
	const char **texts; /* expressions */
	double *signs;      /* -1 where the most is best, else 1 */
	int n;
};

/*
 * Splits TEXT at the commas outside of brackets; a '-' in front means that more
 * is better. Dies with SF_EX_USAGE when a column is empty.
 */
struct sf_axes_list sf_front_columns(const char *text, struct sf_arena *arena);

#endif
