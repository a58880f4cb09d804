/*
 * Layers that keep a state of what was before them in place of the tokens: a
 * convolution over the last few, and a matrix for each head that decays.
 */
#ifndef SF_MODEL_SSM_H
#define SF_MODEL_SSM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/call.h"
#include "model/family.h"
#include "model/graph.h"

/* What a layer of a hybrid is. */
enum sf_layer_kind {
	SF_LAYER_ATTENTION,
	SF_LAYER_STATES,
	SF_LAYER_MLP,
	SF_LAYER_EXPERTS,
};

struct sf_ssm {
	int64_t inner;           /* of all heads */
	int64_t heads, head_dim; /* of Mamba 2 */
	int64_t state;           /* of a channel */
	int64_t groups;          /* of heads that share B and C */
	int64_t kernel;          /* of the convolution */
	int64_t chunk;           /* tokens that are scanned as one */
	int64_t rank;            /* of Mamba 1's time step */
	bool bias, conv_bias;
	enum sf_activation activation; /* behind the convolution */
	bool plain;                    /* nothing is */
	bool group_norms;              /* behind the scan, of each group */
	bool float_residual;           /* the residual stream is in FP32 */
	enum sf_layer_kind *kinds;     /* of each layer; NULL: states all */
	int64_t latent;                /* that experts work in; 0: hidden */
	int64_t shared;                /* the width of the shared expert */
};

/*
 * The convolution NAME of a layer over X, [batch, channels, tokens], activated;
 * the tokens before come from a cache where there is one.
 */
struct sf_val *sf_ssm_convolve(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* Keeps the state behind the last token, where there is a cache. */
void sf_ssm_keep(struct sf_build *b, struct sf_val *state);

/* The state that a cache holds, of SHAPE, in FP32. */
struct sf_val *sf_ssm_held(struct sf_build *b, int rank, const int64_t *shape);

/* -exp(A_log) of a layer, of SHAPE. */
struct sf_val *sf_ssm_decay(struct sf_build *b, int64_t layer, const char *name,
    int rank, const int64_t *shape);

/* The mixers NAME of a layer. */
struct sf_val *sf_mamba_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);
struct sf_val *sf_mamba2_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* The norm NAME of a layer, in the model's type, of X that may be in FP32. */
struct sf_val *sf_ssm_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* As sf_logits, of a head whose input is in its own type: in FP32. */
struct sf_val *
sf_ssm_logits(struct sf_build *b, struct sf_val *x, struct sf_val *table);

#endif
