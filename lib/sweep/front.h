/*
 * The Pareto front: of vectors, those than which no other is less or equal in
 * all places and less in one. Of equal ones it has that of the lowest index.
 * What a vector does not dominate stays, so the front of a union is the front of
 * the fronts.
 */
#ifndef SF_SWEEP_FRONT_H
#define SF_SWEEP_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

struct sf_front_point {
	int64_t i;
	double *v;
	double key; /* the last of those that are not compared, or 0 */
	char *text; /* what the caller keeps with it */
	size_t n;
};

struct sf_front {
	int columns; /* 0: all are on it */
	int extra;   /* numbers behind them that are kept and not compared */
	struct sf_front_point *points;
	size_t n, room;
	size_t last; /* the one that turned away the last vector */
};

void sf_front_init(struct sf_front *front, int columns);
void sf_front_release(struct sf_front *front);

/*
 * Takes vector V of index I with a copy of TEXT, if it is on the front of those
 * so far, which then loses what V dominates. One that is not of numbers never
 * is. False when it is turned away.
 */
bool sf_front_offer(
    struct sf_front *front, int64_t i, const double *v, struct sf_str text);

/* Keeps the first N points. */
void sf_front_cut(struct sf_front *front, size_t n);

/* Sorts what is there by index, or by key and then by index. */
void sf_front_sort(struct sf_front *front);
void sf_front_sort_by_key(struct sf_front *front);

SF_PUBLIC_END

#endif
