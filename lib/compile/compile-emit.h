/* A graph of a log as a trace. */
#ifndef SF_COMPILE_COMPILE_EMIT_H
#define SF_COMPILE_COMPILE_EMIT_H

#include "compile/fx-program.h"
#include "compile/log-index.h"
#include "stream/stream.h"

struct sf_compile_graph {
	struct sf_str model; /* of the whole log */
	const struct sf_log_entry *entry;
	int64_t rank; /* -1: not said */
	const struct sf_fx_graph *graph;
	const struct sf_fx_program *program;
	const bool *params; /* of its inputs */
	bool params_said;   /* the log tells which they are */
};

/* What of all traces was left open. */
struct sf_compile_open {
	int64_t ops, open; /* operators, and those that are not resolved */
	char first[256];   /* why the first is not */
};

/* Writes the trace and adds to OPEN. */
void sf_compile_emit(struct sf_stream *stream,
    const struct sf_compile_graph *graph, struct sf_compile_open *open);

#endif
