/* The tool record: a program that the trace went through. */
#ifndef SF_STREAM_TOOL_H
#define SF_STREAM_TOOL_H

#include "stream/stream.h"

/* A file that the result depends on besides the stream. */
struct sf_tool_input {
	struct sf_str name;  /* without directory */
	struct sf_str crc32; /* of its content: eight hexadecimal digits */
};

/* What the user decided where a model does not: one of the last two. */
struct sf_tool_assumed {
	struct sf_str node;
	struct sf_str branch; /* "then" or "else"; empty when it is no branch */
	int64_t trips;
};

struct sf_tool_record {
	struct sf_str tool; /* "sf-lower" */
	struct sf_str version;
	const struct sf_str *args; /* without the program's name */
	int nargs;
	const struct sf_tool_input *inputs;
	int ninputs;
	const struct sf_tool_assumed *assumed; /* read, not written */
	int nassumed;
};

/*
 * Writes one before the current record; MORE is the text of further members,
 * with commas between, or empty.
 */
void sf_tool_put(struct sf_stream *stream, const struct sf_tool_record *tool,
    struct sf_str more);

/*
 * Reads the current record, which must be a tool, as far as all have the same
 * members; texts and arrays live in KEEP, or as long as the record when that
 * is NULL.
 */
void sf_tool_read(struct sf_stream *stream, struct sf_arena *keep,
    struct sf_tool_record *tool);

#endif
