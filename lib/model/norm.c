/* Norms. */
#include "model/norm.h"

#include "model/block.h"

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
	return l->binary(b, SF_CALL_MUL, weight, l->to_type(b, x, dtype));
}

struct sf_val *
sf_norm(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	struct sf_val *weight =
	    sf_part(b, layer, name, "weight", x->shape[x->rank - 1], 0);

	return rms_norm(b, x, weight);
}
