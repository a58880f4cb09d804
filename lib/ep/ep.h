/*
 * A trace between an execution provider and the host: the partition of its
 * nodes, and what the split costs. Each op gets its member `ep`, each trace a
 * partition record before its end.
 *
 * Memory: the operators of one trace, whose records wait for its end.
 */
#ifndef SF_EP_EP_H
#define SF_EP_EP_H

#include "base/opt.h"
#include "stream/stream.h"

/* What the command line says; NULL where it does not. */
struct sf_ep_request {
	const char *claim;      /* "Conv,Gemm"; required */
	const char *categories; /* what the device runs, for the cost */
	bool by_node;           /* or: it runs what is claimed */
	const char *preset;     /* "edge-npu" unless said */
	struct sf_list settings;
	const char *host; /* "host" unless said */
	const char *link; /* "ep" unless said */
	int64_t most;     /* tiles that a trace may have */
	bool strict;      /* a claimed type that no trace has is a "no" */
};

struct sf_ep;

/*
 * STREAM is a filter that must outlive what comes back. Dies with SF_EX_USAGE
 * when the request cannot be meant.
 */
struct sf_ep *
sf_ep_new(struct sf_stream *stream, const struct sf_ep_request *request);

/* Takes the stream's current record, which is of that kind. */
void sf_ep_record(struct sf_ep *ep, enum sf_kind kind);

/* When all is read: the verdict of a strict run, then frees. */
void sf_ep_free(struct sf_ep *ep);

#endif
