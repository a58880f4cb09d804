/* From an ONNX file to its trace in one call. */
#ifndef SF_ONNX_WRITE_ONNX_SOURCE_H
#define SF_ONNX_WRITE_ONNX_SOURCE_H

#include <stdint.h>

#include "base/decl.h"
#include "base/opt.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

/* What the command line says; empty and NULL where it does not. */
struct sf_onnx_request {
	const char *path;        /* "-" is standard input */
	struct sf_list dims;     /* "NAME=N": sizes of symbolic dimensions */
	struct sf_list shapes;   /* "VALUE=1x3x224x224[:TYPE]" */
	struct sf_list values;   /* "INPUT=V,V,V": what it holds */
	struct sf_list branches; /* "then", "NODE=else" */
	struct sf_list trips;    /* "N", "NODE=N" */
	int64_t batch;           /* of all inputs; -1: as the model has it */
	const char *params;      /* a file of the names that are parameters */
	struct sf_list rules;    /* files of rules, as simfront-rules(5) */
};

/*
 * Writes the whole trace of the model to STREAM, a source of which nothing was
 * written, and names the files in its tool record. Dies with SF_EX_USAGE when
 * the request does not fit the model, with SF_EX_INPUT when a file is not what
 * it should be, and with SF_EX_IO when it cannot be read.
 */
void
sf_onnx_write(struct sf_stream *stream, const struct sf_onnx_request *request);

/*
 * Prints what the model takes and gives (onnx/write/inputs.h) instead, frees
 * the stream and returns the status to exit with. Dies as above.
 */
int sf_onnx_write_inputs(
    struct sf_stream *stream, const struct sf_onnx_request *request);

SF_PUBLIC_END

#endif
