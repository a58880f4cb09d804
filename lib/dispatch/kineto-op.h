/* The operators of a profiler's trace. */
#ifndef SF_DISPATCH_KINETO_OP_H
#define SF_DISPATCH_KINETO_OP_H

#include "dispatch/call.h"
#include "dispatch/kineto.h"
#include "dispatch/tree.h"

/* One call, while it or what it ran in is open. */
struct sf_profiled_call {
	struct sf_call_node call; /* the first member */
	int64_t start_ns, end_ns;
	int64_t lineno;
	struct sf_str args;   /* kept; empty for what is no call */
	struct sf_str module; /* that ran when it began; empty: none did */
};

struct sf_kineto_out {
	struct sf_kineto *kineto;
	const char *path;
	struct sf_stream *stream;
	struct sf_made_op call;
	bool device; /* kernels were seen: they are what is measured */
};

void sf_kineto_out_init(struct sf_kineto_out *out, struct sf_kineto *kineto,
    const char *path, struct sf_stream *stream);
void sf_kineto_out_release(struct sf_kineto_out *out);

/* Writes the operators of a tree that is closed. Dies at bad arguments. */
void
sf_kineto_put_tree(struct sf_kineto_out *out, struct sf_profiled_call *root);

#endif
