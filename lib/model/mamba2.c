/*
 * Mamba 2's mixer: the order of calls is that of transformers 5.18's
 * modeling_mamba2.py, where no kernels of others are installed.
 */
#include "model/block.h"
#include "model/fuse-state.h"
#include "model/lower-aten-scan.h"
#include "model/mask.h"
#include "model/ssm.h"

/* The heads' inputs, their time steps, what goes into states and comes out. */
struct steps {
	struct sf_val *x, *dt, *b, *c, *d, *bias;
};

static const char *
part(struct sf_build *b, const char *name, const char *more)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, more);
}

/* X with one more dimension at its end. */
static struct sf_val *
column(struct sf_build *b, struct sf_val *x)
{
	struct sf_item items[SF_VAL_RANK];

	for (int i = 0; i < x->rank; i++)
		items[i] = (struct sf_item)SF_ALL;
	items[x->rank] = (struct sf_item)SF_NEW;
	return b->route->lower->getitem(b, x, x->rank + 1, items);
}

/* ---- one token behind a state ---- */

/* Each group's B or C for each of its heads. */
static struct sf_val *
for_heads(struct sf_build *b, struct sf_val *x, bool row)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t n = x->shape[0];
	int64_t four[] = { n, m->groups, 1, m->state };

	x = l->reshape(b, x, 4, four);
	four[2] = m->heads / m->groups;
	x = l->contiguous(b, l->expand(b, x, 4, four));
	if (row)
		return l->reshape(
		    b, x, 4, (int64_t[]){ n, m->heads, 1, m->state });
	return l->reshape(b, x, 3, (int64_t[]){ n, m->heads, m->state });
}

/* The state times what comes out of it. */
static struct sf_val *
read_state(struct sf_build *b, struct sf_val *state, struct sf_val *c)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t n = state->shape[0], all = n * m->heads;
	struct sf_val *x, *out;

	x = l->to_type(b, state, c->dtype);
	x = l->view(b, x, 3, (int64_t[]){ all, m->head_dim, m->state });
	c = l->view(b, c, 3, (int64_t[]){ all, m->state, 1 });
	out = sf_val_new(
	    &b->graph, x->dtype, 3, (int64_t[]){ all, m->head_dim, 1 });
	out = sf_aten_2(b, "aten.bmm", x, c, out);
	return l->view(b, out, 3, (int64_t[]){ n, m->heads, m->head_dim });
}

static struct sf_val *
update(struct sf_build *b, const struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	enum sf_dtype dtype = s->x->dtype;
	struct sf_val *dt, *da, *dbx, *state, *next, *out;
	int64_t shape[] = { s->x->shape[0], m->heads, m->head_dim, m->state };

	state = sf_ssm_held(b, 4, shape);
	dt = l->to_type(b, s->bias, s->dt->dtype);
	dt = l->binary(b, SF_CALL_ADD, s->dt, dt);
	dt = column(b, sf_aten_softplus(b, dt));
	da = l->to_type(b, dt, SF_DT_F32);
	da = l->binary(b, SF_CALL_MUL, da, l->to_type(b, a, SF_DT_F32));
	da = l->to_device(b, sf_aten_each(b, "aten.exp", da));
	dbx = for_heads(b, s->b, true);
	dbx = l->binary(b, SF_CALL_MUL, dt, dbx);
	dbx = l->binary(b, SF_CALL_MUL, dbx, column(b, s->x));
	dbx = l->to_device(b, dbx);
	next = l->binary(b, SF_CALL_MUL, state, da);
	next = l->binary(b, SF_CALL_ADD, next, dbx);
	sf_cache_keep(
	    b, sf_aten_copy(b, state, l->to_type(b, next, SF_DT_F32)));
	out = read_state(b, next, for_heads(b, s->c, false));
	next = l->binary(b, SF_CALL_MUL, s->x, s->d);
	out = l->binary(b, SF_CALL_ADD, out, next);
	out = l->to_type(b, out, out->dtype);
	return l->to_type(b, out, dtype);
}

