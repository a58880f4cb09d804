/* Points as a table: CSV, or Markdown. */
#ifndef SF_SWEEP_POINT_TABLE_H
#define SF_SWEEP_POINT_TABLE_H

#include "base/buf.h"
#include "sweep/front.h"

/*
 * A header and a row each: i, parameters, results, all by their paths, those of
 * the first point. TEXT of each is its record.
 */
void sf_points_csv(
    struct sf_buf *out, const struct sf_front_point *points, size_t n);

/* A table of i, parameters and the N columns that were asked for. */
void sf_points_markdown(struct sf_buf *out, const struct sf_front_point *points,
    size_t npoints, const char *const *columns, const double *signs, int n);

#endif
