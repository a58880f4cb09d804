/* Layers with states as a serving engine runs them on a GPU. */
#include "model/fuse-state.h"

#include <string.h>

#include "base/die.h"
#include "model/arch.h"
#include "model/block.h"

enum {
	MOST_INPUTS = 10
};

/* What a layer holds of the context, and what it holds behind the call. */
static struct sf_val *
state(struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	struct sf_val *x = sf_val_new(&b->graph, dtype, rank, shape);

	sf_cache_keep(b, x);
	return x;
}

struct sf_val *
sf_fuse_convolve(
    struct sf_build *b, struct sf_val *x, struct sf_val *w, struct sf_val *bias)
{
	/* A token is convolved with those before it, which are one fewer. */
	int64_t shape[] = { x->shape[0], x->shape[1],
		b->arch->ssm->kernel - 1 };
	struct sf_val *in[] = { x, w, bias, NULL }, *out[2];

	if (b->work.context != 0)
		in[3] = state(b, b->work.dtype, 3, shape);
	out[0] = sf_val_new(&b->graph, b->work.dtype, 3, x->shape);
	out[1] = state(b, b->work.dtype, 3, shape);
	sf_graph_add(&b->graph, "gpu.conv1d", in,
	    in[3] != NULL       ? 4
		: in[2] != NULL ? 3
				: 2,
	    out, 2);
	return out[0];
}

struct sf_val *
sf_fuse_scan(struct sf_build *b, const char *op, struct sf_val *const *in,
    int nin, int rank, const int64_t *shape, const char *attrs)
{
	struct sf_val *all[MOST_INPUTS], *out[2];
	struct sf_graph_node *made;

	if (nin >= MOST_INPUTS)
		sf_bug("a scan with more than %d inputs", MOST_INPUTS - 1);
	memcpy(all, in, (size_t)nin * sizeof *all);
	if (b->work.context != 0)
		all[nin++] = state(b, SF_DT_F32, rank, shape);
	out[0] =
	    sf_val_new(&b->graph, b->work.dtype, in[0]->rank, in[0]->shape);
	out[1] = state(b, SF_DT_F32, rank, shape);
	made = sf_graph_add(&b->graph, op, all, nin, out, 2);
	made->attrs = attrs;
	return out[0];
}

struct sf_val *
sf_fuse_delta(struct sf_build *b, int64_t layer, const char *name,
    const struct sf_delta_input *in)
{
	const struct sf_delta *d = b->arch->delta;
	int64_t shape[] = { in->v->shape[0], d->value_heads, d->key, d->value };
	bool one = b->work.context != 0 && b->work.tokens == 1;
	struct sf_val *all[] = { in->v, in->q, in->k, in->beta, in->decay,
		sf_part(b, layer, name, "A_log", d->value_heads, 0),
		sf_part(b, layer, name, "dt_bias", d->value_heads, 0) };

	return sf_fuse_scan(b, one ? "gpu.delta_step" : "gpu.delta_chunks", all,
	    7, 4, shape, NULL);
}
