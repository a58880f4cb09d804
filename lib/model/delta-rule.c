/*
 * The gated delta rule: the order of calls is that of transformers 5.18's
 * torch_chunk_gated_delta_rule and torch_recurrent_gated_delta_rule.
 */
#include "model/arch.h"
#include "model/delta.h"
#include "model/lower-aten-scan.h"
#include "model/lower-aten.h"
#include "model/mask.h"

/* Chunks: q, k, k and v times beta, and the sums of the decay. */
struct chunks {
	struct sf_val *q, *k, *k_beta, *v_beta, *sums;
	struct sf_val *between; /* what decays between two tokens */
	struct sf_val *inside;  /* attention within a chunk */
	struct sf_val *values;  /* the new values, as if there were no state */
	struct sf_val *keys;    /* by which a state corrects them */
};

/* [batch, heads, tokens, ...], in FP32 and dense. */
static struct sf_val *
wide(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_to_dense(
	    b, b->route->lower->transpose(b, x, 1, 2), SF_DT_F32);
}

static struct sf_val *
l2_norm(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *scale = l->binary(b, SF_CALL_MUL, x, x);

	scale = l->sum(b, scale, 3, true);
	scale = l->number(b, SF_CALL_ADD, scale, 1e-6);
	return l->binary(b, SF_CALL_MUL, x, l->unary(b, SF_CALL_RSQRT, scale));
}

static struct sf_delta_input
prepare(struct sf_build *b, const struct sf_delta_input *in, enum sf_call scale)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_delta_input out;

	out.q = wide(b, in->q);
	out.k = wide(b, in->k);
	out.v = wide(b, in->v);
	out.beta = wide(b, in->beta);
	out.decay = wide(b, in->decay);
	out.q = l2_norm(b, out.q);
	out.k = l2_norm(b, out.k);
	out.q = l->number(b, scale, out.q, 1);
	return out;
}

/* X, [batch, heads, tokens] or with a size, in chunks. */
static struct sf_val *
in_chunks(struct sf_build *b, struct sf_val *x)
{
	int64_t shape[] = { x->shape[0], x->shape[1],
		x->shape[2] / SF_DELTA_CHUNK, SF_DELTA_CHUNK, x->shape[3] };

	return b->route->lower->reshape(b, x, x->rank + 1, shape);
}

static struct sf_val *
times_column(struct sf_build *b, struct sf_val *x, struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;

	return l->binary(b, SF_CALL_MUL, x, l->unsqueeze(b, y, y->rank));
}

static struct chunks
cut(struct sf_build *b, const struct sf_delta_input *given)
{
	int64_t tokens = given->q->shape[2];
	int64_t more =
	    (SF_DELTA_CHUNK - tokens % SF_DELTA_CHUNK) % SF_DELTA_CHUNK;
	struct sf_delta_input in;
	struct chunks c;

	in.q = sf_aten_pad(b, given->q, 2, 0, more);
	in.k = sf_aten_pad(b, given->k, 2, 0, more);
	in.v = sf_aten_pad(b, given->v, 2, 0, more);
	in.beta = sf_aten_pad(b, given->beta, 2, 0, more);
	in.decay = sf_aten_pad(b, given->decay, 2, 0, more);
	c.v_beta = times_column(b, in.v, in.beta);
	c.k_beta = times_column(b, in.k, in.beta);
	c.q = in_chunks(b, in.q);
	c.k = in_chunks(b, in.k);
	c.k_beta = in_chunks(b, c.k_beta);
	c.v_beta = in_chunks(b, c.v_beta);
	c.sums = in_chunks(b, in.decay);
	return c;
}

/* ---- solving a chunk ---- */

