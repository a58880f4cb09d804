/* A tensor as it stands in an op record. */
#ifndef SF_TRACE_TENSOR_H
#define SF_TRACE_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/str.h"
#include "stream/member.h"
#include "trace/dtype.h"

SF_PUBLIC_BEGIN

/* No tensor has more dimensions. */
enum {
	SF_MAX_RANK = 64
};

struct sf_tensor {
	struct sf_str tid; /* empty when ABSENT */
	enum sf_dtype dtype;
	bool absent;     /* an optional input that was left out: null */
	bool param;      /* a parameter or a view of one */
	bool kept;       /* it outlives the run: an output, a cache */
	bool cache;      /* one call of the model hands it to the next */
	bool resolved;   /* rank, every size and the type are known */
	bool rank_known; /* false where the stream says "shape":null */
	int rank;
	const int64_t *shape; /* RANK sizes, or SF_DIM_UNKNOWN */
	/*
	 * NULL, or a name for each unknown size (empty where it has none).
	 */
	const struct sf_str *dim_names;
	/* Of a resolved tensor: elements, and whole bytes, rounded up. */
	int64_t numel;
	int64_t bytes;
	/* Bytes that are stored of a parameter; BYTES unless it is said. */
	int64_t stored;
	/* Bytes of those that the operator, of an input, does not read. */
	int64_t unread;
};

/*
 * Sets resolved, numel, bytes and stored from shape and type. False when the
 * number of elements or bytes passes 2^63 - 1.
 */
bool sf_tensor_measure(struct sf_tensor *tensor);

/*
 * Reads the array of tensors that is MEMBER's value into the record's arena and
 * returns their number.
 */
int sf_tensors_read(struct sf_reading *reading, const struct sf_member *member,
    struct sf_tensor **tensors);

/* Writes an array of tensors. */
void
sf_tensors_write(struct sf_jsonw *w, const struct sf_tensor *tensors, int n);

SF_PUBLIC_END

#endif
