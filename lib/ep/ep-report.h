/* The result of a trace, for people and for programs. */
#ifndef SF_EP_EP_REPORT_H
#define SF_EP_EP_REPORT_H

#include "ep/ep.h"
#include "ep/partition.h"
#include "ep/split.h"
#include "report/figures.h"
#include "stream/trace.h"

struct sf_ep_result {
	const struct sf_ep_request *request;
	const struct sf_claim *claim;
	const struct sf_accel *accel;
	const struct sf_device *host, *link;
	int64_t number; /* of the trace in the input, from 1 */
	struct sf_trace trace;
	const struct sf_partition *partition;
	uint32_t categories; /* that the device runs; not when by node */
	const struct sf_split *split;
};

/* The side that NODE is costed on. */
enum sf_side
sf_ep_side(const struct sf_ep_result *result, const struct sf_ep_node *node);

/* All nodes of one type, and where they are. */
struct sf_ep_type {
	struct sf_str name;
	int64_t nodes, claimed;
	/* Where they are costed; the unknown and those that cost nothing. */
	int64_t device, host, unknown, free;
};

/* An array of them in the order in which they come, in the arena. */
const struct sf_ep_type *sf_ep_types(
    const struct sf_ep_result *result, struct sf_arena *arena, size_t *n);

/*
 * The indices of all nodes, those of one subgraph together and in trace order,
 * subgraphs in their order, those of the host at the end.
 */
const size_t *
sf_ep_by_subgraph(const struct sf_partition *partition, struct sf_arena *arena);

/* ---- writing ---- */

struct sf_ep_writer;

/* OUT must outlive the writer. */
struct sf_ep_writer *
sf_ep_writer_new(struct sf_buf *out, enum sf_report_format format);
void sf_ep_writer_free(struct sf_ep_writer *writer);
void
sf_ep_write(struct sf_ep_writer *writer, const struct sf_ep_result *result);

/* Of these the writer makes use. */
void sf_ep_markdown(const struct sf_ep_result *result, struct sf_arena *arena,
    struct sf_buf *out);
void sf_ep_figures(const struct sf_ep_result *result, struct sf_arena *arena,
    struct sf_figures *figures);

#endif
