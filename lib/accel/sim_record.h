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

/*
 * The part of the makespan that is the operator's: its tiles' computing, and
 * the gaps before their computes by what they waited for. What is behind the
 * last compute of the run is no operator's.
 */
struct sf_stalls {
	bool told; /* older traces do not tell */
	double compute_s, load_s, buffer_s, dependency_s;
};

struct sf_sim {
	double start_s; /* the first tile's space in the buffer */
	double end_s;   /* the last store */
	enum sf_sim_bound bound;
	int64_t tiled_bytes; /* what all its tiles load and store */
	struct sf_stalls stalls;
};

/* Writes the value of the member. */
void sf_sim_write(struct sf_jsonw *w, const struct sf_sim *sim);

/* Reads the member of OP, which has one; dies when it is not as it must be. */
void sf_sim_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_sim *sim);

#endif
