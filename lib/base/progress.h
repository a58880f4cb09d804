/*
 * How far a long job is: from its third second on, where standard error is a
 * terminal, one line there that is rewritten once a second and gone at the end.
 * Nothing elsewhere; and of a pipeline the last program speaks alone, so nothing
 * where standard output is a pipe.
 */
#ifndef SF_BASE_PROGRESS_H
#define SF_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct sf_progress {
	bool shown; /* there is a terminal for it */
	bool there; /* a line stands on it */
	const char *what;
	double began, told;
	int64_t done, all; /* ALL is -1 where nobody knows */
};

/* WHAT, "operators", must live as long. */
void
sf_progress_begin(struct sf_progress *progress, const char *what, int64_t all);

/* One more is done. True once a second, whether it is shown or not. */
bool sf_progress_step(struct sf_progress *progress);

/* Takes the line away. */
void sf_progress_end(struct sf_progress *progress);

#endif
