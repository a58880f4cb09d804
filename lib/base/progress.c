/* How far a long job is. */
#include "base/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
	SHORT_S = 2, /* a job that is over sooner has no line */
	STUCK_S = 3, /* without anything new, that is said */
};

/* The line on the terminal: there is one a process, as there is one alarm. */
static struct {
	volatile sig_atomic_t runs, there;
	struct sf_progress *volatile now; /* what is counted; NULL: nothing */
	double began;
	/* What was counted when it was written last, and when that was new. */
	const struct sf_progress *of;
	int64_t done;
	double written, since;
} line;

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the text, by means that a signal's handler may use ---- */

struct text {
	char p[200];
	size_t n;
};

static void
put(struct text *t, const char *s)
{
	while (*s != '\0' && t->n < sizeof t->p)
		t->p[t->n++] = *s++;
}

static void
put_number(struct text *t, double x)
{
	/* No wrong guess of what is left has more digits. */
	uint64_t left = x < 1e18 ? (uint64_t)x : (uint64_t)1e18;
	char digits[21];
	size_t at = sizeof digits - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + left % 10);
	while ((left /= 10) != 0);
	put(t, digits + at);
}

static void
put_counted(struct text *t, const struct sf_progress *p, double now)
{
	double done = (double)p->done, rate = done / (now - p->began);

	if (p->done == 0) {
		put(t, "no ");
		put(t, p->what);
		put(t, " yet, ");
		put_number(t, now - p->began);
		put(t, " s");
		return;
	}
	put_number(t, done);
	if (p->all >= 0) {
		put(t, " of ");
		put_number(t, (double)p->all);
	}
	put(t, " ");
	put(t, p->what);
	put(t, ", ");
	if (now - line.since > STUCK_S) {
		put_number(t, now - line.since);
		put(t, " s since the last");
		return;
	}
	if (rate < 1) {
		put_number(t, now - p->began);
		put(t, " s");
		return;
	}
	put_number(t, rate + 0.5);
	put(t, "/s");
	if (p->all >= 0 && p->all >= p->done) {
		put(t, ", ");
		put_number(t, ((double)p->all - done) / rate + 0.5);
		put(t, " s left");
	}
}

/* In one write, so that nothing comes between. */
static void
tell(int number)
{
	const struct sf_progress *p = line.now;
	struct text t = { .n = 0 };
	double now = now_s();
	int kept = errno;

	(void)number;
	if (p != line.of || (p != NULL && p->done != line.done)) {
		line.of = p;
		line.done = p != NULL ? p->done : 0;
		line.since = line.written;
	}
	line.written = now;
	put(&t, "\r");
	if (p != NULL) {
		put_counted(&t, p, now);
	} else {
		put(&t, "at work for ");
		put_number(&t, now - line.began);
		put(&t, " s");
	}
	put(&t, "\033[K\r");
	line.there = write(STDERR_FILENO, t.p, t.n) > 0;
	errno = kept;
}

/* ---- the clock ---- */

static bool
is_pipe(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static void
set_alarm(time_t first, time_t each)
{
	const struct itimerval when = { .it_value.tv_sec = first,
		.it_value.tv_usec = first != 0 ? 100000 : 0,
		.it_interval.tv_sec = each };

	setitimer(ITIMER_REAL, &when, NULL);
}

void
sf_progress_start(void)
{
	struct sigaction action = { .sa_handler = tell,
		.sa_flags = SA_RESTART };

	if (isatty(STDERR_FILENO) == 0 || is_pipe(STDOUT_FILENO))
		return;
	line.began = line.written = now_s();
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGALRM, &action, NULL) != 0)
		return;
	/* Whoever returns from main takes the line away. */
	if (atexit(sf_progress_hide) != 0)
		return;
	line.runs = 1;
	set_alarm(SHORT_S, 1);
}

void
sf_progress_stop(void)
{
	if (!line.runs)
		return;
	line.runs = 0;
	set_alarm(0, 0);
	sf_progress_hide();
}

void
sf_progress_hide(void)
{
	const char *gone = "\r\033[K";

	if (!line.there)
		return;
	line.there = 0;
	if (write(STDERR_FILENO, gone, strlen(gone)) < 0)
		return; /* There is no terminal any more. */
}

/* ---- what is counted ---- */

void
sf_progress_begin(struct sf_progress *p, const char *what, int64_t all)
{
	*p = (struct sf_progress){ .shown = line.runs != 0,
		.what = what,
		.began = now_s(),
		.all = all,
		.around = line.now };
	p->told = p->began;
	if (p->shown)
		line.now = p;
}

bool
sf_progress_step(struct sf_progress *p)
{
	double now = now_s();

	p->done++;
	if (now < p->told + 1)
		return false;
	p->told = now;
	return true;
}

void
sf_progress_end(struct sf_progress *p)
{
	/* What began in it and did not end goes with it. */
	for (struct sf_progress *q = line.now; q != NULL; q = q->around)
		if (q == p) {
			line.now = p->around;
			break;
		}
	sf_progress_hide();
}
