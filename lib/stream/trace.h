/* The records that open and close a trace. */
#ifndef SF_STREAM_TRACE_H
#define SF_STREAM_TRACE_H

#include <stdint.h>

#include "base/decl.h"
#include "base/str.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

/* One size that the trace was made for: batch, tokens, a bound dimension. */
struct sf_workload_item {
	const char *name;
	int64_t value;
};

struct sf_trace {
	struct sf_str model;
	struct sf_str route; /* "onnx", "dispatch", "export", "compile" */
	const struct sf_workload_item *workload;
	int nworkload;
	int64_t params_count; /* elements of distinct parameters */
	int64_t params_bytes; /* -1 each when the record does not say */
	/* Which graph of a program it is: an object's text; may be empty. */
	struct sf_str graph;
};

/* A source writes the trace record and the program's tool record... */
void sf_trace_begin(struct sf_stream *stream, const struct sf_trace *trace);

/* ...its ops, and the end record. */
void sf_trace_end(struct sf_stream *stream);

/*
 * Reads the current record, which must be a trace. Text and arrays live in
 * ARENA, which may be NULL for what is not to outlive the record. Dies when what is there is not as the format has it; an optional
 * member that is not there is empty, or -1.
 */
void sf_trace_read(
    struct sf_stream *stream, struct sf_arena *arena, struct sf_trace *trace);

/* What an end record states of its trace. */
struct sf_end {
	int64_t ops;
	int64_t points;  /* 0 where it does not say */
	int64_t dropped; /* designs that were run and are not there; the same */
};

/* Reads the current record, which must be an end. */
void sf_end_read(struct sf_stream *stream, struct sf_end *end);

/* The workload in one field: "batch=1;tokens=2048". It lives in ARENA. */
struct sf_str
sf_trace_workload(const struct sf_trace *trace, struct sf_arena *arena);

SF_PUBLIC_END

#endif
