/* The `sim` member of an op: when it ran. */
#ifndef SF_ACCEL_SIM_RECORD_H
#define SF_ACCEL_SIM_RECORD_H

#include "trace/op.h"

/* What an operator's tiles waited for most. */
enum sf_sim_bound {
	SF_SIM_COMPUTE,
	SF_SIM_MEMORY
};

/* "compute", "memory", NULL. */
extern const char *const sf_sim_bounds[];

struct sf_sim {
	double start_s; /* the first tile's space in the buffer */
	double end_s;   /* the last store */
	enum sf_sim_bound bound;
	int64_t tiled_bytes; /* what all its tiles load and store */
};

/* Writes the value of the member. */
void sf_sim_write(struct sf_jsonw *w, const struct sf_sim *sim);

/* Reads the member of OP, which has one; dies when it is not as it must be. */
void sf_sim_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_sim *sim);

#endif
