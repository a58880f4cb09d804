/* How the points of a sweep are written: records, or rows of CSV. */
#ifndef SF_SWEEP_SWEEP_WRITE_H
#define SF_SWEEP_SWEEP_WRITE_H

#include "base/buf.h"
#include "stream/jsonw.h"
#include "sweep/plan.h"

/* A design that was run, or refused. */
struct sf_sweep_point {
	int64_t i;
	const struct sf_plan *plan; /* which set it in its target */
	const struct sf_outcome *results;
	const char *engine;  /* NULL: the usual one */
	const char *refused; /* why; then there are no results */
	const struct sf_bounds *own;
	const double *values; /* of those */
};

/* Writes the members of a point record behind its kind. */
void sf_point_write(struct sf_jsonw *w, const struct sf_sweep_point *point);

/* Appends the header, or the row, of CSV. */
void sf_point_header(struct sf_buf *out, const struct sf_sweep_point *point);
void sf_point_row(struct sf_buf *out, const struct sf_sweep_point *point);

#endif
