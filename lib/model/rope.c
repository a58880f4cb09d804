/* Rotary position embedding: the calls of its modules. */
#include "model/rope.h"

#include "model/fuse.h"
#include "model/lower-aten-more.h"

/* The frequencies as a column for each sequence, in the two spellings. */
static struct sf_val *
frequencies(struct sf_build *b, struct sf_val *inv_freq)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item column[] = { SF_NEW, SF_ALL, SF_NEW };
	struct sf_val *x = l->getitem(b, inv_freq, 3, column);
	int64_t shape[] = { 1, x->shape[1], 1 };

	if (!b->arch->family->recasts_rotary) {
		x = l->expand(b, x, 3, shape);
		x = l->to_type(b, x, SF_DT_F32);
		/* What is made on the host is moved to the device. */
		return b->arch->family->remakes_rotary &&
			!b->route->aten->queries
		    ? sf_aten_to_copy(b, x, SF_DT_F32)
		    : x;
	}
	x = l->to_type(b, x, SF_DT_F32);
	x = l->expand(b, x, 3, shape);
	return b->arch->family->keeps_device ? x : l->to_device(b, x);
}

struct sf_val *
sf_rope_frequencies(struct sf_build *b, int64_t pairs)
{
	struct sf_val *x = sf_val_new(&b->graph, SF_DT_F32, 1, &pairs);

	x->name = sf_arena_printf(b->graph.arena, "model.rotary_emb.%sinv_freq",
	    b->arch->rotary_kind != NULL ? b->arch->rotary_kind : "");
	x->fixed = true; /* a buffer */
	return x;
}

/* Frequencies that are computed where a buffer could hold them. */
static struct sf_val *
remake(struct sf_build *b, struct sf_val *positions, int64_t pairs)
{
	static const char *const steps[] = { "aten.div", "aten.pow",
		"aten.reciprocal", "aten.mul" };
	struct sf_val *x;

	x = sf_aten_1(b, "aten.max", positions,
	    sf_val_new(&b->graph, SF_DT_I64, 0, NULL));
	b->route->lower->number(b, SF_CALL_ADD, x, 1);
	x = sf_aten_construct(
	    b, "aten.arange", sf_val_new(&b->graph, SF_DT_F32, 1, &pairs));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		x = sf_aten_each(b, steps[i], x);
	return x;
}

static struct sf_rope
angles(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t pairs = b->arch->rotary_dim / 2;
	struct sf_item row[] = { SF_ALL, SF_NEW, SF_ALL };
	bool remade = b->arch->family->remakes_rotary && !sf_fuses(b);
	struct sf_val *inv_freq = remade ? remake(b, positions, pairs)
					 : sf_rope_frequencies(b, pairs);
	double scale = b->arch->rotary_scale;
	struct sf_val *x, *y;
	struct sf_rope r;

	x = frequencies(b, inv_freq);
	y = l->getitem(b, positions, 3, row);
	y = l->to_type(b, y, SF_DT_F32);
	if (b->arch->family->recasts_rotary) {
		x = l->to_type(b, x, SF_DT_F32);
		y = l->to_type(b, y, SF_DT_F32);
	}
	x = l->transpose(b, l->matmul(b, x, y), 1, 2);
	if (b->arch->family->interleaved && !b->arch->family->late_pairs)
		x = l->repeat_last(b, x);
	else if (!b->arch->family->half_angles)
		x = l->cat(b, x, x, -1);
	r.cos = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_COS, x), scale);
	r.sin = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_SIN, x), scale);
	if (b->arch->family->wide_rotary)
		return r;
	r.cos = l->to_type(b, r.cos, b->work.dtype);
	r.sin = l->to_type(b, r.sin, b->work.dtype);
	return r;
}

struct sf_rope
sf_rope_angles(struct sf_build *b, struct sf_val *positions)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_rope r = angles(b, positions);

	sf_rope_fuse_angles(b, f, positions, &r);
	return r;
}

void
sf_rope_fuse_angles(struct sf_build *b, struct sf_fusion f,
    struct sf_val *positions, const struct sf_rope *r)
{
	sf_fuse_end(b, f, "gpu.rotary_angles", &positions, 1,
	    (struct sf_val *[]){ r->cos, r->sin }, 2);
}

/*
 * Python goes through a set of the types, in an order that is another in each
 * process; this is one of the two.
 */
struct sf_ropes
sf_rope_types(struct sf_build *b, struct sf_val *positions)
{
	const struct sf_arch *a = b->arch;
	struct sf_ropes r = { { NULL, NULL }, { NULL, NULL } };
	/* Dynamo's own sets have the order of what is put into them. */
	bool late = a->family->typed_rotary && b->route->pruned &&
	    !b->route->exporting && !a->sliding[0];

	if (a->any_sliding && !late)
		r.sliding = sf_rope_angles(b, positions);
	b->arch = a->full;
	if (!a->all_sliding)
		r.full = sf_rope_angles(b, positions);
	b->arch = a;
	if (a->any_sliding && late)
		r.sliding = sf_rope_angles(b, positions);
	return r;
}

