/* Writes the trace of a model that was run. */
#ifndef SF_ONNX_EMIT_H
#define SF_ONNX_EMIT_H

#include "base/str.h"
#include "onnx/infer/bind.h"
#include "onnx/run/run.h"
#include "stream/stream.h"
#include "trace/op.h"

/*
 * Puts the whole trace into the stream: the header, notes on what is not
 * resolved, one record for each operator, the end. NAME is that of the model.
 */
void sf_onnx_emit(struct sf_stream *stream, const struct sf_onnx_run *run,
    const struct sf_onnx_bind *bind, const struct sf_choices *choices,
    struct sf_str name);

/*
 * Hands the records of the operators from FROM to TO to TAKE, one after the
 * other; each lives in ARENA until TAKE returns.
 */
typedef void sf_onnx_take_record(
    void *context, struct sf_op *record, struct sf_arena *arena);
void sf_onnx_each_record(const struct sf_onnx_run *run, int64_t from,
    int64_t to, sf_onnx_take_record *take, void *context);

#endif
