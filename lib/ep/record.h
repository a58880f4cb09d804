/*
 * What sf-ep found, in the stream: the `ep` member of each op, and the
 * partition record of the trace.
 */
#ifndef SF_EP_RECORD_H
#define SF_EP_RECORD_H

#include "accel/engine.h"
#include "base/arena.h"
#include "stream/stream.h"
#include "trace/op.h"

/* Where an operator is costed. */
enum sf_ep_side {
	SF_EP_NOBODY, /* it costs nothing, or nobody knows what */
	SF_EP_DEVICE,
	SF_EP_HOST,
	SF_EP_NSIDES
};

/* "none", "device", "host", NULL. */
extern const char *const sf_ep_sides[];

/* One operator. */
struct sf_ep_op {
	enum sf_ep_side side;
	int64_t subgraph; /* that it belongs to; -1 when nobody claims it */
	/* Of what it reads: tensors that move to its side, and their bytes. */
	int64_t crossings, crossing_bytes;
};

struct sf_texts {
	struct sf_str *v;
	int n;
};

/* The trace. */
struct sf_ep_result {
	/* The claimed types that it has, and those that it has not. */
	struct sf_texts claim, not_in_trace;
	bool by_node;        /* the device runs what is claimed, or */
	uint32_t categories; /* these, one bit each */
	struct sf_str preset;
	struct sf_texts settings; /* "KEY=VALUE" each, on top of the preset */
	enum sf_engine_id engine; /* that ran the device's program */
	struct {
		struct sf_str name;
		double flops_per_s, bytes_per_s;
	} host;
	struct {
		struct sf_str name;
		double bytes_per_s, latency_s;
	} link;
	int64_t claimed; /* nodes */
	int64_t subgraphs;
	int64_t cut_edges; /* between a claimed node and another */
	int64_t crossings, crossing_bytes;
	int64_t tiles; /* of the device's program */
	double device_s, host_s, link_s;
};

/* Appends the member `ep`. */
void sf_ep_op_write(struct sf_jsonw *w, const struct sf_ep_op *ep);

/* Reads that of OP, which has one; dies when it is not as it should be. */
void sf_ep_op_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_ep_op *ep);

/* Writes the partition record before the current one. */
void
sf_ep_result_put(struct sf_stream *stream, const struct sf_ep_result *result);

/*
 * Reads the current record, which must be a partition; text and arrays live in
 * ARENA. Dies when it is not as it should be.
 */
void sf_ep_result_read(struct sf_stream *stream, struct sf_arena *arena,
    struct sf_ep_result *result);

/* Seconds on the device, the host and the link, one after the other. */
double sf_ep_total_s(const struct sf_ep_result *result);

#endif
