/* Element types, from one table, and what a size can be. */
#ifndef SF_TRACE_DTYPE_H
#define SF_TRACE_DTYPE_H

#include <stdint.h>

#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

enum sf_dtype {
#define SF_DTYPE(id, name, bits, parts) SF_DT_##id,
#include "trace/dtype.def"
#undef SF_DTYPE
	SF_DT_UNKNOWN, /* not said; such a tensor makes its operator unknown */
	SF_DT_COUNT = SF_DT_UNKNOWN
};

/* A dimension whose size is not known; sizes are >= 0. */
#define SF_DIM_UNKNOWN INT64_C(-1)

/* The name in the stream; NULL for SF_DT_UNKNOWN. */
const char *sf_dtype_name(enum sf_dtype dtype);

/* Bits an element; 0 for strings and for SF_DT_UNKNOWN. */
int sf_dtype_bits(enum sf_dtype dtype);

/* Real numbers an element: two for complex types, else one. */
int sf_dtype_parts(enum sf_dtype dtype);

/* The type of that name, SF_DT_UNKNOWN when there is none. */
enum sf_dtype sf_dtype_parse(struct sf_str name);

/* All names, with commas between: what an error expected. */
const char *sf_dtype_list(void);

SF_PUBLIC_END

#endif
