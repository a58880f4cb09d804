/* The operator types that an execution provider claims. */
#ifndef SF_EP_CLAIM_H
#define SF_EP_CLAIM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/table.h"
#include "ep/record.h"

/* How many nodes of a type there were. */
struct sf_claimed {
	int64_t in_trace, in_all;
};

struct sf_claim {
	/* By name, without the "onnx." in front: struct sf_claimed. */
	struct sf_table types;
};

/*
 * TEXT is "Conv,Gemm"; "onnx.Conv" is the same as "Conv". Fails on an empty
 * name. The arena must outlive the claim.
 */
bool sf_claim_parse(struct sf_claim *claim, const char *text,
    struct sf_arena *arena, struct sf_error *error);
void sf_claim_release(struct sf_claim *claim);

/* Begins a trace: in_trace of every type is 0. */
void sf_claim_begin(struct sf_claim *claim);

/*
 * The types that the trace has, or has not, as they are claimed and in that
 * order; an array in ARENA.
 */
void sf_claim_texts(const struct sf_claim *claim, bool in_trace,
    struct sf_arena *arena, struct sf_texts *texts);

/* True when nodes of that name are claimed; counts the node. */
bool sf_claim_take(struct sf_claim *claim, struct sf_str name);

#endif