/* Row I of SYSTEM, as its inverse has it: eager code has a solver instead. */
static struct sf_val *
substitute(struct sf_build *b, struct sf_val *system, int64_t i)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item known = SF_TO(i);
	struct sf_item square[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(i),
		SF_TO(i) };
	struct sf_val *row, *sub, *part, *whole;

	row = sf_aten_item(b, l->select(b, system, 3), 3, &known);
	row = sf_aten_clone(b, row);
	sub = sf_aten_clone(b, l->getitem(b, system, 5, square));
	sub = l->binary(b, SF_CALL_MUL, l->unsqueeze(b, row, 4), sub);
	row = l->binary(b, SF_CALL_ADD, row, l->sum(b, sub, 3, false));
	part = sf_aten_item(b, l->select(b, system, 3), 3, &known);
	part = sf_aten_copy(b, part, row);
	whole = l->select(b, system, 3);
	whole = sf_aten_2(b, "aten.slice_scatter", whole, part,
	    sf_val_like(&b->graph, whole));
	return sf_aten_put_item(b, system, whole, 3);
}

static void
solve(struct sf_build *b, struct chunks *c, struct sf_val *system,
    struct sf_val *decayed)
{
	const struct sf_decomposition *l = b->route->lower;

	if (!b->route->exporting) {
		c->values = sf_aten_solve(b, system, c->v_beta);
		c->keys = sf_aten_solve(b, system, decayed);
		return;
	}
	system = l->unary(b, SF_CALL_NEG, sf_aten_lower(b, system));
	for (int64_t i = 1; i < SF_DELTA_CHUNK; i++)
		system = substitute(b, system, i);
	system = l->binary(
	    b, SF_CALL_ADD, system, sf_aten_eye(b, SF_DELTA_CHUNK, SF_DT_F32));
	c->values = l->matmul(b, system, c->v_beta);
	c->keys = l->matmul(b, system, decayed);
}

static void
solve_within(struct sf_build *b, struct chunks *c)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t square[] = { SF_DELTA_CHUNK, SF_DELTA_CHUNK };
	struct sf_val *upper, *row, *column, *system, *x;

	upper = sf_aten_triu(b, sf_aten_ones_of(b, SF_DT_B8, 2, square));
	c->sums = sf_aten_running_sum(b, c->sums);
	column = l->unsqueeze(b, c->sums, 4);
	row = l->unsqueeze(b, c->sums, 3);
	x = l->binary(b, SF_CALL_SUB, column, row);
	x = sf_aten_masked_fill(b, x, upper);
	c->between = sf_aten_each(b, "aten.exp", x);
	x = l->transpose(b, c->k, 3, 4);
	x = l->matmul(b, c->k_beta, x);
	system = l->binary(b, SF_CALL_MUL, x, c->between);
	x = l->transpose(b, c->k, 3, 4);
	x = l->matmul(b, c->q, x);
	c->inside = l->binary(b, SF_CALL_MUL, x, c->between);
	x = sf_aten_each(b, "aten.exp", c->sums);
	solve(b, c, system, times_column(b, c->k_beta, x));
}

/* ---- from chunk to chunk ---- */

/* What a chunk makes of the state in front of it, and that behind it. */
static struct sf_val *
step(struct sf_build *b, const struct chunks *c, struct sf_val *decay,
    struct sf_val **out, struct sf_val *state)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *new, *x, *y;

	new = l->select(b, c->values, 2);
	x = l->matmul(b, l->select(b, c->keys, 2), state);
	new = l->binary(b, SF_CALL_SUB, new, x);
	x = l->matmul(b, l->select(b, c->q, 2), state);
	y = l->matmul(b, l->select(b, c->inside, 2), new);
	x = l->binary(b, SF_CALL_ADD, x, y);
	*out = sf_aten_set_item(b, *out, 2, x);
	state = l->binary(b, SF_CALL_MUL, state, l->select(b, decay, 2));
	x = l->transpose(b, l->select(b, c->k, 2), 2, 3);
	return l->binary(b, SF_CALL_ADD, state, l->matmul(b, x, new));
}

/* Decays of chunks as matrices of one element. */
static struct sf_val *
chunk_decay(struct sf_build *b, struct sf_val *sums)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item ends[] = { SF_ALL, SF_ALL, SF_ALL, SF_NEW, SF_NEW };
	struct sf_val *x = l->select(b, sums, 3);

	return l->getitem(b, sf_aten_each(b, "aten.exp", x), 5, ends);
}

