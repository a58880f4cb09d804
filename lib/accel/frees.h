/*
 * Buffer that will be freed, in the order of time: a queue in one array, which
 * moves back to the array's front when it reaches the end. Frees of no bytes
 * are not kept, so each one that is pending holds a part of the buffer: how
 * many there are is bounded by the buffer and the size of a tile, not by the
 * number of tiles.
 */
#ifndef SF_ACCEL_FREES_H
#define SF_ACCEL_FREES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sf_free {
	double time;
	int64_t bytes;
};

struct sf_frees {
	struct sf_free *array;
	size_t room;
	/*
	 * The earliest free, and the place behind the last one, which holds a
	 * time that never comes: looking at the earliest needs no test for
	 * emptiness.
	 */
	struct sf_free *head, *tail;
};

void sf_frees_init(struct sf_frees *frees);
void sf_frees_release(struct sf_frees *frees);

/* Nothing is pending. */
static inline void
sf_frees_clear(struct sf_frees *frees)
{
	frees->head = frees->tail = frees->array;
	frees->array->time = INFINITY;
}

/* N more can be put. */
static inline bool
sf_frees_has_room(const struct sf_frees *frees, size_t n)
{
	return frees->room - (size_t)(frees->tail - frees->array) > n;
}

/* Makes room for N more. */
void sf_frees_reserve(struct sf_frees *frees, size_t n);

/* Makes TO a copy of FROM; both were initialised. */
void sf_frees_copy(struct sf_frees *to, const struct sf_frees *from);

/* Takes all that is due at NOW and returns its bytes. */
static inline int64_t
sf_frees_take(struct sf_frees *frees, double now)
{
	int64_t bytes = 0;

	while (frees->head->time <= now)
		bytes += frees->head++->bytes;
	return bytes;
}

/*
 * Puts one behind the others, which are no later. There must be room for it.
 */
static inline void
sf_frees_put(struct sf_frees *frees, double time, int64_t bytes)
{
	if (bytes == 0)
		return;
	*frees->tail++ = (struct sf_free){ time, bytes };
	frees->tail->time = INFINITY;
}

#endif
