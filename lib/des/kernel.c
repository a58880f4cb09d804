/* Events in order: a ring for this instant, a heap for later ones. */
#include "des/kernel.h"

#include <stdlib.h>

#include "base/arena.h"

enum {
	FIRST_ROOM = 16
};

void
sf_kernel_init(struct sf_kernel *k)
{
	*k = (struct sf_kernel){ .ready_room = FIRST_ROOM,
		.timers_room = FIRST_ROOM };
	k->ready = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*k->ready));
	k->timers = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*k->timers));
}

void
sf_kernel_release(struct sf_kernel *k)
{
	free(k->ready);
	free(k->timers);
	*k = (struct sf_kernel){ 0 };
}

/* The ring's room is a power of two. */
void
sf_kernel_grow(struct sf_kernel *k)
{
	size_t room = k->ready_room;
	struct sf_process **ring =
	    sf_reallocarray(NULL, 2 * room, sizeof(struct sf_process *));

	for (size_t i = 0; i < k->nready; i++)
		ring[i] = k->ready[(k->ready_at + i) & (room - 1)];
	free(k->ready);
	k->ready = ring;
	k->ready_room = 2 * room;
	k->ready_at = 0;
}

static bool
earlier(const struct sf_timer *a, const struct sf_timer *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void
sf_timeout(struct sf_kernel *k, struct sf_process *process, double delay)
{
	sf_alarm(k, process, k->now + delay);
}

void
sf_alarm(struct sf_kernel *k, struct sf_process *process, double time)
{
	struct sf_timer timer = { time, k->order++, process };
	size_t at;

	/* Time that is too short to be seen does not end the instant. */
	if (timer.time <= k->now) {
		sf_schedule(k, process);
		return;
	}
	if (k->ntimers == k->timers_room) {
		k->timers_room *= 2;
		k->timers = sf_reallocarray(
		    k->timers, k->timers_room, sizeof(*k->timers));
	}
	for (at = k->ntimers++; at != 0; at = (at - 1) / 2) {
		if (!earlier(&timer, &k->timers[(at - 1) / 2]))
			break;
		k->timers[at] = k->timers[(at - 1) / 2];
	}
	k->timers[at] = timer;
}

/* Takes the earliest timer out of the heap. */
static struct sf_process *
take_timer(struct sf_kernel *k)
{
	struct sf_process *process = k->timers[0].process;
	struct sf_timer last = k->timers[--k->ntimers];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < k->ntimers) {
		if (child + 1 < k->ntimers &&
		    earlier(&k->timers[child + 1], &k->timers[child]))
			child++;
		if (!earlier(&k->timers[child], &last))
			break;
		k->timers[at] = k->timers[child];
		at = child;
	}
	k->timers[at] = last;
	return process;
}

void
sf_ask_at_end(struct sf_kernel *k, struct sf_at_end *what)
{
	if (what->asked)
		return;
	what->asked = true;
	what->next = k->at_end;
	k->at_end = what;
}

/* Tells those who asked; they may schedule more at this instant. */
static void
end_instant(struct sf_kernel *k)
{
	while (k->at_end != NULL) {
		struct sf_at_end *what = k->at_end;

		k->at_end = what->next;
		what->asked = false;
		what->end(what);
	}
}

/* Moves to the next instant and makes its timers ready, in order. */
static bool
next_instant(struct sf_kernel *k)
{
	if (k->ntimers == 0)
		return false;
	if (k->instant_over != NULL)
		k->instant_over(k->to);
	k->now = k->timers[0].time;
	do
		sf_schedule(k, take_timer(k));
	while (k->ntimers != 0 && k->timers[0].time == k->now);
	return true;
}

bool
sf_kernel_run(struct sf_kernel *k)
{
	k->stop = false;
	for (;;) {
		while (k->nready != 0) {
			struct sf_process *process = k->ready[k->ready_at];

			k->ready_at = (k->ready_at + 1) & (k->ready_room - 1);
			k->nready--;
			k->events++;
			process->resume(process);
			if (k->stop)
				return true;
		}
		end_instant(k);
		if (k->nready == 0 && !next_instant(k))
			return false;
	}
}