/* The output of all chunks, and the state behind the last. */
static struct sf_val *
run_chunks(struct sf_build *b, struct chunks *c, struct sf_val **behind)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *n = c->values->shape, chunks = n[2];
	int64_t shape[] = { n[0], n[1], c->k->shape[4], n[4] };
	struct sf_item last = SF_LAST(1);
	struct sf_val *state, *out, *decay, *x;

	state = sf_aten_zeros(b, SF_DT_F32, 4, shape);
	out = sf_aten_zeros_like(b, c->values);
	x = sf_aten_each(b, "aten.exp", c->sums);
	c->q = times_column(b, c->q, x);
	x = sf_aten_item(b, c->sums, 3, &last);
	x = l->binary(b, SF_CALL_SUB, x, c->sums);
	c->k = times_column(b, c->k, sf_aten_each(b, "aten.exp", x));
	decay = chunk_decay(b, c->sums);
	for (int64_t i = 0; i < chunks; i++)
		state = step(b, c, decay, &out, state);
	*behind = state;
	return l->reshape(
	    b, out, 4, (int64_t[]){ n[0], n[1], n[2] * n[3], n[4] });
}

struct sf_val *
sf_delta_chunks(struct sf_build *b, const struct sf_delta_input *given)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = given->q->dtype;
	struct sf_item items[] = { SF_ALL, SF_ALL, SF_TO(given->q->shape[1]) };
	struct sf_delta_input in = prepare(b, given, SF_CALL_MUL);
	struct chunks c = cut(b, &in);
	struct sf_val *x, *state;

	solve_within(b, &c);
	x = run_chunks(b, &c, &state);
	x = l->getitem(b, x, 3, items);
	x = sf_aten_to_dense(b, l->transpose(b, x, 1, 2), dtype);
	sf_ssm_keep(b, state);
	return x;
}

/* ---- one token ---- */

static struct sf_val *
sum_rows(struct sf_build *b, struct sf_val *x, struct sf_val *by)
{
	const struct sf_decomposition *l = b->route->lower;

	x = l->binary(b, SF_CALL_MUL, x, l->unsqueeze(b, by, 3));
	return l->sum(b, x, 2, false);
}

struct sf_val *
sf_delta_one(struct sf_build *b, const struct sf_delta_input *given)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = given->q->dtype;
	struct sf_item ends[] = { SF_ALL, SF_ALL, SF_NEW, SF_NEW };
	struct sf_delta_input in = prepare(b, given, SF_CALL_DIV);
	int64_t shape[] = { in.v->shape[0], in.v->shape[1], in.k->shape[3],
		in.v->shape[3] };
	struct sf_val *held = sf_ssm_held(b, 4, shape), *state, *out;
	struct sf_val *q, *k, *v, *beta, *x;

	state = sf_aten_to_like(b, held, in.v);
	out = sf_aten_zeros_like(b, in.v);
	q = l->select(b, in.q, 2);
	k = l->select(b, in.k, 2);
	v = l->select(b, in.v, 2);
	x = sf_aten_each(b, "aten.exp", l->select(b, in.decay, 2));
	x = l->getitem(b, x, 4, ends);
	state = l->binary(b, SF_CALL_MUL, state, x);
	beta = l->unsqueeze(b, l->select(b, in.beta, 2), 2);
	x = l->binary(b, SF_CALL_SUB, v, sum_rows(b, state, k));
	v = l->binary(b, SF_CALL_MUL, x, beta);
	x = l->unsqueeze(b, k, 3);
	x = l->binary(b, SF_CALL_MUL, x, l->unsqueeze(b, v, 2));
	state = l->binary(b, SF_CALL_ADD, state, x);
	out = sf_aten_set_item(b, out, 2, sum_rows(b, state, q));
	x = l->contiguous(b, l->transpose(b, out, 1, 2));
	x = l->to_type(b, x, dtype);
	sf_cache_keep(b, sf_aten_copy(b, held, state));
	return x;
}
