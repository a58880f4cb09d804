/* Element types of products' inputs and of the cache. */
#include "model/element.h"

#include <string.h>

#include "model/arch.h"

/* Scales as of weights of the same type: see quant.c. */
static const struct sf_element activations[] = {
	{ "bf16", SF_DT_BF16, -1, SF_DT_BF16 },
	{ "f16", SF_DT_F16, -1, SF_DT_F16 },
	{ "f8", SF_DT_F8E4M3FN, 128, SF_DT_F32 },
	{ "i8", SF_DT_I8, 0, SF_DT_F32 },
	{ "i4", SF_DT_I4, 128, SF_DT_F16 },
	{ "f4", SF_DT_F4E2M1FN, 16, SF_DT_F8E4M3FN },
};

/* Of FP8 there is a scale a layer at most, which is not counted. */
static const struct sf_element caches[] = {
	{ "bf16", SF_DT_BF16, -1, SF_DT_BF16 },
	{ "f16", SF_DT_F16, -1, SF_DT_F16 },
	{ "f8", SF_DT_F8E4M3FN, -1, SF_DT_F32 },
	{ "i8", SF_DT_I8, 0, SF_DT_F16 },
	{ "i4", SF_DT_I4, 0, SF_DT_F16 },
	{ "f4", SF_DT_F4E2M1FN, 16, SF_DT_F8E4M3FN },
};

static const struct sf_element *
find(const struct sf_element *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

const struct sf_element *
sf_element_activations(const char *name)
{
	return find(
	    activations, sizeof activations / sizeof *activations, name);
}

const struct sf_element *
sf_element_cache(const char *name)
{
	return find(caches, sizeof caches / sizeof *caches, name);
}

enum sf_dtype
sf_element_kv(const struct sf_build *b)
{
	return b->work.kv != NULL ? b->work.kv->dtype : b->work.dtype;
}

void
sf_element_scale(
    struct sf_build *b, struct sf_val *x, const struct sf_element *e)
{
	int64_t shape[SF_VAL_RANK], *last = &shape[x->rank - 1];
	int rank = x->rank;

	if (e == NULL || e->block < 0)
		return;
	memcpy(shape, x->shape, sizeof shape);
	*last = e->block == 0 ? 1 : *last / e->block + (*last % e->block != 0);
	/* A matrix among the inputs of a product is a weight. */
	if (rank == 2)
		shape[rank++] = 1;
	x->scales = sf_val_new(&b->graph, e->scale, rank, shape);
}

/* ---- what products read ---- */

/* Operators that can write their first output in fewer bits. */
static bool
can_narrow(const char *op)
{
	static const char *const names[] = { "gpu.norm", "gpu.attention",
		"gpu.mlp_up", "gpu.experts_up" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(op, names[i]) == 0)
			return true;
	return false;
}

static bool
is_view(const struct sf_graph_node *n)
{
	return strcmp(n->op, "aten.view") == 0 ||
	    strcmp(n->op, "aten._unsafe_view") == 0;
}

/* The operator that makes X, before BEHIND; NULL: none. */
static struct sf_graph_node *
maker_of(struct sf_graph_node *behind, const struct sf_val *x)
{
	for (struct sf_graph_node *n = behind->prev; n != NULL; n = n->prev)
		for (int i = 0; i < n->noutputs; i++)
			if (n->outputs[i] == x)
				return n;
	return NULL;
}

static void
append(struct sf_graph *g, struct sf_val ***list, int *n, struct sf_val *x)
{
	struct sf_val **more = sf_arena_alloc(
	    g->arena, ((size_t)*n + 1) * sizeof(struct sf_val *));

	if (*n != 0)
		memcpy(more, *list, (size_t)*n * sizeof *more);
	more[(*n)++] = x;
	*list = more;
}

/*
 * X, which MAKER makes or a view of it is, as MAKER writes it in fewer bits.
 * Views are of the same type.
 */
static void
narrow_here(struct sf_build *b, struct sf_graph_node *maker, struct sf_val *x)
{
	struct sf_val *root = maker->outputs[0];
	const struct sf_element *e = b->work.activations;

	root->dtype = x->dtype = e->dtype;
	sf_element_scale(b, root, e);
	x->scales = root->scales;
	if (root->scales != NULL)
		append(
		    &b->graph, &maker->outputs, &maker->noutputs, root->scales);
}

/* What X is in fewer bits, by an operator before MADE unless it is there. */
static struct sf_val *
quantized(struct sf_build *b, struct sf_graph_node *made, struct sf_val *x)
{
	const struct sf_element *e = b->work.activations;
	struct sf_val *out[2];

	if (x->narrow != NULL)
		return x->narrow;
	out[0] = sf_val_new(&b->graph, e->dtype, x->rank, x->shape);
	sf_element_scale(b, out[0], e);
	out[1] = out[0]->scales;
	sf_graph_insert(&b->graph, made, "gpu.quantize", &x, 1, out,
	    out[1] != NULL ? 2 : 1);
	x->narrow = out[0];
	return x->narrow;
}

static bool
is_product(const struct sf_graph_node *n)
{
	return strcmp(n->op, "gpu.linear") == 0 ||
	    strcmp(n->op, "gpu.mlp_up") == 0 ||
	    strcmp(n->op, "gpu.experts_up") == 0 ||
	    strcmp(n->op, "gpu.experts_down") == 0;
}

/* True when a parameter among the inputs is stored in fewer bits. */
static bool
has_narrow_weight(const struct sf_graph_node *n)
{
	for (int i = 0; i < n->ninputs; i++)
		if (n->inputs[i] != NULL && n->inputs[i]->param &&
		    n->inputs[i]->stored != 0)
			return true;
	return false;
}

/* Weights are multiplied in the type that they are stored in. */
static void
retype_weights(struct sf_build *b, struct sf_graph_node *n)
{
	const struct sf_quant *q = &b->arch->quant;
	enum sf_dtype dtype = q->bits > 4
	    ? q->floats ? SF_DT_F8E4M3FN : SF_DT_I8
	    : q->floats ? SF_DT_F4E2M1FN
			: SF_DT_I4;

	for (int i = 0; i < n->ninputs; i++)
		if (n->inputs[i] != NULL && n->inputs[i]->param &&
		    n->inputs[i]->stored != 0)
			n->inputs[i]->dtype = dtype;
}

void
sf_element_narrow(struct sf_build *b, struct sf_graph_node *made)
{
	const struct sf_element *e = b->work.activations;
	struct sf_val *x;
	struct sf_graph_node *maker, *view;

	if (e == NULL || !is_product(made) || !has_narrow_weight(made))
		return;
	retype_weights(b, made);
	x = made->inputs[0];
	if (x->dtype != e->dtype) {
		view = maker = maker_of(made, x);
		while (maker != NULL && is_view(maker))
			maker = maker_of(maker, maker->inputs[0]);
		if (maker != NULL && can_narrow(maker->op) &&
		    sf_val_numel(maker->outputs[0]) == sf_val_numel(x) &&
		    (view == maker || view->inputs[0] == maker->outputs[0]))
			narrow_here(b, maker, x);
		else
			x = quantized(b, made, x);
	}
	made->inputs[0] = x;
	if (x->scales != NULL)
		append(&b->graph, &made->inputs, &made->ninputs, x->scales);
}
