/*
 * Mamba and Falcon Mamba: the order of calls is that of transformers 5.18's
 * modeling_mamba.py and modeling_falcon_mamba.py, where no kernels of others
 * are installed.
 */
#include "model/block.h"
#include "model/fuse-state.h"
#include "model/lower-aten-scan.h"
#include "model/lower-aten.h"
#include "model/mask.h"
#include "model/norm.h"
#include "model/rounds.h"
#include "model/scan.h"
#include "model/ssm.h"
#include "model/stride.h"

/* What the scan is given beside the decay A. */
struct steps {
	struct sf_val *x, *dt, *b, *c, *d, *gate, *bias;
};

static const char *
part(struct sf_build *b, const char *name, const char *more)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, more);
}

/* Falcon Mamba norms time steps, B and C, without weights. */
static struct sf_val *
bare_norm(struct sf_build *b, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y, *scale;
	struct sf_fusion f;
	const char *around = sf_enter_part(b, name);

	if (b->arch->family->norm != SF_NORM_FALCON)
		return sf_leave_with(b, around, x);
	f = sf_fuse_begin(b);
	y = l->to_type(b, x, SF_DT_F32);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, y, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	y = l->type_as(b, l->binary(b, SF_CALL_MUL, y, scale), x);
	return sf_leave_with(b, around, sf_fuse_1(b, f, "gpu.norm", x, y));
}

/* torch.matmul of the matrix W and X, [batch, rank, tokens]. */
static struct sf_val *
matrix_times(struct sf_build *b, struct sf_val *w, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *rows;

	l->transpose(b, x, 1, 2);
	rows = l->transpose(b, x, 1, 2);
	x = l->transpose(b, sf_aten_fold(b, rows, w), 1, 2);
	return sf_stride_is_dense(x) ? x : sf_aten_clone(b, x);
}

/* ---- one token behind a state ---- */

static struct sf_val *
column(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item items[] = { SF_ALL, SF_ALL, SF_NEW };

	return l->getitem(b, l->to_type(b, x, SF_DT_F32), 3, items);
}

static struct sf_val *
scan_one(struct sf_build *b, const struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	enum sf_dtype dtype = s->x->dtype;
	struct sf_val *dt, *da, *db, *state, *next, *out;
	int64_t shape[] = { s->x->shape[0], s->x->shape[1], a->shape[1] };

	state = sf_ssm_held(b, 3, shape);
	dt = l->to_type(b, s->bias, s->dt->dtype);
	dt = l->binary(b, SF_CALL_ADD, s->dt, dt);
	dt = sf_aten_softplus(b, dt);
	da = column(b, dt);
	da = l->binary(b, SF_CALL_MUL, da, l->to_type(b, a, SF_DT_F32));
	da = l->to_device(b, sf_aten_each(b, "aten.exp", da));
	db = column(b, dt);
	next = l->getitem(b, l->to_type(b, s->b, SF_DT_F32), 3, row);
	db = l->binary(b, SF_CALL_MUL, db, next);
	db = l->binary(b, SF_CALL_MUL, db, column(b, s->x));
	next = l->to_type(b, state, SF_DT_F32);
	next = l->binary(b, SF_CALL_MUL, next, da);
	next = l->binary(b, SF_CALL_ADD, next, db);
	sf_cache_keep(
	    b, sf_aten_copy(b, state, l->to_type(b, next, SF_DT_F32)));
	next = l->to_type(b, next, s->c->dtype);
	out = l->matmul(b, next, l->unsqueeze(b, s->c, 2));
	out = sf_aten_squeeze(b, out, 2);
	out = l->binary(
	    b, SF_CALL_ADD, out, l->binary(b, SF_CALL_MUL, s->x, s->d));
	out =
	    l->binary(b, SF_CALL_MUL, out, l->unary(b, SF_CALL_SILU, s->gate));
	return l->unsqueeze(b, l->to_type(b, out, dtype), 2);
}

/* ---- many tokens ---- */

