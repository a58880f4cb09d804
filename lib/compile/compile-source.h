/* The logs of torch.compile as traces, one a graph. */
#ifndef SF_COMPILE_COMPILE_SOURCE_H
#define SF_COMPILE_COMPILE_SOURCE_H

#include "base/opt.h"
#include "stream/stream.h"

struct sf_compile_request {
	const char *path;    /* a log, or a directory of logs */
	int stage;           /* enum sf_log_stage; -1: see log-index.h */
	struct sf_list dims; /* "NAME=N": what symbols stand for */
	const char *model;   /* NULL: after the file */
};

/* Writes all traces; dies with the place of what is wrong. */
void sf_compile_write(
    struct sf_stream *stream, const struct sf_compile_request *request);

#endif
