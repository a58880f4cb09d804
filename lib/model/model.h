/* A published configuration as the trace that PyTorch would give. */
#ifndef SF_MODEL_MODEL_H
#define SF_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "config/config.h"
#include "stream/stream.h"
#include "trace/dtype.h"

SF_PUBLIC_BEGIN

/* How PyTorch sees the model: which of its records the trace is to equal. */
struct sf_route;
struct sf_element;

extern const struct sf_route sf_route_dispatch_meta, sf_route_dispatch_cpu,
    sf_route_export, sf_route_compile, sf_route_onnx, sf_route_gpu;

/*
 * Which tokens go to which experts, where no values say it: each token to any
 * of them with equal chance; to as many different ones as there can be; or as
 * it was counted.
 */
enum sf_routing {
	SF_ROUTING_BALANCED,
	SF_ROUTING_WORST,
	SF_ROUTING_FILE,
};

/* What outlives the call: what it returns, the caches of a decoder, or both. */
enum sf_model_kept {
	SF_KEPT_OUTPUT,
	SF_KEPT_CACHE,
	SF_KEPT_BOTH,
};

/* What one call of the model is given. */
struct sf_workload {
	int64_t batch;
	int64_t tokens;  /* that the model is given: of a prefill, or 1 */
	int64_t context; /* tokens in the cache before them; 0 in a prefill */
	enum sf_dtype dtype;
	bool last_logits; /* of the last token of a sequence alone */
	bool given; /* whether tokens were asked for, not taken as usual */
	/* Of each of BATCH images that a tower is to see; 0: of none. */
	int64_t image_height, image_width;
	int64_t seconds; /* of audio that an encoder is to hear; 0: of none */
	/* Tokens that an encoder reads for a decoder; 0: as it has itself. */
	int64_t source;
	enum sf_model_kept kept;
	/* Which experts tokens go to, and of SF_ROUTING_FILE what counted it. */
	enum sf_routing routing;
	const struct sf_config *routing_file;
	/*
	 * How weights of linear layers and experts are stored: bf16, f16, f8,
	 * i8, i4 or f4. NULL: as the configuration says.
	 */
	const char *weights;
	/*
	 * Of the route gpu: what products read, and what the cache holds, see
	 * element.h; NULL: of the model's type.
	 */
	const struct sf_element *activations, *kv;
};

/*
 * Writes the trace of one call of the model: its header with the tool record,
 * its operators and its end. Dies when the configuration is not one, see
 * sf_arch_read, or when the model's sizes overflow.
 */
void sf_model_write(struct sf_stream *stream, const struct sf_config *config,
    const struct sf_route *route, const struct sf_workload *work);

SF_PUBLIC_END

#endif
