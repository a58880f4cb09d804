/*
 * Records that wait: a filter that learns what to add to a record only after it
 * has read later ones holds it back, and all that come behind it, until it
 * knows. Order is kept.
 */
#ifndef SF_STREAM_HOLD_H
#define SF_STREAM_HOLD_H

#include <stdbool.h>

#include "base/buf.h"
#include "stream/stream.h"

/* A record that waits, and what comes behind it: whole lines, all of them. */
struct sf_held {
	int64_t tag;          /* the filter's own */
	struct sf_buf line;   /* the record */
	struct sf_buf added;  /* what the filter puts directly behind it */
	struct sf_buf behind; /* what followed it in the stream */
};

struct sf_hold {
	struct sf_stream *stream;
	struct sf_held *held; /* a ring */
	size_t room, begin, n;
	struct sf_buf lines; /* being put together */
};

void sf_hold_init(struct sf_hold *hold, struct sf_stream *stream);
void sf_hold_release(struct sf_hold *hold);

/* Holds the current record back. */
void sf_hold_add(struct sf_hold *hold, int64_t tag);

/* Puts the current record behind the last one that waits, if any does. */
void sf_hold_follow(struct sf_hold *hold);

/* The earliest record that waits; there must be one. */
struct sf_held *sf_hold_first(struct sf_hold *hold);

/*
 * Lets the earliest one go: writes it with MEMBERS before its closing brace,
 * then what was added and what is behind it.
 */
void sf_hold_go(struct sf_hold *hold, const struct sf_jsonw *members);

#endif
