/*
 * A queue of numbered items without a bound, SimPy's Store: a process that gets
 * is resumed when there is an item, which it then takes. At most one process
 * waits at a time.
 */
#ifndef SF_DES_QUEUE_H
#define SF_DES_QUEUE_H

#include "des/kernel.h"

struct sf_queue {
	struct sf_kernel *kernel;
	int64_t *items; /* a ring */
	size_t room, at, n;
	struct sf_process *waiting;
};

void sf_queue_init(struct sf_queue *queue, struct sf_kernel *kernel);
void sf_queue_release(struct sf_queue *queue);

void sf_queue_put(struct sf_queue *queue, int64_t item);

/* PROCESS is resumed when there is an item, and calls sf_queue_take. */
void sf_queue_get(struct sf_queue *queue, struct sf_process *process);
int64_t sf_queue_take(struct sf_queue *queue);

#endif
