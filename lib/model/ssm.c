/* What layers with states have in common. */
#include "model/ssm.h"

#include "model/block.h"
#include "model/fuse-state.h"
#include "model/lower-aten-scan.h"
#include "model/lower-aten.h"
#include "model/norm.h"

/* The cache of a new layer: the last tokens, padded when they are too few. */
static struct sf_val *
fill_convolution(struct sf_build *b, struct sf_val *x)
{
	int64_t kernel = b->arch->ssm->kernel;
	int64_t shape[] = { x->shape[0], x->shape[1], kernel };
	struct sf_val *kept = sf_aten_zeros(b, x->dtype, 3, shape);
	struct sf_item last = SF_LAST(kernel);

	if (x->shape[2] < kernel)
		x = sf_aten_pad(b, x, 2, kernel - x->shape[2], 0);
	sf_cache_keep(b, sf_aten_copy(b, kept, sf_aten_item(b, x, 2, &last)));
	return x;
}

/* What is behind the convolution. */
static struct sf_val *
activated(struct sf_build *b, struct sf_val *x)
{
	if (!b->arch->ssm->plain)
		x = sf_activate_as(b, b->arch->ssm->activation, x);
	return b->route->lower->to_type(b, x, b->work.dtype);
}

/* One token behind those that are kept. */
static struct sf_val *
convolve_one(
    struct sf_build *b, struct sf_val *x, struct sf_val *w, struct sf_val *bias)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t kernel = b->arch->ssm->kernel;
	int64_t shape[] = { x->shape[0], x->shape[1], kernel };
	struct sf_val *kept = sf_cache_given(b, b->work.dtype, 3, shape);
	struct sf_item last = SF_LAST(kernel), newest = SF_LAST(1);

	x = l->to_type(b, l->cat(b, kept, x, -1), b->work.dtype);
	sf_cache_keep(b, sf_aten_copy(b, kept, sf_aten_item(b, x, 2, &last)));
	x = sf_aten_conv1d(b, x, l->unsqueeze(b, w, 1), bias, 0);
	x = sf_aten_item(b, x, 2, &newest);
	return activated(b, x);
}

struct sf_val *
sf_ssm_convolve(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *s = b->arch->ssm;
	int64_t channels = x->shape[1], tokens = x->shape[2];
	int64_t shape[] = { channels, 1, s->kernel };
	struct sf_arena *arena = b->graph.arena;
	struct sf_val *w, *bias = NULL;
	struct sf_item first, last = SF_LAST(tokens);

	w = sf_tensor_part(
	    b, layer, sf_arena_printf(arena, "%s.weight", name), 3, shape);
	if (s->conv_bias)
		bias = sf_part(b, layer, name, "bias", channels, 0);
	if (sf_fuses(b))
		return sf_fuse_convolve(b, x, w, bias);
	if (b->work.context != 0)
		return convolve_one(b, x, sf_aten_squeeze(b, w, 1), bias);
	if (sf_cache_used(b))
		x = fill_convolution(b, x);
	w = sf_aten_squeeze(b, w, 1);
	first = (struct sf_item)SF_TO(x->shape[2]);
	x = l->to_type(b, x, b->work.dtype);
	x = sf_aten_conv1d(b, x, l->unsqueeze(b, w, 1), bias, s->kernel - 1);
	x = activated(b, sf_aten_item(b, x, 2, &first));
	return sf_cache_used(b) ? sf_aten_item(b, x, 2, &last) : x;
}

void
sf_ssm_keep(struct sf_build *b, struct sf_val *state)
{
	if (sf_cache_used(b))
		sf_cache_keep(
		    b, sf_aten_copy(b, sf_aten_zeros_like(b, state), state));
}

struct sf_val *
sf_ssm_held(struct sf_build *b, int rank, const int64_t *shape)
{
	return sf_cache_given(b, SF_DT_F32, rank, shape);
}

struct sf_val *
sf_ssm_decay(struct sf_build *b, int64_t layer, const char *name, int rank,
    const int64_t *shape)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *a = sf_tensor_part(b, layer,
	    sf_arena_printf(b->graph.arena, "%s.A_log", name), rank, shape);

	a = sf_aten_each(b, "aten.exp", l->to_type(b, a, SF_DT_F32));
	return l->unary(b, SF_CALL_NEG, a);
}

struct sf_val *
sf_ssm_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y = b->route->lower->to_type(b, x, b->work.dtype);

	return sf_fuse_1(b, f, "gpu.norm", x, sf_norm(b, layer, name, y));
}

static struct sf_val *
head(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item items[] = { SF_ALL, SF_FROM(0), SF_ALL };
	struct sf_fusion f;
	struct sf_val *y;
	const char *around;

	if (b->work.last_logits)
		items[1] = (struct sf_item)SF_LAST(1);
	x = l->getitem(b, x, 3, items);
	if (b->arch->ssm->kinds == NULL)
		x = l->to_type(b, x, b->work.dtype);
	f = sf_fuse_begin(b);
	around = sf_enter(b, -1, "lm_head");
	y = l->linear(b, x, weight, NULL);
	sf_leave(b, around);
	y = l->to_type(b, y, SF_DT_F32);
	sf_fuse_end(
	    b, f, "gpu.linear", (struct sf_val *[]){ x, weight }, 2, &y, 1);
	return y;
}

struct sf_val *
sf_ssm_logits(struct sf_build *b, struct sf_val *x, struct sf_val *table)
{
	if (b->arch->headless)
		return x;
	if (!b->arch->tied)
		table = sf_head_weight(b, table->shape[1]);
	return head(b, x, table);
}
