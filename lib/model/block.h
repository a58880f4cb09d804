/* Parts that the programs of several models are made of. */
#ifndef SF_MODEL_BLOCK_H
#define SF_MODEL_BLOCK_H

#include "model/arch.h"
#include "model/call.h"
#include "model/mask.h"

/*
 * NAME with LAYER in the place of "%d" when it is >= 0, without what only a
 * model with a head has before it when this one has none.
 */
const char *sf_block_name(struct sf_build *b, int64_t layer, const char *name);

/*
 * What is added from here on is of the module NAME, with LAYER as above, until
 * that is left for what was before it and comes back.
 */
const char *sf_enter(struct sf_build *b, int64_t layer, const char *name);
void sf_leave(struct sf_build *b, const char *before);

/* Leaves, and gives X, which was made before. */
struct sf_val *
sf_leave_with(struct sf_build *b, const char *before, struct sf_val *x);

/* The same of a part of the module that it is in: NAME is that part's alone. */
const char *sf_enter_part(struct sf_build *b, const char *name);

/* The same of the module that the module NAME is a part of. */
const char *
sf_enter_around(struct sf_build *b, int64_t layer, const char *name);

/* The same of the model that a head is on; without a head that has no name. */
const char *sf_enter_base(struct sf_build *b);

/*
 * A parameter by name, "model.layers.%d.mlp.up_proj.weight" with LAYER in the
 * place of "%d" when it is >= 0. Sizes of a vector: COLUMNS 0.
 */
struct sf_val *sf_weight(struct sf_build *b, int64_t layer, const char *name,
    int64_t rows, int64_t columns);

/* The parameter NAME.PART, of a module's name; the rest as above. */
struct sf_val *sf_part(struct sf_build *b, int64_t layer, const char *name,
    const char *part, int64_t rows, int64_t columns);

/* The parameter NAME of any rank. */
struct sf_val *sf_tensor_part(struct sf_build *b, int64_t layer,
    const char *name, int rank, const int64_t *shape);

/*
 * Says what is stored of W, MATRICES of OUTPUTS by INPUTS weights, the parameter
 * of the module NAME, where the weights are quantised.
 */
void sf_store_weight(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *w, int64_t matrices, int64_t outputs, int64_t inputs);

/* The same of experts, one matrix of each. */
void sf_store_experts(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *w, int64_t matrices, int64_t outputs, int64_t inputs);

/* X through the linear layer NAME of WIDTH outputs, with or without a bias. */
struct sf_val *sf_linear(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, int64_t width, bool bias);

/* Rows of TABLE for IDS, by the embedding NAME. */
struct sf_val *sf_embed(struct sf_build *b, const char *name,
    struct sf_val *table, struct sf_val *ids);

/*
 * [batch, tokens, heads * size] to [batch, tokens, heads, size], and that to
 * [batch, heads, tokens, size].
 */
struct sf_val *sf_view_heads(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_split_heads(struct sf_build *b, struct sf_val *x);

/* repeat_kv: each head of keys or values as often as queries share it. */
struct sf_val *sf_repeat_heads(struct sf_build *b, struct sf_val *x);

/*
 * sdpa_attention_forward, and what the models do with its output: from
 * [batch, heads, tokens, size] to [batch, tokens, heads * size]. LAYER is its
 * number.
 */
struct sf_val *sf_attend(struct sf_build *b, int64_t layer, struct sf_val *q,
    struct sf_val *k, struct sf_val *v, struct sf_val *mask);

/* The same of attention that is said, of as many queries as there are. */
struct sf_val *
sf_attend_as(struct sf_build *b, const struct sf_attention *attention);

/*
 * X through the model's activation, which is a part of the module that it is
 * in; through another by the part's name; and through one that is no module.
 */
struct sf_val *sf_activate(struct sf_build *b, struct sf_val *x);
struct sf_val *sf_activate_part(struct sf_build *b, const char *name,
    enum sf_activation activation, struct sf_val *x);
struct sf_val *sf_activate_as(
    struct sf_build *b, enum sf_activation activation, struct sf_val *x);

/* What GATE lets through of UP. */
struct sf_val *
sf_gate(struct sf_build *b, struct sf_val *gate, struct sf_val *up);

/* The same, of a gate that has limits, behind them. */
struct sf_val *
sf_gate_clamped(struct sf_build *b, struct sf_val *gate, struct sf_val *up);

/* The weight of a head that is not the embedding's table, of WIDTH inputs. */
struct sf_val *sf_head_weight(struct sf_build *b, int64_t width);

/* The logits of every token, or of the last. */
struct sf_val *
sf_lm_head(struct sf_build *b, struct sf_val *x, struct sf_val *weight);

/*
 * What a decoder gives: X as it is where it has no head, otherwise its logits,
 * by TABLE, that of the embedding, or by a weight of their own.
 */
struct sf_val *
sf_logits(struct sf_build *b, struct sf_val *x, struct sf_val *table);

/* Dies when the workload has more positions than a table of them. */
void sf_check_positions(const struct sf_build *b);

#endif
