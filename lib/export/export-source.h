/* From a .pt2 file to its traces in one call. */
#ifndef SF_EXPORT_EXPORT_SOURCE_H
#define SF_EXPORT_EXPORT_SOURCE_H

#include "base/decl.h"
#include "base/opt.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

/* What the command line says; empty where it does not. */
struct sf_export_request {
	const char *path;        /* "-" is standard input */
	struct sf_list dims;     /* "NAME=N": sizes of symbols */
	struct sf_list branches; /* "[NODE=]then" or "[NODE=]else" */
	struct sf_list trips;    /* "[NODE=]N" */
};

/*
 * Writes the trace of each program of the file to STREAM, a source of which
 * nothing was written. Dies with SF_EX_USAGE when the request does not fit the
 * program, with SF_EX_INPUT when the file is not what it should be, and with
 * SF_EX_IO when it cannot be read.
 */
void sf_export_write(
    struct sf_stream *stream, const struct sf_export_request *request);

SF_PUBLIC_END

#endif
