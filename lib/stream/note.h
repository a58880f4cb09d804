/* The note record: something that a reader of the result must know. */
#ifndef SF_STREAM_NOTE_H
#define SF_STREAM_NOTE_H

#include "stream/stream.h"

struct sf_note_record {
	struct sf_str tool; /* the program that says it */
	struct sf_str text; /* a sentence of any length */
};

/* Writes one before the current record. */
void
sf_note_put(struct sf_stream *stream, const char *tool, struct sf_str text);

/* Reads the current record, which must be a note; KEEP as in member.h. */
void sf_note_read(struct sf_stream *stream, struct sf_arena *keep,
    struct sf_note_record *note);

#endif
