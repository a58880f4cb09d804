/*
 * The trace of a model while it is made: tensors and the operators between
 * them, in the order in which they run. It is kept whole until the end where a
 * route drops what nothing needs; others may write it round by round, see
 * rounds.h.
 */
#ifndef SF_MODEL_GRAPH_H
#define SF_MODEL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "trace/dtype.h"
#include "trace/op.h"

enum {
	SF_VAL_RANK = 6 /* no tensor of these models has more dimensions */
};

/*
 * A tensor. Strides are in elements, as PyTorch keeps them: whether a reshape
 * is a view or a copy depends on them.
 */
struct sf_val {
	const char *name; /* of a parameter, a buffer or an input; else NULL */
	int64_t shape[SF_VAL_RANK];
	int64_t stride[SF_VAL_RANK];
	int rank;
	enum sf_dtype dtype;
	bool param;     /* a parameter or a view of one */
	bool fixed;     /* known before the run: a constant, a folded weight */
	bool wanted;    /* something that stays reads it */
	bool kept;      /* it outlives the run */
	bool cache;     /* one call hands it to the next */
	int64_t stored; /* bytes of a parameter; 0: as its type says */
	/* Of what is kept in few bits: its scales; the same in few bits. */
	struct sf_val *scales, *narrow;
	int64_t number; /* in the order of appearance, from 1; 0: not yet met */
	struct sf_graph_node *floating; /* see sf_graph_float */
};

struct sf_graph_node {
	struct sf_graph_node *next, *prev;
	const char *op;         /* "aten.mm" */
	struct sf_val **inputs; /* NULL among them: left out */
	struct sf_val **outputs;
	int ninputs, noutputs;
	const char *attrs;  /* the text of an object; NULL: none */
	const char *module; /* of the model that it is of; NULL: its own */
	bool effect;        /* stays although nothing reads what it gives */
	bool folded;        /* computed before the run */
	int partial;    /* the input, a parameter, of which not all is read */
	int64_t unread; /* bytes of that which are not; 0: all is read */
};

struct sf_writer;

struct sf_graph {
	struct sf_arena *arena;
	const char *source; /* what messages are about: the configuration */
	const char *module; /* of what is added; NULL: the model's own */
	struct sf_graph_node *first, *last;
	int64_t param_elements, param_bytes;
	/* Of fake tensors, whose views keep the strides of dimensions in front. */
	bool fake;
	struct sf_writer *writer; /* NULL: operators stay until the end */
};

/*
 * A new tensor with the strides of a dense one. Dies when its bytes pass
 * 2^63 - 1, with the message for a model that is too large.
 */
struct sf_val *sf_val_new(struct sf_graph *graph, enum sf_dtype dtype, int rank,
    const int64_t *shape);

/* A tensor like another: shape, strides, type and whether it is a parameter. */
struct sf_val *sf_val_like(struct sf_graph *graph, const struct sf_val *val);

/* A parameter, counted in the graph's totals. NAME is kept. */
struct sf_val *sf_graph_param(struct sf_graph *graph, const char *name,
    enum sf_dtype dtype, int rank, const int64_t *shape);

int64_t sf_val_numel(const struct sf_val *val);

/* The bytes that are stored of a parameter. */
int64_t sf_val_stored(const struct sf_val *val);

/* Says so, before anything was made of it; the graph's totals follow. */
void sf_graph_store(struct sf_graph *graph, struct sf_val *val, int64_t bytes);

/* Adds an operator. The arrays are copied. */
struct sf_graph_node *sf_graph_add(struct sf_graph *graph, const char *op,
    struct sf_val *const *inputs, int ninputs, struct sf_val *const *outputs,
    int noutputs);

/* Adds one before the operator NEXT. */
struct sf_graph_node *sf_graph_insert(struct sf_graph *graph,
    struct sf_graph_node *next, const char *op, struct sf_val *const *inputs,
    int ninputs, struct sf_val *const *outputs, int noutputs);

/* Takes an operator out; all behind LAST, which stays, or all when it is NULL. */
void sf_graph_drop(struct sf_graph *graph, struct sf_graph_node *node);
void sf_graph_cut(struct sf_graph *graph, struct sf_graph_node *last);

/*
 * An operator without inputs whose place is right before the first that stays
 * and reads OUTPUT.
 */
void sf_graph_float(
    struct sf_graph *graph, const char *op, struct sf_val *output, bool folded);

/* Keeps VAL alive until what floats has its place, and leaves no operator. */
void sf_graph_hold(struct sf_graph *graph, struct sf_val *val);

/*
 * Drops operators without effect whose outputs are neither RESULT nor needed
 * by any that stays, places what floats, and drops what was only held.
 */
void sf_graph_prune(struct sf_graph *graph, struct sf_val *result);

/* ---- graph-write.c ---- */

/* Numbers tensors and writes operators; to no stream: only forgets them. */
struct sf_writer *sf_writer_new(struct sf_stream *stream);
void sf_writer_free(struct sf_writer *writer);

/* Writes every operator that is there, in order, and forgets it. */
void sf_graph_write(struct sf_graph *graph, struct sf_writer *writer);

#endif
