/*
 * What is asked of points after a sweep: the front of them, an order, the first
 * of it. Traces one after the other that have one head are one.
 */
#ifndef SF_SWEEP_FRONTS_H
#define SF_SWEEP_FRONTS_H

#include "base/opt.h"
#include "stream/stream.h"

enum sf_fronts_format {
	SF_FRONTS_JSON,
	SF_FRONTS_CSV,
	SF_FRONTS_MD
};

/* "json", "csv", "md", NULL. */
extern const char *const sf_fronts_formats[];

struct sf_fronts_request {
	const char *front; /* "COL,-COL,..." or NULL */
	const char *sort;  /* "COL" or NULL */
	int64_t top;       /* 0: all */
	int format;
};

struct sf_fronts;

/* Dies with SF_EX_USAGE when the request cannot be meant. */
struct sf_fronts *sf_fronts_new(
    struct sf_stream *stream, const struct sf_fronts_request *request);

/* Handles the stream's current record, SF_K_EOF at last. */
void sf_fronts_record(struct sf_fronts *fronts, enum sf_kind kind);

void sf_fronts_free(struct sf_fronts *fronts);

#endif
