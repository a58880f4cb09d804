/* Writes the trace of a model that was run. */
#ifndef SF_ONNX_EMIT_H
#define SF_ONNX_EMIT_H

#include "base/str.h"
#include "onnx/infer/bind.h"
#include "onnx/run/run.h"
#include "stream/stream.h"

/*
 * Puts the whole trace into the stream: the header, notes on what is not
 * resolved, one record for each operator, the end. NAME is that of the model.
 */
void sf_onnx_emit(struct sf_stream *stream, const struct sf_onnx_run *run,
    const struct sf_onnx_bind *bind, struct sf_str name);

#endif
