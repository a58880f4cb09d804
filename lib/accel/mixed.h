/*
 * The tiles of several cores come mixed, some of one operator and some of the
 * next; here they are put into the order of the program: by operator, then by
 * core. Memory grows with the tiles of operators that are under way.
 */
#ifndef SF_ACCEL_MIXED_H
#define SF_ACCEL_MIXED_H

#include <stdint.h>

#include "accel/tile.h"

struct sf_mixed_op;

struct sf_mixed {
	int ncores;
	struct sf_mixed_op *ops; /* a ring */
	int64_t room, begin, end;
};

void sf_mixed_init(struct sf_mixed *mixed, int ncores);
void sf_mixed_release(struct sf_mixed *mixed);

/* Operator OP is the next one of which there will be tiles. */
void sf_mixed_add(struct sf_mixed *mixed, int64_t op);

/* The next tile of a core's part of OP. */
void sf_mixed_put(
    struct sf_mixed *mixed, int64_t op, int core, const struct sf_times *times);

/* Tells of the tiles of the earliest operator, in order, and forgets them. */
void sf_mixed_take(struct sf_mixed *mixed,
    void (*tell)(void *to, int64_t op, int core, const struct sf_times *times),
    void *to);

#endif