static struct sf_val *
scan_one(struct sf_build *b, struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t n = s->x->shape[0];
	int64_t groups[] = { n, m->groups, m->state };
	struct sf_item column_of[] = { SF_ALL, SF_NEW };
	struct sf_item end[] = { SF_ALL, SF_NEW, SF_NEW };
	int64_t wide[] = { m->heads, m->head_dim, m->state };
	struct sf_val *x;

	s->x = l->view(b, s->x, 3, (int64_t[]){ n, m->heads, m->head_dim });
	s->dt = l->expand(b, l->transpose(b, s->dt, 1, 2), 3,
	    (int64_t[]){ n, m->heads, m->head_dim });
	a = l->expand(b, l->getitem(b, a, 3, end), 3, wide);
	s->b = l->view(b, s->b, 3, groups);
	s->c = l->view(b, s->c, 3, groups);
	s->d = l->expand(b, l->getitem(b, s->d, 2, column_of), 2, wide);
	s->bias = l->expand(b, l->getitem(b, s->bias, 2, column_of), 2, wide);
	x = update(b, s, a);
	return l->view(b, x, 3, (int64_t[]){ n, 1, m->inner });
}

/* ---- many tokens, by chunks ---- */

/* What is lost from each token of a chunk to each later one. */
static struct sf_val *
segments(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int n = x->rank;
	int64_t size = x->shape[n - 1], square[] = { size, size };
	int64_t shape[SF_VAL_RANK];
	struct sf_val *mask;

	for (int i = 0; i < n; i++)
		shape[i] = x->shape[i];
	shape[n] = size;
	x = l->expand(b, column(b, x), n + 1, shape);
	mask = sf_aten_ones_of(b, SF_DT_B8, 2, square);
	mask = sf_aten_not(b, sf_aten_tril(b, mask));
	x = sf_aten_running_sum(b, sf_aten_masked_fill(b, x, mask));
	mask = sf_aten_ones_of(b, SF_DT_B8, 2, square);
	mask = sf_aten_not(b, sf_aten_tril(b, mask));
	return sf_aten_masked_fill(b, x, mask);
}

/* X, [batch, tokens, ...], padded and in chunks. */
static struct sf_val *
in_chunks(struct sf_build *b, struct sf_val *x, int64_t padding)
{
	int64_t shape[SF_VAL_RANK], chunk = b->arch->ssm->chunk;

	x = sf_aten_pad(b, x, 1, 0, padding);
	shape[0] = x->shape[0];
	shape[1] = x->shape[1] / chunk;
	shape[2] = chunk;
	for (int i = 2; i < x->rank; i++)
		shape[i + 1] = x->shape[i];
	return b->route->lower->reshape(b, x, x->rank + 1, shape);
}

/* Each group's for each of its heads, in FP32. */
static struct sf_val *
repeated(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t *n = x->shape;

	x = l->unsqueeze(b, l->to_type(b, x, SF_DT_F32), 3);
	x = l->expand(b, x, 5,
	    (int64_t[]){
		n[0], n[1], m->groups, m->heads / m->groups, m->state });
	return l->view(b, sf_aten_clone(b, x), 4,
	    (int64_t[]){ n[0], n[1], m->heads, m->state });
}

/* Of chunks: inputs, decays, and what goes into states and comes out. */
struct chunks {
	struct sf_val *x, *a, *sums, *b, *c;
};

/* What a chunk's tokens make of each other. */
static struct sf_val *
within(struct sf_build *b, const struct chunks *k)
{
	static const int last[] = { 0, 2, 3, 4, 1 };
	struct sf_val *decay = sf_aten_each(b, "aten.exp", segments(b, k->a));
	struct sf_val *g = sf_aten_einsum(b, "bclhn,bcshn->bclsh", k->c, k->b);

	decay = sf_aten_reorder(b, decay, last);
	g = b->route->lower->binary(b, SF_CALL_MUL, g, decay);
	return sf_aten_einsum(b, "bclsh,bcshp->bclhp", g, k->x);
}

