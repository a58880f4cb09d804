/* Norms. */
#include "model/norm.h"

#include "model/block.h"
#include "model/fuse.h"

static struct sf_val *
rms_norm(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = x->dtype;
	struct sf_val *scale;

	x = l->to_type(b, x, SF_DT_F32);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, x, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	x = l->binary(b, SF_CALL_MUL, x, scale);
	if (b->arch->family->norm == SF_NORM_RMS_FLOAT)
		weight = l->to_type(b, weight, SF_DT_F32);
	if (b->arch->family->norm == SF_NORM_RMS_WIDE ||
	    b->arch->family->norm == SF_NORM_RMS_FLOAT)
		return l->to_type(
		    b, l->binary(b, SF_CALL_MUL, weight, x), dtype);
	return l->binary(b, SF_CALL_MUL, weight, l->to_type(b, x, dtype));
}

/* Gemma's: in FP32 to the end, by one more than the weight. */
static struct sf_val *
rms_norm_plus_1(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->to_type(b, x, SF_DT_F32), *scale;

	scale = l->mean_last(b, l->number(b, SF_CALL_POW, y, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	y = l->binary(b, SF_CALL_MUL, y, scale);
	weight = l->to_type(b, weight, SF_DT_F32);
	weight = l->number(b, SF_CALL_ADD, weight, 1);
	return l->type_as(b, l->binary(b, SF_CALL_MUL, y, weight), x);
}

/* By a power of what others take the root of, WEIGHT may be NULL. */
static struct sf_val *
rms_norm_root(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->to_type(b, x, SF_DT_F32), *scale;

	scale = l->mean_last(b, l->number(b, SF_CALL_POW, y, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->number(b, SF_CALL_POW, scale, -0.5);
	y = l->binary(b, SF_CALL_MUL, y, scale);
	if (weight != NULL)
		y = l->binary(
		    b, SF_CALL_MUL, y, l->to_type(b, weight, SF_DT_F32));
	return l->type_as(b, y, x);
}

static struct sf_val *
by_length(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->to_type(b, x, SF_DT_F32), *scale;

	scale = l->mean_last(b, l->number(b, SF_CALL_POW, y, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	return l->type_as(b, l->binary(b, SF_CALL_MUL, y, scale), x);
}

struct sf_val *
sf_norm_length(struct sf_build *b, struct sf_val *x)
{
	struct sf_fusion f = sf_fuse_begin(b);

	return sf_fuse_1(b, f, "gpu.norm", x, by_length(b, x));
}

struct sf_val *
sf_norm_bare(struct sf_build *b, const char *name, struct sf_val *x)
{
	const char *around = sf_enter_part(b, name);
	struct sf_fusion f = sf_fuse_begin(b);

	x = sf_fuse_1(b, f, "gpu.norm", x, rms_norm_root(b, x, NULL));
	sf_leave(b, around);
	return x;
}

static struct sf_val *
bare_layer_norm(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->to_type(b, x, SF_DT_F32);

	return l->to_type(b, l->layer_norm(b, y, NULL, NULL), x->dtype);
}

/* Cohere's: in FP32 to the end. */
static struct sf_val *
cohere_norm(struct sf_build *b, struct sf_val *x, struct sf_val *weight)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *y = l->to_type(b, x, SF_DT_F32), *mean, *scale;

	mean = l->mean_last(b, y);
	scale = l->binary(b, SF_CALL_SUB, y, mean);
	scale = l->mean_last(b, l->number(b, SF_CALL_POW, scale, 2));
	y = l->binary(b, SF_CALL_SUB, y, mean);
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	y = l->binary(b, SF_CALL_MUL, y, scale);
	weight = l->to_type(b, weight, SF_DT_F32);
	return l->to_type(b, l->binary(b, SF_CALL_MUL, weight, y), x->dtype);
}

static struct sf_val *
norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	int64_t width = x->shape[x->rank - 1];
	enum sf_norm_kind kind = b->arch->family->norm;
	struct sf_val *weight = NULL;

	/* Of heads, each has a weight of its own. */
	if (kind == SF_NORM_COHERE && x->rank == 4)
		weight = sf_part(b, layer, name, "weight", x->shape[2], width);
	else if (kind != SF_NORM_LAYER_BARE && kind != SF_NORM_RMS_BARE)
		weight = sf_part(b, layer, name, "weight", width, 0);
	switch (kind) {
	case SF_NORM_LAYER_BARE:
		return bare_layer_norm(b, x);
	case SF_NORM_RMS_BARE:
		return sf_norm_length(b, x);
	case SF_NORM_LAYER_PLUS_1:
		weight = b->route->lower->number(b, SF_CALL_ADD, weight, 1);
		return b->route->lower->layer_norm(
		    b, x, weight, sf_part(b, layer, name, "bias", width, 0));
	case SF_NORM_LAYER:
		return b->route->lower->layer_norm(
		    b, x, weight, sf_part(b, layer, name, "bias", width, 0));
	case SF_NORM_COHERE:
		return cohere_norm(b, x, weight);
	case SF_NORM_RMS_PLUS_1:
		return rms_norm_plus_1(b, x, weight);
	case SF_NORM_RMS_LATE:
		return b->route->lower->binary(
		    b, SF_CALL_MUL, sf_norm_length(b, x), weight);
	case SF_NORM_RMS_ROOT:
		return rms_norm_root(b, x, weight);
	case SF_NORM_RMS:
	case SF_NORM_RMS_WIDE:
	case SF_NORM_RMS_FLOAT:
	case SF_NORM_FALCON:
		break;
	}
	return rms_norm(b, x, weight);
}

struct sf_val *
sf_norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const char *around = sf_enter(b, layer, name);
	struct sf_fusion f = sf_fuse_begin(b);

	x = sf_fuse_1(b, f, "gpu.norm", x, norm(b, layer, name, x));
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_norm_unweighted(struct sf_build *b, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const char *around = sf_enter_part(b, name);
	struct sf_val *scale = l->to_type(b, x, SF_DT_F32);

	scale = l->mean_last(b, l->number(b, SF_CALL_POW, scale, 2));
	scale = l->number(b, SF_CALL_ADD, scale, b->arch->epsilon);
	scale = l->unary(b, SF_CALL_RSQRT, scale);
	return sf_leave_with(b, around,
	    l->binary(b, SF_CALL_MUL, x, l->to_type(b, scale, x->dtype)));
}
