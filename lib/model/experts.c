/*
 * Mixtures of experts. After the router the order of calls is that of
 * grouped_mm_experts_forward in transformers 5.18's integrations/moe.py.
 */
#include "model/experts.h"

#include "model/block.h"
#include "model/mlp.h"
#include "model/routing.h"

static const char *
part_name(struct sf_build *b, const char *name, const char *part)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, part);
}

/* A softmax over all experts, of which the largest are taken. */
static struct sf_choice
choose(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	bool casts = a->family->router == SF_ROUTER_CAST;
	struct sf_val *logits, *probabilities, *best[2];
	struct sf_choice c = { .in_place = a->norm_top_k };

	x = l->reshape(b, x, 2, (int64_t[]){ x->shape[0], a->hidden });
	/* A router is never quantised. */
	logits = l->linear(b, x,
	    sf_part(b, layer, name, "weight", a->experts, a->hidden), NULL);
	if (casts)
		probabilities = l->softmax(b, logits, true);
	else
		probabilities =
		    l->softmax(b, l->to_type(b, logits, SF_DT_F32), false);
	l->topk(b, probabilities, a->top_k, best);
	c.weights = best[0];
	c.ids = best[1];
	if (a->norm_top_k)
		c.weights =
		    l->divide(b, c.weights, l->sum(b, c.weights, 1, true));
	if (casts) {
		c.in_place = c.in_place && logits->dtype == SF_DT_F32;
		c.weights = l->to_type(b, c.weights, logits->dtype);
	}
	return c;
}

/* The weights of the experts of one name, and what is not read of them. */
static struct sf_val *
grouped(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t width, struct sf_val *ends)
{
	const struct sf_arch *a = b->arch;
	int64_t shape[] = { a->experts, width, x->shape[1] };
	struct sf_val *w = sf_tensor_part(b, layer, name, 3, shape);
	int64_t idle = a->experts - a->top_k;

	sf_store_weight(b, layer, name, w, a->experts, width, x->shape[1]);
	b->idle_elements += idle * (sf_val_numel(w) / a->experts);
	b->idle_bytes += idle * (sf_val_stored(w) / a->experts);
	return b->route->lower->grouped_mm(
	    b, x, w, ends, sf_routing_unread(b, layer, w));
}

/*
 * gate_up_proj, its halves, and down_proj, of rows that are sorted; or of plain
 * experts up_proj and down_proj.
 */
static struct sf_val *
run_experts(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, struct sf_val *ends)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_val *half[2];
	int64_t width = x->shape[1];

	if (a->family->mlp == SF_MLP_PLAIN) {
		x = grouped(b, layer, part_name(b, name, a->family->up), x,
		    a->expert_inner, ends);
		x = sf_activate(b, x);
	} else {
		x = grouped(b, layer, part_name(b, name, "gate_up_proj"), x,
		    2 * a->expert_inner, ends);
		l->split(b, x, NULL, 2, half);
		x = l->binary(b, SF_CALL_MUL, sf_activate(b, half[0]), half[1]);
	}
	return grouped(
	    b, layer, part_name(b, name, "down_proj"), x, width, ends);
}

static struct sf_val *
flat(struct sf_build *b, struct sf_val *x)
{
	int64_t n = sf_val_numel(x);

	return b->route->lower->reshape(b, x, 1, &n);
}

struct sf_val *
sf_experts_mix(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, const struct sf_choice *c)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t tokens = x->shape[0], hidden = x->shape[1];
	struct sf_val *weights = NULL, *ids, *sorted[2], *rows, *ends;
	/* A view of what was changed in place is made where it is needed. */
	bool later = c->in_place && b->route->pruned;

	if (!later)
		weights = flat(b, c->weights);
	ids = flat(b, c->ids);
	l->sort(b, ids, sorted);
	rows = l->index(b, x, l->floor_divide(b, sorted[1]));
	if (later)
		weights = flat(b, c->weights);
	weights = l->index(b, weights, sorted[1]);
	ends = l->ends(b, sorted[0], b->arch->experts);
	rows = run_experts(b, layer, name, rows, ends);
	rows = l->binary(b, SF_CALL_MUL, rows, l->unsqueeze(b, weights, 1));
	rows = l->index(b, rows, l->inverse(b, sorted[1]));
	rows =
	    l->view(b, rows, 3, (int64_t[]){ tokens, b->arch->top_k, hidden });
	return l->to_type(b, l->sum(b, rows, 1, false), x->dtype);
}

/* Qwen2's expert that all tokens go through, and its gate. */
static struct sf_val *
gate_shared(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, struct sf_val *shared)
{
	struct sf_val *gate;

	gate = sf_linear(
	    b, layer, part_name(b, name, "shared_expert_gate"), x, 1, false);
	gate = b->route->lower->unary(b, SF_CALL_SIGMOID, gate);
	return b->route->lower->binary(b, SF_CALL_MUL, gate, shared);
}

struct sf_val *
sf_experts(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t *s = x->shape;
	struct sf_val *shared = NULL, *y;
	struct sf_choice c;

	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	if (a->shared_inner != 0)
		shared = sf_mlp(b, layer, part_name(b, name, "shared_expert"),
		    y, a->shared_inner);
	c = choose(b, layer, part_name(b, name, "gate"), y);
	x = sf_experts_mix(b, layer, part_name(b, name, "experts"), y, &c);
	if (shared != NULL) {
		shared = gate_shared(b, layer, name, y, shared);
		x = l->binary(b, SF_CALL_ADD, x, shared);
	}
	return l->reshape(b, x, 3, (int64_t[]){ s[0], s[1], s[2] });
}