/* The state in front of each chunk, and *FINAL, that behind the last. */
static struct sf_val *
states_of(struct sf_build *b, const struct chunks *k, struct sf_val **final)
{
	const struct sf_decomposition *l = b->route->lower;
	static const int last[] = { 0, 2, 3, 1 };
	struct sf_item newest = SF_LAST(1), first = SF_TO(1), rest;
	struct sf_val *x, *y;

	x = sf_aten_item(b, k->sums, 3, &newest);
	x = l->binary(b, SF_CALL_SUB, x, k->sums);
	x = sf_aten_reorder(b, sf_aten_each(b, "aten.exp", x), last);
	x = l->binary(b, SF_CALL_MUL, k->b, column(b, x));
	x = sf_aten_einsum(b, "bclhn,bclhp->bchpn", x, k->x);
	y = sf_aten_zeros_like(b, sf_aten_item(b, x, 1, &first));
	x = l->cat(b, y, x, 1);
	y = sf_aten_pad(b, l->select(b, k->sums, 3), 2, 1, 0);
	y = sf_aten_each(b, "aten.exp", segments(b, y));
	y = l->transpose(b, y, 1, 3);
	x = sf_aten_einsum(b, "bzch,bzhpn->bchpn", y, x);
	rest = (struct sf_item)SF_TO(x->shape[1] - 1);
	y = sf_aten_item(b, x, 1, &rest);
	*final = l->select(b, x, 1);
	return y;
}

/* What a chunk's tokens make of the state in front of it. */
static struct sf_val *
from_before(struct sf_build *b, const struct chunks *k, struct sf_val *states)
{
	static const int last[] = { 0, 2, 3, 1 };
	struct sf_val *decay = sf_aten_each(b, "aten.exp", k->sums), *x;

	x = sf_aten_einsum(b, "bclhn,bchpn->bclhp", k->c, states);
	decay = sf_aten_reorder(b, decay, last);
	return b->route->lower->binary(b, SF_CALL_MUL, x, column(b, decay));
}

static struct sf_val *
combine(struct sf_build *b, const struct chunks *k, struct sf_val **final)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *n = k->x->shape;
	struct sf_val *x = within(b, k), *y = states_of(b, k, final);

	x = l->binary(b, SF_CALL_ADD, x, from_before(b, k, y));
	x = l->contiguous(b, x);
	return l->reshape(
	    b, x, 4, (int64_t[]){ n[0], n[1] * n[2], n[3], n[4] });
}

static struct sf_val *
scan(struct sf_build *b, const struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	static const int heads_first[] = { 0, 3, 1, 2 };
	int64_t tokens = s->x->shape[1], chunk = b->arch->ssm->chunk;
	int64_t padding = (chunk - tokens % chunk) % chunk;
	struct sf_item given = SF_TO(tokens);
	struct sf_val *x, *y, *d, *dt, *final;
	struct chunks k;

	dt = l->to_type(b, s->bias, s->dt->dtype);
	dt = l->binary(b, SF_CALL_ADD, s->dt, dt);
	dt = sf_aten_softplus(b, dt);
	dt = sf_aten_each(b, "aten.clamp", dt);
	x = l->to_type(b, s->x, SF_DT_F32);
	k.b = repeated(b, s->b);
	k.c = repeated(b, s->c);
	d = column(b, s->d);
	d = l->binary(b, SF_CALL_MUL, d, sf_aten_pad(b, x, 1, 0, padding));
	y = l->to_type(b, column(b, dt), SF_DT_F32);
	x = l->binary(b, SF_CALL_MUL, x, y);
	a = l->to_type(b, a, SF_DT_F32);
	a = l->binary(b, SF_CALL_MUL, a, l->to_type(b, dt, SF_DT_F32));
	k.x = in_chunks(b, x, padding);
	a = in_chunks(b, a, padding);
	k.b = in_chunks(b, k.b, padding);
	k.c = in_chunks(b, k.c, padding);
	k.a = sf_aten_reorder(b, a, heads_first);
	k.sums = sf_aten_running_sum(b, k.a);
	x = l->binary(b, SF_CALL_ADD, combine(b, &k, &final), d);
	if (padding != 0)
		x = sf_aten_item(b, x, 1, &given);
	sf_ssm_keep(b, final);
	return l->reshape(
	    b, x, 3, (int64_t[]){ x->shape[0], tokens, b->arch->ssm->inner });
}

/* ---- the mixer ---- */

