/* The bounded FIFO, in time order and with memory for the queue alone. */
#include "fifo/fifo.h"

#include <stdlib.h>

#include "base/arena.h"
#include "fifo/twister.h"

const struct sf_fifo_case sf_fifo_cases[2] = {
	{ "slow consumer", 1.0, 1.2, 1 },
	{ "bursty", 1.0, 1.0, 8 },
};

/*
 * The queue: when the items in it will be taken, and its level integrated as
 * puts and gets go by. Item j has place j modulo the depth.
 */
struct queue {
	double *gets;
	int64_t depth;
	int64_t in, out; /* items put, items taken */
	int64_t max;
	double area, since;
	const struct sf_fifo_watch *watch;
};

static double
later(double a, double b)
{
	return a > b ? a : b;
}

static void
advance(struct queue *q, double to)
{
	q->area += (double)(q->in - q->out) * (to - q->since);
	if (q->watch != NULL && to > q->since)
		q->watch->tell(q->watch->to, q->since, to, q->in - q->out);
	q->since = to;
}

/* Lets the items go whose get is not after UNTIL. */
static void
drain(struct queue *q, double until)
{
	for (; q->out != q->in && q->gets[q->out % q->depth] <= until; q->out++)
		advance(q, q->gets[q->out % q->depth]);
}

/* When the place of the next item was, or will be, emptied. */
static double
place_is_free(const struct queue *q)
{
	return q->in < q->depth ? 0 : q->gets[q->in % q->depth];
}

static void
enter(struct queue *q, double put, double get)
{
	drain(q, put);
	advance(q, put);
	q->gets[q->in++ % q->depth] = get;
	if (q->in - q->out > q->max)
		q->max = q->in - q->out;
}

struct sf_fifo_run
sf_fifo_simulate(const struct sf_fifo_case *c, int64_t depth, int64_t items,
    uint64_t seed, const struct sf_fifo_watch *watch,
    struct sf_progress *progress)
{
	struct queue queue = { .depth = depth, .watch = watch };
	struct sf_twister producer, consumer;
	double ready = 0, idle = 0, blocked = 0, starved = 0, waited = 0;
	double scale = c->produce * (double)c->burst;

	queue.gets = sf_reallocarray(NULL, (size_t)depth, sizeof(double));
	sf_twister_init(&producer, seed);
	sf_twister_init(&consumer, seed + 1000);
	for (int64_t j = 0; j < items; j++) {
		double put, get;

		if (j % c->burst == 0)
			ready += sf_twister_uniform(
			    &producer, scale * 0.5, scale * 1.5);
		put = later(ready, place_is_free(&queue));
		get = later(idle, put);
		blocked += put - ready;
		starved += get - idle;
		waited += get - put;
		enter(&queue, put, get);
		ready = put;
		idle = get +
		    sf_twister_uniform(
			&consumer, c->consume * 0.5, c->consume * 1.5);
		progress->done++;
	}
	drain(&queue, idle);
	free(queue.gets);
	return (struct sf_fifo_run){
		.throughput = (double)items / idle,
		.blocked = blocked / idle,
		.starved = starved / idle,
		.mean_depth = queue.area / idle,
		.lambda_w = (double)items / idle * (waited / (double)items),
		.max_depth = queue.max,
	};
}
