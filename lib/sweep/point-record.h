/*
 * The point record: one design of a sweep and what it came to. Its results are
 * whatever the sweep was over; readers name the ones they want by path.
 */
#ifndef SF_SWEEP_POINT_RECORD_H
#define SF_SWEEP_POINT_RECORD_H

#include "stream/stream.h"

struct sf_point {
	int64_t i;
	struct sf_str set;     /* the text of an object */
	struct sf_str refused; /* why it has no results; empty: it has */
	unsigned engine;       /* an enum sf_engine_id, where it is said */
};

/*
 * Reads the current record, which must be a point; texts live as long as the
 * record. Dies when it is not as it must be.
 */
void sf_point_read(struct sf_stream *stream, struct sf_point *point);

/*
 * The numbers of the current record by their names: a path ("stalls_s.compute")
 * or the name of a parameter in `set`; true is 1. VALUES keep what they are
 * where there is none of that name.
 */
void sf_point_numbers(struct sf_stream *stream, const struct sf_str *names,
    int n, double *values);

#endif
