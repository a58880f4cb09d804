/*
 * How far a long job is: on a terminal one line a second on standard error, and
 * nothing elsewhere.
 */
#ifndef SF_SWEEP_PROGRESS_H
#define SF_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct sf_progress {
	bool shown; /* there is a terminal */
	double began, told;
	int64_t done, all; /* ALL is -1 where nobody knows */
};

void sf_progress_begin(struct sf_progress *progress, int64_t all);

/* One more is done. True once a second. */
bool sf_progress_step(struct sf_progress *progress);

/* Takes the line away. */
void sf_progress_end(struct sf_progress *progress);

#endif
