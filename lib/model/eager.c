/* Attention as transformers 5.18 writes it out in Python. */
#include "model/eager.h"

#include "model/block.h"
#include "model/fuse.h"

static struct sf_val *
sinks_of(struct sf_build *b, int64_t layer)
{
	return sf_weight(
	    b, layer, "model.layers.%d.self_attn.sinks", b->arch->heads, 0);
}

/* The weights of the keys: a softmax over them and the sink. */
static struct sf_val *
weights_beside_sinks(struct sf_build *b, int64_t layer, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t keys = x->shape[3];
	struct sf_item without[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(keys) };
	int64_t shape[] = { x->shape[0], a->heads, x->shape[2], 1 };
	struct sf_val *sinks;

	if (a->no_sinks) {
		x = l->binary(b, SF_CALL_SUB, x, l->max_last(b, x));
		return l->softmax(b, x, SF_SOFTMAX_OWN);
	}
	sinks = sinks_of(b, layer);
	sinks = l->reshape(b, sinks, 4, (int64_t[]){ 1, a->heads, 1, 1 });
	sinks = l->expand(b, sinks, 4, shape);
	x = l->cat(b, x, sinks, -1);
	x = l->binary(b, SF_CALL_SUB, x, l->max_last(b, x));
	x = l->softmax(b, x, SF_SOFTMAX_OWN);
	return l->getitem(b, x, 4, without);
}

struct sf_val *
sf_eager_heads(struct sf_build *b, int64_t layer, struct sf_val *q,
    struct sf_val *k, struct sf_val *v, struct sf_val *mask)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x;

	if (sf_fuses(b))
		return sf_fuse_attention(b, layer, q, k, v,
		    b->arch->no_sinks ? NULL : sinks_of(b, layer));
	k = sf_repeat_heads(b, k);
	v = sf_repeat_heads(b, v);
	x = l->matmul(b, q, l->transpose(b, k, 2, 3));
	x = l->number(b, SF_CALL_MUL, x, sf_arch_scale(b->arch, layer));
	x = l->binary(b, SF_CALL_ADD, x, mask);
	x = l->to_type(b, weights_beside_sinks(b, layer, x), v->dtype);
	x = l->transpose(b, l->matmul(b, x, v), 1, 2);
	return l->contiguous(b, x);
}

struct sf_val *
sf_eager_attend(struct sf_build *b, int64_t layer, struct sf_val *q,
    struct sf_val *k, struct sf_val *v, struct sf_val *mask)
{
	struct sf_val *x = sf_eager_heads(b, layer, q, k, v, mask);

	return b->route->lower->reshape(b, x, 3,
	    (int64_t[]){ b->work.batch, b->work.tokens, b->arch->q_size });
}
