/*
 * A file that a sweep writes and may go on with: it is its own checkpoint. One
 * process at a time writes it, under a lock that goes with the process.
 */
#ifndef SF_SWEEP_OUTFILE_H
#define SF_SWEEP_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sf_outfile {
	const char *path;
	int fd;
	bool resume;
	int64_t at;   /* bytes of the file that are settled */
	int64_t line; /* lines of them */
};

/* What is there already of a trace. */
struct sf_outfile_rest {
	bool head;            /* all of its head */
	bool end;             /* and its end: nothing is left to do */
	int64_t points, last; /* points in whole lines, the last one's index */
};

/*
 * Opens and locks PATH; without RESUME it is emptied. Dies with SF_EX_IO when it
 * cannot, or another process has the lock.
 */
void sf_outfile_open(struct sf_outfile *file, const char *path, bool resume);

/*
 * Looks for a trace that begins with the lines HEAD and cuts off what is not
 * whole, and all points when POINTS is false. Dies with SF_EX_USAGE when
 * something else is there.
 */
struct sf_outfile_rest
sf_outfile_find(struct sf_outfile *file, struct sf_str head, bool points);

/* Dies with SF_EX_USAGE when more is there than was looked for. */
void sf_outfile_finish(struct sf_outfile *file);

#endif
