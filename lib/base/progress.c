/* How far a long job is. */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A job that is over sooner has no line. */
#define SHORT_S 2

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
is_pipe(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

void
sf_progress_begin(struct sf_progress *p, const char *what, int64_t all)
{
	*p = (struct sf_progress){ .shown = isatty(STDERR_FILENO) != 0 &&
		    !is_pipe(STDOUT_FILENO),
		.what = what,
		.began = now_s(),
		.all = all };
	p->told = p->began;
}

/* In one write, so that nothing comes between. */
static void
say(struct sf_progress *p, double now)
{
	double rate = (double)p->done / (now - p->began);
	char text[200];
	int n;

	if (p->all >= 0)
		n = snprintf(text, sizeof text,
		    "\r%lld of %lld %s, %.0f/s, %.0f s left\033[K\r",
		    (long long)p->done, (long long)p->all, p->what, rate,
		    (double)(p->all - p->done) / rate);
	else
		n = snprintf(text, sizeof text, "\r%lld %s, %.0f/s\033[K\r",
		    (long long)p->done, p->what, rate);
	p->there = write(STDERR_FILENO, text, (size_t)n) > 0;
}

bool
sf_progress_step(struct sf_progress *p)
{
	double now = now_s();

	p->done++;
	if (now < p->told + 1)
		return false;
	p->told = now;
	if (p->shown && now > p->began + SHORT_S)
		say(p, now);
	return true;
}

void
sf_progress_end(struct sf_progress *p)
{
	const char *gone = "\r\033[K";

	if (p->there && write(STDERR_FILENO, gone, strlen(gone)) < 0)
		return; /* There is no terminal any more. */
	p->there = false;
}