/* Neighbours are a pair. */
static struct sf_val *
rotate_pairs(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item even[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(0) };
	struct sf_item odd[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(1) };
	struct sf_val *x1 = l->getitem(b, x, 4, even);
	struct sf_val *x2 = l->getitem(b, x, 4, odd);

	x1 = l->stack(b, l->unary(b, SF_CALL_NEG, x2), x1);
	return l->view(b, x1, 4, x->shape);
}

static struct sf_val *
rotate_half(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t half = x->shape[3] / 2;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(half) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(half) };
	struct sf_val *x1 = l->getitem(b, x, 4, low);
	struct sf_val *x2 = l->getitem(b, x, 4, high);

	if (b->arch->family->turns_back)
		return l->cat(b, x2, l->unary(b, SF_CALL_NEG, x1), -1);
	return l->cat(b, l->unary(b, SF_CALL_NEG, x2), x1, -1);
}

/* Both halves by the angles of pairs. */
static struct sf_val *
rotate_halves(struct sf_build *b, struct sf_val *x, const struct sf_rope *r)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *half[2], *first, *second;

	l->split(b, x, NULL, 2, half);
	first = l->binary(b, SF_CALL_MUL, half[0], r->cos);
	second = l->binary(b, SF_CALL_MUL, half[1], r->sin);
	first = l->binary(b, SF_CALL_SUB, first, second);
	second = l->binary(b, SF_CALL_MUL, half[1], r->cos);
	x = l->binary(b, SF_CALL_MUL, half[0], r->sin);
	second = l->binary(b, SF_CALL_ADD, second, x);
	return l->cat(b, first, second, -1);
}

/* In FP32, where both that is straight and that is turned are made so. */
static struct sf_val *
widened(struct sf_build *b, struct sf_val *x)
{
	if (!b->arch->family->float_turns)
		return x;
	return b->route->lower->to_type(b, x, SF_DT_F32);
}

struct sf_val *
sf_rope_rotate(struct sf_build *b, struct sf_val *x, const struct sf_rope *r)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *straight, *turned;

	if (b->arch->family->half_angles)
		return rotate_halves(b, x, r);
	straight = l->binary(b, SF_CALL_MUL, widened(b, x), r->cos);
	turned = b->arch->family->interleaved ? rotate_pairs(b, x)
					      : rotate_half(b, x);
	turned = widened(b, turned);
	turned = l->binary(b, SF_CALL_MUL, turned, r->sin);
	return l->binary(b, SF_CALL_ADD, straight, turned);
}

/* The two parts of a head, of which the first is rotated. */
static void
part(struct sf_build *b, struct sf_val *x, struct sf_val *parts[2])
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t size = b->arch->rotary_dim;
	struct sf_item low[] = { SF_ALL, SF_ALL, SF_ALL, SF_TO(size) };
	struct sf_item high[] = { SF_ALL, SF_ALL, SF_ALL, SF_FROM(size) };

	parts[0] = l->getitem(b, x, 4, low);
	parts[1] = l->getitem(b, x, 4, high);
}

/* The angles, the same for each head. */
static struct sf_rope
per_head(struct sf_build *b, const struct sf_rope *r)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_rope heads;

	heads.cos = l->unsqueeze(b, r->cos, 1);
	heads.sin = l->unsqueeze(b, r->sin, 1);
	return heads;
}

/* Angles of halves as those of neighbours. */
static struct sf_val *
of_pairs(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item half[] = { SF_ALL, SF_ALL, SF_ALL,
		SF_TO(x->shape[3] / 2) };

	return l->repeat_last(b, l->getitem(b, x, 4, half));
}

static void
apply_to_parts(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_rope heads;
	struct sf_val *of_q[2], *of_k[2];

	if (!b->arch->family->parts_first)
		heads = per_head(b, r);
	if (b->arch->family->late_pairs) {
		heads.cos = of_pairs(b, heads.cos);
		heads.sin = of_pairs(b, heads.sin);
	}
	part(b, *q, of_q);
	part(b, *k, of_k);
	if (b->arch->family->parts_first)
		heads = per_head(b, r);
	r = &heads;
	of_q[0] = sf_rope_rotate(b, of_q[0], r);
	if (b->arch->family->rotates_together)
		of_k[0] = sf_rope_rotate(b, of_k[0], r);
	*q = l->cat(b, of_q[0], of_q[1], -1);
	if (!b->arch->family->rotates_together)
		of_k[0] = sf_rope_rotate(b, of_k[0], r);
	*k = l->cat(b, of_k[0], of_k[1], -1);
}

