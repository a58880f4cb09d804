/* Parts of models. */
#include "model/block.h"

#include <stdio.h>
#include <string.h>

#include "base/die.h"
#include "model/fuse.h"

/* What is before the names of all that a head is on. */
static const char *
base_of(const struct sf_build *b)
{
	const char *base = b->arch->family->base;

	return base != NULL ? base : "model.";
}

/* NAME with LAYER in it, where the model is in LANGUAGE of another; or NULL. */
static const char *
name_in(
    struct sf_build *b, int64_t layer, const char *name, const char *language)
{
	const char *at, *base = base_of(b), *before = "";
	size_t n = strlen(base);

	if (strncmp(name, base, n) == 0) {
		if (language != NULL)
			before = b->arch->headless ? language + n : language;
		if (language != NULL || b->arch->headless)
			name += n;
	}
	at = layer < 0 ? NULL : strstr(name, "%d");
	if (at != NULL)
		return sf_arena_printf(b->graph.arena, "%s%.*s%lld%s", before,
		    (int)(at - name), name, (long long)layer, at + 2);
	if (*before == '\0')
		return name;
	return sf_arena_printf(b->graph.arena, "%s%s", before, name);
}

const char *
sf_block_name(struct sf_build *b, int64_t layer, const char *name)
{
	return name_in(b, layer, name, b->language);
}

const char *
sf_enter(struct sf_build *b, int64_t layer, const char *name)
{
	const char *before = b->graph.module;

	b->graph.module = sf_block_name(b, layer, name);
	return before;
}

void
sf_leave(struct sf_build *b, const char *before)
{
	b->graph.module = before;
}

struct sf_val *
sf_leave_with(struct sf_build *b, const char *before, struct sf_val *x)
{
	sf_leave(b, before);
	return x;
}

const char *
sf_enter_part(struct sf_build *b, const char *name)
{
	const char *before = b->graph.module;

	b->graph.module = before == NULL
	    ? name
	    : sf_arena_printf(b->graph.arena, "%s.%s", before, name);
	return before;
}

const char *
sf_enter_around(struct sf_build *b, int64_t layer, const char *name)
{
	const char *before = b->graph.module, *end = strrchr(name, '.');

	if (end == NULL)
		b->graph.module = NULL;
	else
		sf_enter(b, layer,
		    sf_arena_printf(
			b->graph.arena, "%.*s", (int)(end - name), name));
	return before;
}

const char *
sf_enter_base(struct sf_build *b)
{
	const char *before = b->graph.module;
	const char *name = sf_block_name(b, -1, base_of(b));

	if (*name != '\0')
		b->graph.module = sf_arena_printf(
		    b->graph.arena, "%.*s", (int)strlen(name) - 1, name);
	return before;
}

struct sf_val *
sf_tensor_part(struct sf_build *b, int64_t layer, const char *name, int rank,
    const int64_t *shape)
{
	return sf_graph_param(&b->graph, sf_block_name(b, layer, name),
	    b->work.dtype, rank, shape);
}

