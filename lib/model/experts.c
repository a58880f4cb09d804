/*
 * Mixtures of experts. After the router the order of calls is that of
 * grouped_mm_experts_forward in transformers 5.18's integrations/moe.py.
 */
#include "model/experts.h"

#include "base/num.h"
#include "model/block.h"
#include "model/fuse.h"
#include "model/mlp.h"
#include "model/routing.h"

static const char *
part_name(struct sf_build *b, const char *name, const char *part)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, part);
}

/* Rows that are sorted, and which experts they go to. */
struct group {
	struct sf_val *rows, *ids, *ends;
	struct sf_val *tokens, *chosen; /* not sorted */
};

void
sf_experts_count_idle(struct sf_build *b, const struct sf_val *w)
{
	const struct sf_arch *a = b->arch;
	int64_t idle = a->experts - a->top_k;

	b->idle_elements += idle * (sf_val_numel(w) / a->experts);
	b->idle_bytes += idle * (sf_val_stored(w) / a->experts);
}

/* The weights of the experts of one name, and what is not read of them. */
static struct sf_val *
grouped(struct sf_build *b, int64_t layer, const char *name,
    const struct group *g, int64_t width)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	bool biased = a->family->biased_experts;
	int64_t in = g->rows->shape[1];
	int64_t shape[] = { a->experts, biased ? in : width,
		biased ? width : in };
	struct sf_val *w = sf_tensor_part(b, layer, name, 3, shape);
	struct sf_val *bias = NULL, *x;
	int64_t unread;

	sf_store_experts(b, layer, name, w, a->experts, width, in);
	sf_experts_count_idle(b, w);
	unread = sf_routing_unread(b, layer, w);
	if (biased) {
		bias = sf_tensor_part(b, layer,
		    sf_arena_printf(b->graph.arena, "%s_bias", name), 2,
		    (int64_t[]){ a->experts, width });
		sf_experts_count_idle(b, bias);
		bias = l->index(b, bias, g->ids);
	} else {
		w = l->transpose(b, w, 1, 2);
	}
	x = l->grouped_mm(b, g->rows, w, g->ends, unread);
	return biased ? l->accumulate(b, x, bias) : x;
}

/* Gate and up in turn; a view of what was changed is made where it is used. */
static struct sf_val *
gate_in_turn(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item even[] = { SF_ALL, SF_STEP(0) };
	struct sf_item odd[] = { SF_ALL, SF_STEP(1) };
	struct sf_val *gate = l->getitem(b, x, 2, even), *up = NULL;

	if (!b->route->pruned)
		up = l->getitem(b, x, 2, odd);
	gate = l->clamp(b, gate);
	if (up == NULL)
		up = l->getitem(b, x, 2, odd);
	return sf_gate_clamped(b, gate, l->clamp(b, up));
}

/* Gate and up, and what the gate lets through. */
static struct sf_val *
gated(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *half[2];

	if (b->arch->family->biased_experts)
		return gate_in_turn(b, x);
	b->route->lower->split(b, x, NULL, 2, half);
	return sf_gate(b, half[0], half[1]);
}

/*
 * gate_up_proj, its halves, and down_proj, of rows that are sorted; or of plain
 * experts up_proj and down_proj.
 */
static struct sf_val *
run_experts(struct sf_build *b, int64_t layer, const char *name,
    struct group *g, struct sf_fusion f)
{
	const struct sf_arch *a = b->arch;
	int64_t width = g->rows->shape[1];
	bool plain = a->family->mlp == SF_MLP_PLAIN;
	struct sf_val *x;

	if (plain)
		x = sf_activate(b,
		    grouped(b, layer, part_name(b, name, a->family->up), g,
			a->expert_inner));
	else
		x = gated(b,
		    grouped(b, layer, part_name(b, name, "gate_up_proj"), g,
			sf_mul_most(2, a->expert_inner)));
	sf_fuse_end(b, f, "gpu.experts_up",
	    (struct sf_val *[]){ g->tokens, g->chosen }, 2, &x, 1);
	f = sf_fuse_begin(b);
	g->rows = x;
	x = grouped(b, layer,
	    part_name(b, name, plain ? a->family->down : "down_proj"), g,
	    width);
	return sf_fuse_1(b, f, "gpu.experts_down", g->rows, x);
}

