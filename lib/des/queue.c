/* Queues of items. */
#include "des/queue.h"

#include <stdlib.h>

#include "base/arena.h"

enum {
	FIRST_ROOM = 16
};

void
sf_queue_init(struct sf_queue *q, struct sf_kernel *kernel)
{
	*q = (struct sf_queue){ .kernel = kernel, .room = FIRST_ROOM };
	q->items = sf_reallocarray(NULL, FIRST_ROOM, sizeof(*q->items));
}

void
sf_queue_release(struct sf_queue *q)
{
	free(q->items);
	*q = (struct sf_queue){ 0 };
}

/* Doubles the ring, whose room is a power of two. */
static void
grow(struct sf_queue *q)
{
	int64_t *items = sf_reallocarray(NULL, 2 * q->room, sizeof(*items));

	for (size_t i = 0; i < q->n; i++)
		items[i] = q->items[(q->at + i) & (q->room - 1)];
	free(q->items);
	q->items = items;
	q->room *= 2;
	q->at = 0;
}

/* Wakes who waits. */
static void
serve(struct sf_queue *q)
{
	if (q->waiting == NULL || q->n == 0)
		return;
	sf_schedule(q->kernel, q->waiting);
	q->waiting = NULL;
}

void
sf_queue_put(struct sf_queue *q, int64_t item)
{
	if (q->n == q->room)
		grow(q);
	q->items[(q->at + q->n++) & (q->room - 1)] = item;
	serve(q);
}

void
sf_queue_get(struct sf_queue *q, struct sf_process *process)
{
	q->waiting = process;
	serve(q);
}

int64_t
sf_queue_take(struct sf_queue *q)
{
	int64_t item = q->items[q->at];

	q->at = (q->at + 1) & (q->room - 1);
	q->n--;
	return item;
}