/* Token by token, as eager code has it. */
static struct sf_val *
loop(struct sf_build *b, const struct steps *s, struct sf_val *da,
    struct sf_val *dbx, struct sf_val *c, struct sf_val **state)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *n = da->shape, shape[] = { n[0], n[1], n[3] };
	struct sf_arena *outer;
	struct sf_val **out, *x, *y, *z;

	out = sf_arena_alloc(b->graph.arena, (size_t)n[2] * sizeof *out);
	x = sf_aten_zeros(b, s->x->dtype, 3, shape);
	outer = sf_rounds_begin(&b->graph);
	for (int64_t i = 0; i < n[2]; i++) {
		struct sf_val *made[2];

		x = l->binary(b, SF_CALL_MUL, l->select(b, da, 2), x);
		x = l->binary(b, SF_CALL_ADD, x, l->select(b, dbx, 2));
		y = l->to_type(b, x, s->x->dtype);
		z = l->unsqueeze(b, l->select(b, c, 1), 2);
		made[0] = x;
		made[1] = l->select(b, l->matmul(b, y, z), 2);
		sf_rounds_next(&b->graph, outer, made, 2);
		x = made[0];
		out[i] = made[1];
	}
	sf_rounds_end(&b->graph, outer);
	*state = x;
	return sf_aten_stack_all(b, out, (int)n[2], 2);
}

/* All at once, in as many steps as a number of tokens has digits. */
static struct sf_val *
at_once(struct sf_build *b, const struct steps *s, struct sf_val *da,
    struct sf_val *dbx, struct sf_val *c)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x = sf_scan_pairs(b, da, dbx, 2);

	x = l->to_type(b, l->transpose(b, x, 1, 2), s->x->dtype);
	x = l->matmul(b, x, l->unsqueeze(b, c, 3));
	return l->transpose(b, sf_aten_squeeze(b, x, 3), 1, 2);
}

static struct sf_val *
scan(struct sf_build *b, const struct steps *s, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item of_a[] = { SF_NEW, SF_ALL, SF_NEW, SF_ALL };
	struct sf_item last[] = { SF_ALL, SF_ALL, SF_ALL, SF_NEW };
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL, SF_ALL };
	struct sf_item ends[] = { SF_ALL, SF_NEW };
	struct sf_item middle[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_val *dt, *cs, *da, *dbx, *x, *y, *state = NULL;

	dt = l->to_type(b, s->bias, s->dt->dtype);
	dt = l->binary(b, SF_CALL_ADD, s->dt, l->getitem(b, dt, 2, ends));
	dt = sf_aten_softplus(b, dt);
	y = l->transpose(b, s->b, 1, 2);
	cs = l->transpose(b, s->c, 1, 2);
	da = l->getitem(b, a, 4, of_a);
	da = l->binary(b, SF_CALL_MUL, da, l->getitem(b, dt, 4, last));
	da = sf_aten_each(b, "aten.exp", da);
	dbx = l->getitem(b, dt, 4, last);
	y = l->to_type(b, l->getitem(b, y, 4, row), SF_DT_F32);
	dbx = l->binary(b, SF_CALL_MUL, dbx, y);
	y = l->to_type(b, l->getitem(b, s->x, 4, last), SF_DT_F32);
	dbx = l->binary(b, SF_CALL_MUL, dbx, y);
	x = b->route->compiling ? at_once(b, s, da, dbx, cs)
				: loop(b, s, da, dbx, cs, &state);
	y = l->binary(b, SF_CALL_MUL, s->x, l->getitem(b, s->d, 3, middle));
	x = l->binary(b, SF_CALL_ADD, x, y);
	x = l->binary(b, SF_CALL_MUL, x, l->unary(b, SF_CALL_SILU, s->gate));
	if (state != NULL)
		sf_ssm_keep(b, state);
	return x;
}

/* ---- the mixer ---- */

static struct sf_val *
run_scan(struct sf_build *b, int64_t layer, const char *name, struct steps *s,
    struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t inner = b->arch->ssm->inner;

	s->d = sf_part(b, layer, name, "D", inner, 0);
	if (b->work.context != 0) {
		s->x = l->select(b, l->transpose(b, s->x, 1, 2), 2);
		s->dt = l->select(b, s->dt, 2);
		s->b = l->select(b, s->b, 1);
		s->c = l->select(b, s->c, 1);
		s->gate = l->select(b, s->gate, 2);
		return scan_one(b, s, a);
	}
	s->x = l->transpose(b, s->x, 1, 2);
	s->b = l->transpose(b, s->b, 1, 2);
	s->c = l->transpose(b, s->c, 1, 2);
	s->d = l->to_type(b, s->d, SF_DT_F32);
	return scan(b, s, a);
}

