/* A published configuration as the trace that PyTorch would give. */
#ifndef SF_MODEL_MODEL_H
#define SF_MODEL_MODEL_H

#include "config/config.h"
#include "model/call.h"
#include "stream/stream.h"

/*
 * Writes the trace of one call of the model: its header with the tool record,
 * its operators and its end. Dies when the configuration is not one, see
 * sf_arch_read, or when the model's sizes overflow.
 */
void sf_model_write(struct sf_stream *stream, const struct sf_config *config,
    const struct sf_route *route, const struct sf_workload *work);

#endif