static void
store(struct sf_build *b, const struct sf_quant *q, int64_t layer,
    const char *name, struct sf_val *w, int64_t matrices, int64_t outputs,
    int64_t inputs)
{
	int64_t bytes;

	/* Lists of what is kept may call a text model by either name. */
	if (!sf_quant_applies(q, name_in(b, layer, name, NULL)))
		return;
	if (!sf_quant_bytes(q, matrices, outputs, inputs, &bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the weights of '%s' have more than 2^63-1 bytes",
		    b->graph.source, sf_block_name(b, layer, name));
	sf_graph_store(&b->graph, w, bytes);
}

void
sf_store_weight(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *w, int64_t matrices, int64_t outputs, int64_t inputs)
{
	store(b, &b->arch->quant, layer, name, w, matrices, outputs, inputs);
}

void
sf_store_experts(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *w, int64_t matrices, int64_t outputs, int64_t inputs)
{
	struct sf_quant q = sf_quant_of_experts(&b->arch->quant);

	store(b, &q, layer, name, w, matrices, outputs, inputs);
}

struct sf_val *
sf_weight(struct sf_build *b, int64_t layer, const char *name, int64_t rows,
    int64_t columns)
{
	int64_t shape[] = { rows, columns };

	return sf_tensor_part(b, layer, name, columns != 0 ? 2 : 1, shape);
}

struct sf_val *
sf_part(struct sf_build *b, int64_t layer, const char *name, const char *part,
    int64_t rows, int64_t columns)
{
	name = sf_arena_printf(b->graph.arena, "%s.%s", name, part);
	return sf_weight(b, layer, name, rows, columns);
}

struct sf_val *
sf_linear(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width, bool bias)
{
	const char *around = sf_enter(b, layer, name);
	struct sf_val *w, *c = NULL;

	w = sf_part(b, layer, name, "weight", width, x->shape[x->rank - 1]);
	if (!b->arch->quant.experts_only)
		sf_store_weight(
		    b, layer, name, w, 1, width, x->shape[x->rank - 1]);
	if (bias)
		c = sf_part(b, layer, name, "bias", width, 0);
	x = b->route->lower->linear(b, x, w, c);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_embed(struct sf_build *b, const char *name, struct sf_val *table,
    struct sf_val *ids)
{
	const char *around = sf_enter(b, -1, name);
	struct sf_val *x = b->route->lower->embedding(b, table, ids);

	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_view_heads(struct sf_build *b, struct sf_val *x)
{
	int64_t size = b->arch->head_dim;

	return b->route->lower->view(b, x, 4,
	    (int64_t[]){ x->shape[0], x->shape[1], x->shape[2] / size, size });
}

struct sf_val *
sf_split_heads(struct sf_build *b, struct sf_val *x)
{
	return b->route->lower->transpose(b, sf_view_heads(b, x), 1, 2);
}

struct sf_val *
sf_repeat_heads(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item items[] = { SF_ALL, SF_ALL, SF_NEW, SF_ALL, SF_ALL };
	int64_t *s = x->shape, heads = b->arch->heads;

	if (s[1] == heads)
		return x;
	x = l->getitem(b, x, 5, items);
	x = l->expand(
	    b, x, 5, (int64_t[]){ s[0], s[1], heads / s[1], s[2], s[3] });
	return l->reshape(b, x, 4, (int64_t[]){ s[0], heads, s[2], s[3] });
}

struct sf_val *
sf_attend(struct sf_build *b, int64_t layer, struct sf_val *q, struct sf_val *k,
    struct sf_val *v, struct sf_val *mask)
{
	struct sf_attention a = { .mask = mask };

	if (sf_fuses(b))
		return sf_fuse_attention(b, layer, q, k, v, NULL);
	if (b->arch->kv_heads != b->arch->heads) {
		/* Fused kernels group heads up to this size, unmasked. */
		a.grouped = mask == NULL && b->arch->head_dim <= 256;
		if (!a.grouped) {
			k = sf_repeat_heads(b, k);
			v = sf_repeat_heads(b, v);
		}
	}
	a.q = q;
	a.k = k;
	a.v = v;
	a.causal =
	    mask == NULL && b->work.tokens > 1 && !b->arch->bidirectional;
	a.scale = sf_arch_scale(b->arch, layer);
	return sf_attend_as(b, &a);
}

struct sf_val *
sf_attend_as(struct sf_build *b, const struct sf_attention *attention)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *out;

	if (sf_fuses(b))
		return sf_fuse_attend(b, attention);
	out = l->attention(b, attention);
	out = l->transpose(b, out, 1, 2);
	out = l->contiguous(b, out);
	return l->reshape(b, out, 3,
	    (int64_t[]){ b->work.batch, b->work.tokens, b->arch->q_size });
}

/* NewGELUActivation, in the order in which Python evaluates it. */
static struct sf_val *
gelu_new(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *half = l->number(b, SF_CALL_MUL, x, 0.5), *t;

	t = l->number(b, SF_CALL_POW, x, 3);
	t = l->number(b, SF_CALL_MUL, t, 0.044715);
	t = l->binary(b, SF_CALL_ADD, x, t);
	t = l->number(b, SF_CALL_MUL, t, 0.7978845608028654);
	t = l->unary(b, SF_CALL_TANH, t);
	t = l->number(b, SF_CALL_ADD, t, 1);
	return l->binary(b, SF_CALL_MUL, half, t);
}

/* QuickGELUActivation. */
static struct sf_val *
quick_gelu(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *s = l->number(b, SF_CALL_MUL, x, 1.702);

	s = l->unary(b, SF_CALL_SIGMOID, s);
	return l->binary(b, SF_CALL_MUL, x, s);
}

struct sf_val *
sf_activate_as(
    struct sf_build *b, enum sf_activation activation, struct sf_val *x)
{
	static const enum sf_call calls[] = {
		[SF_ACT_SILU] = SF_CALL_SILU,
		[SF_ACT_GELU] = SF_CALL_GELU,
		[SF_ACT_GELU_TANH] = SF_CALL_GELU_TANH,
		[SF_ACT_RELU] = SF_CALL_RELU,
		[SF_ACT_TANH] = SF_CALL_TANH,
	};

	if (activation == SF_ACT_RELU_SQUARED)
		return b->route->lower->number(b, SF_CALL_POW,
		    b->route->lower->unary(b, SF_CALL_RELU, x), 2);
	if (activation == SF_ACT_GELU_NEW)
		return gelu_new(b, x);
	if (activation == SF_ACT_QUICK_GELU)
		return quick_gelu(b, x);
	return b->route->lower->unary(b, calls[activation], x);
}

struct sf_val *
sf_activate_part(struct sf_build *b, const char *name,
    enum sf_activation activation, struct sf_val *x)
{
	const char *around = sf_enter_part(b, name);

	x = sf_activate_as(b, activation, x);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_activate(struct sf_build *b, struct sf_val *x)
{
	const char *name = b->arch->family->act_part;

	if (name != NULL && *name == '\0')
		return sf_activate_as(b, b->arch->activation, x);
	return sf_activate_part(
	    b, name != NULL ? name : "act_fn", b->arch->activation, x);
}

struct sf_val *
sf_gate_clamped(struct sf_build *b, struct sf_val *gate, struct sf_val *up)
{
	const struct sf_decomposition *l = b->route->lower;
	double sharpness = 1.702;
	struct sf_val *x;

	x = l->number(b, SF_CALL_MUL, gate, sharpness);
	x = l->unary(b, SF_CALL_SIGMOID, x);
	x = l->binary(b, SF_CALL_MUL, gate, x);
	up = l->number(b, SF_CALL_ADD, up, 1);
	return l->binary(b, SF_CALL_MUL, up, x);
}

struct sf_val *
sf_gate(struct sf_build *b, struct sf_val *gate, struct sf_val *up)
{
	const struct sf_decomposition *l = b->route->lower;

	if (b->arch->family->late_limits) {
		gate = l->clamp(b, sf_activate(b, gate));
		return l->binary(b, SF_CALL_MUL, gate, l->clamp(b, up));
	}
	if (b->arch->family->clamped_gate) {
		gate = l->clamp(b, gate);
		return sf_gate_clamped(b, gate, l->clamp(b, up));
	}
	if (b->arch->family->limited_gate) {
		gate = l->clamp(b, gate);
		up = l->clamp(b, up);
	}
	return l->binary(b, SF_CALL_MUL, sf_activate(b, gate), up);
}

struct sf_val *
sf_head_weight(struct sf_build *b, int64_t width)
{
	const struct sf_arch *a = b->arch;
	struct sf_val *w = sf_part(b, -1, "lm_head", "weight", a->vocab, width);

	if (a->quant.head)
		sf_store_weight(b, -1, "lm_head", w, 1, a->vocab, width);
	return w;
}

struct sf_val *
sf_lm_head(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	struct sf_item items[] = { SF_ALL, SF_FROM(0), SF_ALL };
	struct sf_val *bias = NULL;
	const char *around;

	if (b->work.last_logits)
		items[1] = (struct sf_item)SF_LAST(1);
	x = b->route->lower->getitem(b, x, 3, items);
	if (b->arch->head_bias)
		bias = sf_part(b, -1, "lm_head", "bias", b->arch->vocab, 0);
	around = sf_enter(b, -1, "lm_head");
	x = b->route->lower->linear(b, x, weight, bias);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_logits(struct sf_build *b, struct sf_val *x, struct sf_val *table)
{
	if (b->arch->headless)
		return x;
	if (!b->arch->tied)
		table = sf_head_weight(b, table->shape[1]);
	return sf_lm_head(b, x, table);
}

void
sf_check_positions(const struct sf_build *b)
{
	int64_t needed = b->work.context + b->work.tokens;

	if (needed > b->arch->positions)
		sf_die(SF_EX_USAGE,
		    "the model has %lld positions, and the workload needs "
		    "%lld",
		    (long long)b->arch->positions, (long long)needed);
}
