/* How far a long job is. */
#include "sweep/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
sf_progress_begin(struct sf_progress *p, int64_t all)
{
	*p = (struct sf_progress){ .shown = isatty(STDERR_FILENO) != 0,
		.began = now_s(),
		.all = all };
	p->told = p->began;
}

bool
sf_progress_step(struct sf_progress *p)
{
	double now = now_s(), rate;

	p->done++;
	if (now < p->told + 1)
		return false;
	p->told = now;
	rate = (double)p->done / (now - p->began);
	if (p->shown && p->all >= 0)
		fprintf(stderr,
		    "\r%lld of %lld points, %.0f/s, %.0f s left\033[K",
		    (long long)p->done, (long long)p->all, rate,
		    (double)(p->all - p->done) / rate);
	else if (p->shown)
		fprintf(stderr, "\r%lld points, %.0f/s\033[K",
		    (long long)p->done, rate);
	return true;
}

void
sf_progress_end(struct sf_progress *p)
{
	if (p->shown && p->told > p->began)
		fprintf(stderr, "\r\033[K");
}
