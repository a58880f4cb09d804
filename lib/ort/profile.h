/*
 * The profile that an ONNX Runtime session writes (enable_profiling): an array
 * of Chrome trace events, of which those of category Node with a provider say
 * who ran a node and for how long. A node that ran several times is one node.
 *
 * Memory grows with the nodes, not with the events.
 */
#ifndef SF_ORT_PROFILE_H
#define SF_ORT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/table.h"
#include "stream/input.h"

struct sf_profile_node {
	struct sf_str index; /* as the file says; empty where it does not */
	struct sf_str node;
	struct sf_str type; /* "Conv" */
	struct sf_str provider;
	int64_t runs;
	int64_t dur_us; /* of all runs */
};

/* Nodes of one type that one provider ran. */
struct sf_profile_count {
	struct sf_str provider, type;
	int64_t nodes, runs, dur_us;
};

struct sf_profile {
	struct sf_arena *arena;
	struct sf_table names; /* each once */
	struct sf_table nodes; /* struct sf_profile_node, as first met */
	/* By provider, then by type. */
	struct sf_profile_count *counts;
	size_t ncounts;
	int64_t events; /* in the file */
};

/* Reads all of INPUT; what is wrong is in *ERROR, file and line first. */
bool sf_profile_read(
    struct sf_profile *profile, struct sf_input *input, struct sf_error *error);
void sf_profile_release(struct sf_profile *profile);

#endif
