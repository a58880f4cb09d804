/*
 * Designs from a file, one after the other: CSV whose header names parameters
 * (other columns are passed over), or a stream of point records. `i` is a
 * design's index; without it designs are counted from 0.
 */
#ifndef SF_SWEEP_POINTS_FILE_H
#define SF_SWEEP_POINTS_FILE_H

#include "base/arena.h"
#include "sweep/target.h"

struct sf_points_file;

/* Opens PATH and reads as far as the names; dies when it is not such a file. */
struct sf_points_file *
sf_points_open(const char *path, const struct sf_target *target);
void sf_points_close(struct sf_points_file *file);

/* The parameters of CSV, as they are named there; none of a stream. */
int
sf_points_names(const struct sf_points_file *file, const char *const **names);

/* Reads the next design; false at the end. */
bool sf_points_next(struct sf_points_file *file, int64_t *i);

/* A parameter of the design that was read, and its text. */
struct sf_points_value {
	const char *name, *text;
};

/* Those of the design that was read; they live until the next. */
int sf_points_values(
    const struct sf_points_file *file, const struct sf_points_value **values);

/* For messages: the file and the line. */
const char *sf_points_name(const struct sf_points_file *file);
int64_t sf_points_line(const struct sf_points_file *file);

#endif