/* As PyTorch runs it, with channels before tokens; what comes out is so, too. */
static struct sf_val *
scan_eager(struct sf_build *b, int64_t layer, const char *name, struct steps *s,
    struct sf_val *w, struct sf_val *a)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *x;

	s->dt = matrix_times(b, w, l->transpose(b, s->dt, 1, 2));
	s->bias = l->to_type(b, s->bias, SF_DT_F32);
	x = run_scan(b, layer, name, s, a);
	return l->to_type(b, l->transpose(b, x, 1, 2), b->work.dtype);
}

static struct sf_val *
scan_fused(struct sf_build *b, int64_t layer, const char *name,
    const struct steps *s, struct sf_val *w)
{
	const struct sf_ssm *m = b->arch->ssm;
	int64_t shape[] = { s->x->shape[0], m->inner, m->state };
	struct sf_val *in[] = { s->x,
		b->route->lower->linear(b, s->dt, w, NULL), s->b, s->c, s->gate,
		sf_part(b, layer, name, "A_log", m->inner, m->state),
		sf_part(b, layer, name, "D", m->inner, 0), s->bias };

	return sf_fuse_scan(b, "gpu.selective_scan", in, 8, 3, shape, NULL);
}

struct sf_val *
sf_mamba_mix(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_ssm *m = b->arch->ssm;
	int64_t sizes[] = { m->rank, m->state, m->state };
	int64_t square[] = { m->inner, m->state };
	struct sf_val *parts[3], *a = NULL, *w;
	struct steps s;
	const char *around = sf_enter(b, layer, name);

	x = sf_linear(
	    b, layer, part(b, name, "in_proj"), x, 2 * m->inner, m->bias);
	x = l->transpose(b, x, 1, 2);
	if (!sf_fuses(b))
		a = sf_ssm_decay(b, layer, name, 2, square);
	sf_aten_chunk(b, x, 1, 2, parts);
	s.gate = parts[1];
	if (sf_fuses(b))
		s.gate = l->transpose(b, s.gate, 1, 2);
	x = sf_ssm_convolve(b, layer, part(b, name, "conv1d"), parts[0]);
	s.x = x = l->transpose(b, x, 1, 2);
	x = sf_linear(b, layer, part(b, name, "x_proj"), x,
	    m->rank + 2 * m->state, false);
	l->split(b, x, sizes, 3, parts);
	s.dt = bare_norm(b, "dt_layernorm", parts[0]);
	s.b = bare_norm(b, "b_layernorm", parts[1]);
	s.c = bare_norm(b, "c_layernorm", parts[2]);
	w = sf_part(
	    b, layer, part(b, name, "dt_proj"), "weight", m->inner, m->rank);
	s.bias =
	    sf_part(b, layer, part(b, name, "dt_proj"), "bias", m->inner, 0);
	x = sf_fuses(b) ? scan_fused(b, layer, name, &s, w)
			: scan_eager(b, layer, name, &s, w, a);
	return sf_leave_with(b, around,
	    sf_linear(b, layer, part(b, name, "out_proj"), x, b->arch->hidden,
		m->bias));
}

/* ---- the model ---- */

static struct sf_val *
layer(struct sf_build *b, int64_t i, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y;
	const char *around = sf_enter(b, i, "backbone.layers.%d");

	y = sf_ssm_norm(b, i, "backbone.layers.%d.norm", x);
	if (b->arch->ssm->float_residual)
		x = l->to_type(b, x, SF_DT_F32);
	y = b->arch->ssm->heads != 0
	    ? sf_mamba2_mix(b, i, "backbone.layers.%d.mixer", y)
	    : sf_mamba_mix(b, i, "backbone.layers.%d.mixer", y);
	return sf_leave_with(b, around, l->binary(b, SF_CALL_ADD, x, y));
}

struct sf_val *
sf_mamba_run(struct sf_build *b, struct sf_val *ids)
{
	const struct sf_arch *a = b->arch;
	struct sf_arena *outer;
	struct sf_val *table, *x;
	const char *around = sf_enter_base(b);

	table =
	    sf_weight(b, -1, "backbone.embeddings.weight", a->vocab, a->hidden);
	x = sf_embed(b, "backbone.embeddings", table, ids);
	outer = sf_rounds_begin(&b->graph);
	for (int64_t i = 0; i < a->layers; i++) {
		x = layer(b, i, x);
		sf_rounds_next(&b->graph, outer, &x, 1);
	}
	sf_rounds_end(&b->graph, outer);
	x = sf_norm(b, -1, "backbone.norm_f", x);
	sf_leave(b, around);
	return sf_ssm_logits(b, x, table);
}
