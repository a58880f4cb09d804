/* A search of com.microsoft while it is expanded; see search.c. */
#ifndef SF_ONNX_SEARCH_H
#define SF_ONNX_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx/read/model.h"
#include "onnx/run/control.h"
#include "onnx/run/unroll.h"

/* Inputs by their places; -1: it has none, and goes without beams. */
struct sf_onnx_search_kind {
	const char *op_type;
	int num_beams, start_ids;
};

/* The places that are the same for all. */
enum {
	SF_ONNX_SEARCH_IDS = 0,
	SF_ONNX_SEARCH_LENGTH = 1
};

struct sf_onnx_search {
	struct sf_onnx_held at;
	const struct sf_onnx_search_kind *kind;
	const struct sf_onnx_graph *encoder, *init, *decoder;
	int64_t batch, beams, rows; /* rows of the decoder: batch * beams */
	int64_t encoded;            /* positions of the encoder's input */
	int64_t length, most;       /* tokens to begin with, and at the end */
	int64_t begun;              /* tokens that a cache has */
	int64_t runs;               /* of the decoder */
	bool whole;      /* the cache has room for all from the start */
	const char *why; /* it cannot be expanded */
	struct sf_value *open[4]; /* the inputs that are to blame */
	int nopen;
	struct sf_value *tokens;  /* that the decoder takes next */
	struct sf_value **chosen; /* by run */
	int64_t nchosen;
	/* What the encoder made, a row for each of the decoder's. */
	struct sf_value **encoder_out;
	struct sf_value **last; /* outputs of the last run of a decoder */
	const struct sf_onnx_graph *last_graph;
	bool assumed; /* RUNS is what the user says */
	int64_t told;
	struct sf_arena *arena; /* stays whatever comes of it */
};

/* Input I of the node, or NULL when it has none. */
struct sf_value *sf_onnx_search_input(const struct sf_onnx_search *s, int i);

/* The place of NAME among N inputs or outputs of a graph, or -1. */
int
sf_onnx_search_find(const struct sf_onnx_info *infos, int n, const char *name);

/*
 * Binds input I of a decoder that runs N tokens at once; false when a search
 * gives no such input.
 */
bool sf_onnx_search_bind_decoder(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i, int64_t n);

/* Binds input I of the encoder. */
void sf_onnx_search_bind_encoder(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i);

#endif
