/* The summary record: one simulation's result. */
#ifndef SF_ACCEL_SUMMARY_RECORD_H
#define SF_ACCEL_SUMMARY_RECORD_H

#include "stream/stream.h"

enum sf_summary_id {
#define SF_SUMMARY(id, object, name, type, unit, required, by_core) SF_SUM_##id,
#include "accel/summary.def"
#undef SF_SUMMARY
	SF_SUM_COUNT
};

enum sf_summary_type {
	SF_SUM_STR,
	SF_SUM_INT,
	SF_SUM_DOUBLE
};

/* The rows of summary.def. */
struct sf_summary_row {
	const char *object; /* the object that holds it, or "" */
	const char *name;
	enum sf_summary_type type;
	const char *unit;
	bool required;
	bool by_core;
};

extern const struct sf_summary_row sf_summary_rows[SF_SUM_COUNT];

struct sf_summary_value {
	int64_t i; /* -1: a value that may be left out and is not there */
	double d;
	struct sf_str s;
};

/* Of one core the rows that are by core. */
struct sf_summary_core {
	struct sf_summary_value v[SF_SUM_COUNT];
};

struct sf_summary {
	struct sf_summary_value v[SF_SUM_COUNT];
	/* Where there are several; NULL: they are not wanted, or there is one. */
	struct sf_summary_core *cores;
	int ncores;
};

/* Writes the record before the current one. */
void
sf_summary_write(struct sf_stream *stream, const struct sf_summary *summary);

/*
 * Reads the stream's current record, a summary; text goes to the arena. Dies
 * when it is not as it must be. Members that it does not know are left out.
 */
void sf_summary_read(struct sf_summary *summary, struct sf_stream *stream,
    struct sf_arena *arena);

#endif
