/*
 * How far a long job is: from its third second on, where standard error is a
 * terminal, one line there that is rewritten once a second and gone at the end.
 * Nothing elsewhere; and of a pipeline the last program speaks alone, so nothing
 * where standard output is a pipe.
 *
 * A clock writes the line whatever the program is at, so a phase that counts
 * nothing has one, too: it says for how long there was nothing new. Only a
 * program starts the clock, so that a library in another one leaves its signals
 * alone; all else here does nothing without it.
 */
#ifndef SF_BASE_PROGRESS_H
#define SF_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * What is counted, which must stay where it is until its end. Others may begin
 * and end within it.
 */
struct sf_progress {
	const char *what; /* "operators" */
	double began, told;
	int64_t done, all; /* ALL is -1 where nobody knows */
	struct sf_progress *around;
	bool shown; /* the clock runs */
};

/* Starts the clock, with SIGALRM, where there is a terminal for the line. */
void sf_progress_start(void);

/* Stops it and takes the line away: a child speaks, or what is written does. */
void sf_progress_stop(void);

/* Takes the line away until the clock writes it again, for another message. */
void sf_progress_hide(void);

/* WHAT, "operators", must live as long. */
void
sf_progress_begin(struct sf_progress *progress, const char *what, int64_t all);

/* One more is done. True once a second, whether it is shown or not. */
bool sf_progress_step(struct sf_progress *progress);

/* Nothing more is counted. The line goes, until the clock writes it again. */
void sf_progress_end(struct sf_progress *progress);

SF_PUBLIC_END

#endif
