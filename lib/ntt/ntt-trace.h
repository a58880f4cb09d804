/*
 * The trace of RNS polynomial products, as homomorphic encryption does them:
 * per prime ("limb") the transforms of both operands, the product of the two
 * value by value, and the transform back.
 */
#ifndef SF_NTT_NTT_TRACE_H
#define SF_NTT_NTT_TRACE_H

#include <stdint.h>

#include "stream/stream.h"

struct sf_ntt_workload {
	int64_t log_n;
	int64_t limbs;
	int64_t products;
};

/*
 * Writes a whole trace: 4 x limbs x products operators fhe.ntt, fhe.mulmod and
 * fhe.intt over rows of N words of eight bytes; a transform's attribute
 * "butterflies" is (N/2) log2 N.
 */
void sf_ntt_trace(struct sf_stream *stream, const struct sf_ntt_workload *w);

#endif
