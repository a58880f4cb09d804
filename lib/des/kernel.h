/*
 * A small discrete-event kernel. Who knows SimPy knows it: processes wait for
 * timeouts, resources (des/resource.h), levels of a container
 * (des/container.h) and items of a queue (des/queue.h). There are no
 * coroutines: a process is a function that is called when what it waits for has
 * come, and that keeps where it is in a member of its own.
 *
 * Each resumption of a process is an event. Events of one instant happen in the
 * order in which they were scheduled. An instant has an end: when nothing is
 * left to happen at it, resources are granted, which may make more happen at
 * the same instant; then time moves on.
 */
#ifndef SF_DES_KERNEL_H
#define SF_DES_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sf_process {
	void (*resume)(struct sf_process *process);
};

/* What wants to be told of the end of each instant at which it asked to be. */
struct sf_at_end {
	void (*end)(struct sf_at_end *what);
	struct sf_at_end *next;
	bool asked;
};

struct sf_kernel {
	double now;
	int64_t events; /* resumptions so far */
	/* A process that sets it stops the kernel when it returns. */
	bool stop;

	/* Events of this instant: a ring. */
	struct sf_process **ready;
	size_t ready_room, ready_at, nready;
	/* Events of later instants: a binary heap by time, then order. */
	struct sf_timer {
		double time;
		uint64_t order;
		struct sf_process *process;
	} * timers;
	size_t ntimers, timers_room;
	uint64_t order;
	struct sf_at_end *at_end;
	/* Called before time moves on; NULL: nothing is. */
	void (*instant_over)(void *to);
	void *to;
};

void sf_kernel_init(struct sf_kernel *kernel);
void sf_kernel_release(struct sf_kernel *kernel);

/* Doubles the ring of this instant's events. */
void sf_kernel_grow(struct sf_kernel *kernel);

/* PROCESS goes on at this instant, behind what is scheduled already. */
static inline void
sf_schedule(struct sf_kernel *kernel, struct sf_process *process)
{
	if (kernel->nready == kernel->ready_room)
		sf_kernel_grow(kernel);
	kernel->ready[(kernel->ready_at + kernel->nready++) &
	    (kernel->ready_room - 1)] = process;
}

/* PROCESS goes on at now + DELAY, DELAY > 0. */
void
sf_timeout(struct sf_kernel *kernel, struct sf_process *process, double delay);

/* PROCESS goes on at TIME, at this instant when that is not later. */
void
sf_alarm(struct sf_kernel *kernel, struct sf_process *process, double time);

/* WHAT is called once, when nothing else is left to happen at this instant. */
void sf_ask_at_end(struct sf_kernel *kernel, struct sf_at_end *what);

/*
 * Runs until a process sets `stop`, and returns true; false when no event is
 * left.
 */
bool sf_kernel_run(struct sf_kernel *kernel);

#endif