static struct sf_val *
flat(struct sf_build *b, struct sf_val *x)
{
	int64_t n = sf_val_numel(x);

	return b->route->lower->reshape(b, x, 1, &n);
}

static struct sf_val *
mix(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    const struct sf_routed *c)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t tokens = x->shape[0], hidden = x->shape[1];
	struct sf_val *weights = NULL, *ids, *sorted[2], *rows, *given;
	struct sf_fusion f = sf_fuse_begin(b);
	struct group g = { .tokens = x, .chosen = c->ids };
	/* A view of what was changed in place is made where it is needed. */
	bool later = c->in_place && b->route->pruned;

	if (!later)
		weights = flat(b, c->weights);
	ids = flat(b, c->ids);
	l->sort(b, ids, sorted);
	g.rows = l->index(b, x, l->floor_divide(b, sorted[1]));
	if (later)
		weights = flat(b, c->weights);
	weights = l->index(b, weights, sorted[1]);
	g.ids = sorted[0];
	g.ends = l->ends(b, sorted[0], b->arch->experts);
	rows = run_experts(b, layer, name, &g, f);
	f = sf_fuse_begin(b);
	given = rows;
	rows = l->binary(b, SF_CALL_MUL, rows, l->unsqueeze(b, weights, 1));
	rows = l->index(b, rows, l->inverse(b, sorted[1]));
	rows =
	    l->view(b, rows, 3, (int64_t[]){ tokens, b->arch->top_k, hidden });
	rows = l->to_type(b, l->sum(b, rows, 1, false), x->dtype);
	sf_fuse_end(b, f, "gpu.combine",
	    (struct sf_val *[]){ given, c->weights }, 2, &rows, 1);
	return rows;
}

struct sf_val *
sf_experts_mix(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, const struct sf_routed *c)
{
	const char *around = sf_enter(b, layer, name);

	x = mix(b, layer, name, x, c);
	sf_leave(b, around);
	return x;
}

/* Qwen2's expert that all tokens go through, and its gate. */
static struct sf_val *
gate_shared(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, struct sf_val *shared)
{
	struct sf_val *gate, *in[] = { NULL, shared };
	struct sf_fusion f;

	gate = sf_linear(
	    b, layer, part_name(b, name, "shared_expert_gate"), x, 1, false);
	in[0] = gate;
	f = sf_fuse_begin(b);
	gate = b->route->lower->unary(b, SF_CALL_SIGMOID, gate);
	x = b->route->lower->binary(b, SF_CALL_MUL, gate, shared);
	sf_fuse_end(b, f, "gpu.pointwise", in, 2, &x, 1);
	return x;
}

struct sf_val *
sf_experts(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	int64_t *s = x->shape;
	struct sf_val *shared = NULL, *y;
	bool scaled = a->family->scaled_experts;
	bool gated_shared = !scaled && !a->family->plain_shared;
	struct sf_routed c;
	const char *around = sf_enter(b, layer, name);

	y = l->view(b, x, 2, (int64_t[]){ s[0] * s[1], s[2] });
	if (a->shared_inner != 0 && !a->family->late_shared)
		shared = sf_mlp(b, layer,
		    part_name(b, name,
			gated_shared ? "shared_expert" : "shared_experts"),
		    y, a->shared_inner);
	c = sf_router_choose(b, layer,
	    part_name(
		b, name, a->family->gate != NULL ? a->family->gate : "gate"),
	    y);
	x = sf_experts_mix(b, layer, part_name(b, name, "experts"), y, &c);
	if (scaled)
		x = l->number(b, SF_CALL_MUL, x, a->router_scale);
	if (shared != NULL) {
		if (gated_shared)
			shared = gate_shared(b, layer, name, y, shared);
		x = l->binary(b, SF_CALL_ADD, x, shared);
	}
	x = l->reshape(b, x, 3, (int64_t[]){ s[0], s[1], s[2] });
	return sf_leave_with(b, around,
	    a->family->plain_shared ? l->to_type(b, x, x->dtype) : x);
}
