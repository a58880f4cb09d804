/* Queues of pending frees. */
#include "accel/frees.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Frees that are pending, and the place behind them. */
static size_t
in_use(const struct sf_frees *f)
{
	return (size_t)(f->tail - f->head) + 1;
}

/* FROM's queue at the front of an array of ROOM places. */
static struct sf_frees
queue_in(struct sf_free *array, size_t room, const struct sf_frees *from)
{
	size_t n = in_use(from);

	memmove(array, from->head, n * sizeof *array);
	return (struct sf_frees){ .array = array,
		.room = room,
		.head = array,
		.tail = array + n - 1 };
}

void
sf_frees_init(struct sf_frees *frees)
{
	struct sf_free *array = sf_malloc(sizeof *array);

	*array = (struct sf_free){ .time = INFINITY };
	*frees = (struct sf_frees){
		.array = array, .room = 1, .head = array, .tail = array
	};
}

void
sf_frees_release(struct sf_frees *frees)
{
	free(frees->array);
	*frees = (struct sf_frees){ 0 };
}

/*
 * The array has twice the places that are needed at least, so that moving back
 * is paid for by the puts since the last time.
 */
void
sf_frees_reserve(struct sf_frees *f, size_t n)
{
	size_t need = in_use(f) + n;
	struct sf_free *old = f->array;

	if (sf_frees_has_room(f, n))
		return;
	if (f->room >= 2 * need) {
		*f = queue_in(f->array, f->room, f);
		return;
	}
	*f =
	    queue_in(sf_reallocarray(NULL, 4 * need, sizeof *old), 4 * need, f);
	free(old);
}

void
sf_frees_copy(struct sf_frees *to, const struct sf_frees *from)
{
	size_t n = in_use(from);

	if (to->room < n) {
		free(to->array);
		to->array = sf_reallocarray(NULL, n, sizeof *to->array);
		to->room = n;
	}
	*to = queue_in(to->array, to->room, from);
}
