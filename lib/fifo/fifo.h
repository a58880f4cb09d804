/*
 * A producer and a consumer joined by a queue of fixed depth, and Little's law
 * (L = lambda W) on it.
 *
 * Before each burst the producer works for produce x burst x u, u uniform in
 * [0.5, 1.5), then puts the burst's items one by one and is blocked while the
 * queue is full. The consumer takes an item, starved while there is none, then
 * works for consume x u. With put[j] and get[j] the times of item j:
 *
 *	put[j] = max(producer is ready, get[j - depth])
 *	get[j] = max(consumer is free, put[j])
 */
#ifndef SF_FIFO_FIFO_H
#define SF_FIFO_FIFO_H

#include <stdint.h>

#include "base/progress.h"

struct sf_fifo_case {
	const char *name;
	double produce; /* mean time an item, any unit of time */
	double consume;
	int64_t burst; /* items */
};

struct sf_fifo_run {
	double throughput; /* items / end of the last item's consumption */
	double blocked;    /* share of that time that the producer waited */
	double starved;    /* and the consumer */
	double mean_depth; /* L: items in the queue, integrated over time */
	double lambda_w;   /* throughput x mean time in the queue */
	int64_t max_depth;
};

/* Somebody who wants to know how many items are in the queue, and when. */
struct sf_fifo_watch {
	/* In the order of time; LEVEL items from FROM until UNTIL. */
	void (*tell)(void *to, double from, double until, int64_t level);
	void *to;
};

/* The two cases that are run when none is described. */
extern const struct sf_fifo_case sf_fifo_cases[2];

/*
 * Runs ITEMS items through a queue of DEPTH. The producer's twister is seeded
 * with SEED, the consumer's with SEED + 1000. WATCH may be NULL. Items that are
 * through are counted in PROGRESS.
 */
struct sf_fifo_run sf_fifo_simulate(const struct sf_fifo_case *c, int64_t depth,
    int64_t items, uint64_t seed, const struct sf_fifo_watch *watch,
    struct sf_progress *progress);

#endif