static void
apply(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_rope heads;

	if (b->arch->family->partial_rotary) {
		apply_to_parts(b, r, q, k);
		return;
	}
	if (b->arch->family->float_rotary) {
		*q = l->to_type(b, *q, SF_DT_F32);
		*k = l->to_type(b, *k, SF_DT_F32);
	}
	heads = per_head(b, r);
	if (b->arch->family->late_pairs) {
		heads.cos = of_pairs(b, heads.cos);
		heads.sin = of_pairs(b, heads.sin);
	}
	*q = sf_rope_rotate(b, *q, &heads);
	*k = sf_rope_rotate(b, *k, &heads);
	if (b->arch->family->wide_rotary || b->arch->family->float_rotary) {
		*q = l->to_type(b, *q, b->work.dtype);
		*k = l->to_type(b, *k, b->work.dtype);
	}
}

void
sf_rope_halves(struct sf_build *b, const struct sf_rope *r, int dim,
    struct sf_val **q, struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_rope heads;

	heads.cos = l->unsqueeze(b, r->cos, dim);
	heads.sin = l->unsqueeze(b, r->sin, dim);
	*q = sf_rope_rotate(b, *q, &heads);
	*k = sf_rope_rotate(b, *k, &heads);
}

/* The first of the two halves, which are alike. */
static struct sf_val *
first_half(struct sf_build *b, struct sf_val *x, int dim)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item half[] = { SF_ALL, SF_ALL, SF_TO(x->shape[2] / 2) };

	return l->unsqueeze(b, l->getitem(b, x, 3, half), dim);
}

/* Neighbours that are apart. */
static struct sf_val *
turn(struct sf_build *b, struct sf_val *x1, struct sf_val *x2,
    const struct sf_rope *r)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y1, *y2, *z;

	y1 = l->binary(b, SF_CALL_MUL, x1, r->cos);
	z = l->binary(b, SF_CALL_MUL, x2, r->sin);
	y1 = l->binary(b, SF_CALL_SUB, y1, z);
	y2 = l->binary(b, SF_CALL_MUL, x2, r->cos);
	z = l->binary(b, SF_CALL_MUL, x1, r->sin);
	y2 = l->binary(b, SF_CALL_ADD, y2, z);
	return l->cat(b, y1, y2, -1);
}

void
sf_rope_neighbours(struct sf_build *b, const struct sf_rope *r, int dim,
    struct sf_val **q, struct sf_val **k)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item even[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(0) };
	struct sf_item odd[] = { SF_ALL, SF_ALL, SF_ALL, SF_STEP(1) };
	struct sf_rope heads;
	struct sf_val *q1, *q2, *k1, *k2;

	heads.cos = first_half(b, r->cos, dim);
	heads.sin = first_half(b, r->sin, dim);
	q1 = l->getitem(b, *q, 4, even);
	q2 = l->getitem(b, *q, 4, odd);
	k1 = l->getitem(b, *k, 4, even);
	k2 = l->getitem(b, *k, 4, odd);
	*q = turn(b, q1, q2, &heads);
	*k = turn(b, k1, k2, &heads);
}

void
sf_rope_apply(struct sf_build *b, const struct sf_rope *r, struct sf_val **q,
    struct sf_val **k)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { *q, *k, r->cos, r->sin };

	apply(b, r, q, k);
	sf_fuse_end(
	    b, f, "gpu.rotary", in, 4, (struct sf_val *[]){ *q, *k }, 2);
}

struct sf_val *
sf_rope_heat(struct sf_build *b, struct sf_val *q, struct sf_val *positions)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_item heads[] = { SF_ALL, SF_NEW, SF_ALL, SF_NEW };
	struct sf_val *x;

	x = l->true_divide(b, positions, b->arch->heat_tokens);
	x = l->unary(b, SF_CALL_FLOOR, x);
	x = l->whole_number(b, SF_CALL_ADD, x, 1);
	x = l->unary(b, SF_CALL_LOG, x);
	x = l->number(b, SF_CALL_MUL, x, b->arch->heat);
	x = l->whole_number(b, SF_CALL_ADD, x, 1);
	x = l->getitem(b, x, 4, heads);
	return l->binary(b, SF_CALL_MUL, q, l->to_type(b, x, q->dtype));
}

struct sf_val *
sf_rope_pairs(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t *s = x->shape;

	x = l->to_type(b, x, SF_DT_F32);
	x = l->reshape(b, x, 5, (int64_t[]){ s[0], s[1], s[2], s[3] / 2, 2 });
	return sf_aten_as_complex(b, x);
}