/* The norm behind a gate, of groups where the family has them. */
static struct sf_val *
gated_norm(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, struct sf_val *gate)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	bool groups = m->group_norms;
	enum sf_dtype dtype = x->dtype;
	int64_t *n = x->shape,
		four[] = { n[0], n[1], m->groups, m->inner / m->groups };
	struct sf_val *in[] = { x, gate }, *scale, *w;
	struct sf_fusion f = sf_fuse_begin(b);
	const char *around = sf_enter(b, layer, name);

	w = sf_part(b, layer, name, "weight", m->inner, 0);
	x = l->to_type(b, x, SF_DT_F32);
	gate = l->unary(b, SF_CALL_SILU, l->to_type(b, gate, SF_DT_F32));
	x = l->binary(b, SF_CALL_MUL, x, gate);
	if (groups)
		x = l->view(b, x, 4, four);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, x, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	x = l->binary(b, SF_CALL_MUL, x, scale);
	if (groups)
		x = l->view(b, x, 3, n);
	x = l->binary(b, SF_CALL_MUL, w, l->to_type(b, x, dtype));
	sf_fuse_end(b, f, "gpu.gated_norm", in, 2, &x, 1);
	return sf_leave_with(b, around, x);
}

/* Heads, groups and states as dimensions, and the scan. */
static struct sf_val *
run_scan(struct sf_build *b, struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t *n = s->x->shape;
	int64_t groups[] = { n[0], n[1], m->groups, m->state };
	int64_t heads[] = { n[0], n[1], m->heads, m->head_dim };

	if (b->work.context != 0)
		return scan_one(b, s, a);
	s->x = l->view(b, s->x, 4, heads);
	s->b = l->view(b, s->b, 4, groups);
	s->c = l->view(b, s->c, 4, groups);
	return scan(b, s, a);
}

static struct sf_val *
scan_fused(
    struct sf_build *b, int64_t layer, const char *name, const struct steps *s)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t *n = s->x->shape;
	int64_t groups[] = { n[0], n[1], m->groups, m->state };
	int64_t heads[] = { n[0], n[1], m->heads, m->head_dim };
	int64_t shape[] = { n[0], m->heads, m->head_dim, m->state };
	bool one = b->work.context != 0 && b->work.tokens == 1;
	struct sf_val *in[] = { l->view(b, s->x, 4, heads), s->dt,
		l->view(b, s->b, 4, groups), l->view(b, s->c, 4, groups),
		sf_part(b, layer, name, "A_log", m->heads, 0), s->d, s->bias };
	const char *chunk = sf_arena_printf(
	    b->graph.arena, "{\"chunk\":%lld}", (long long)m->chunk);

	return l->view(b,
	    sf_fuse_scan(b, one ? "gpu.state_step" : "gpu.state_chunks", in, 7,
		4, shape, one ? NULL : chunk),
	    3, n);
}

struct sf_val *
sf_mamba2_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t states = m->groups * m->state, wide = m->inner + 2 * states;
	int64_t sizes[] = { m->inner, wide, m->heads };
	int64_t inner[] = { m->inner, states, states };
	struct sf_val *parts[3], *gate, *a = NULL;
	struct steps s;
	const char *around = sf_enter(b, layer, name);

	x = sf_linear(b, layer, part(b, name, "in_proj"), x,
	    m->inner + wide + m->heads, m->bias);
	if (!sf_fuses(b))
		a = sf_ssm_decay(b, layer, name, 1, &m->heads);
	l->split(b, x, sizes, 3, parts);
	gate = parts[0];
	s.dt = parts[2];
	x = l->transpose(b, parts[1], 1, 2);
	x = sf_ssm_convolve(b, layer, part(b, name, "conv1d"), x);
	l->split(b, l->transpose(b, x, 1, 2), inner, 3, parts);
	s.x = parts[0];
	s.b = parts[1];
	s.c = parts[2];
	s.d = sf_part(b, layer, name, "D", m->heads, 0);
	s.bias = sf_part(b, layer, name, "dt_bias", m->heads, 0);
	x = sf_fuses(b) ? scan_fused(b, layer, name, &s) : run_scan(b, &s, a);
	x = gated_norm(b, layer, part(b, name, "norm"), x, gate);
	x = l->to_type(b, x, b->work.dtype);
	return sf_leave_with(b, around,
	    sf_linear(b, layer, part(b, name, "out_proj"), x, b->arch->hidden,
		m->bias));
}
