/* Calls of vision and audio towers to ATen operators. */
#include "model/derive.h"
#include "model/lower-aten.h"
#include "model/stride.h"

/* Of two dimensions, or of the one of audio: how far filters move. */
static const char *
window(struct sf_build *b, int n, int64_t stride, int64_t padding)
{
	long long s = (long long)stride, p = (long long)padding;

	if (n > 2)
		return NULL; /* each size of the filter is the image's */
	if (n == 1)
		return sf_arena_printf(b->graph.arena,
		    "{\"stride\":[%lld],\"padding\":[%lld]}", s, p);
	return sf_arena_printf(b->graph.arena,
	    "{\"stride\":[%lld,%lld],\"padding\":[%lld,%lld]}", s, s, p, p);
}

struct sf_val *
sf_aten_convolution(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias, int64_t stride, int64_t padding)
{
	struct sf_val *in[] = { x, weight, bias };
	struct sf_val *out =
	    sf_derive_convolution(&b->graph, x, weight, stride, padding);

	sf_aten_add(b, "aten.convolution", in, bias != NULL ? 3 : 2, &out, 1);
	b->graph.last->attrs = window(b, x->rank - 2, stride, padding);
	return out;
}

struct sf_val *
sf_aten_argmax_last(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.argmax", x,
	    sf_val_new(&b->graph, SF_DT_I64, x->rank - 1, x->shape));
}

void
sf_aten_unbind(struct sf_build *b, struct sf_val *x)
{
	int64_t n = x->shape[0];
	struct sf_val **parts =
	    sf_arena_calloc(b->graph.arena, (size_t)n, sizeof *parts);

	for (int64_t i = 0; i < n; i++) {
		parts[i] = sf_derive_select(&b->graph, x, 0);
		if (!b->route->exporting)
			continue;
		parts[i] = sf_aten_1(
		    b, "aten.slice", x, sf_derive_narrow(&b->graph, x, 0, 1));
		b->graph.last->effect = true;
	}
	if (!b->route->exporting) {
		sf_aten_add(b, "aten.unbind", &x, 1, parts, (int)n);
		sf_aten_query(b, x, (int)n);
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		sf_aten_1(b, "aten.squeeze", parts[i],
		    sf_derive_select(&b->graph, parts[i], 0));
		b->graph.last->effect = true;
	}
}

struct sf_val *
sf_aten_mean_dim(struct sf_build *b, struct sf_val *x, int dim)
{
	struct sf_val *out = sf_derive_select(&b->graph, x, dim);

	sf_stride_dense(out);
	return sf_aten_1(b, "aten.mean", x, out);
}

/* torch.norm(p=2), which Core ATen has as the root of a sum in FP32. */
struct sf_val *
sf_aten_length_last(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	enum sf_dtype dtype = x->dtype;

	if (!b->route->aten->checks)
		return sf_aten_1(b, "aten.linalg_vector_norm", x,
		    sf_derive_last(&b->graph, x, 1));
	if (dtype != SF_DT_F32)
		x = sf_aten_to_copy(b, x, SF_DT_F32);
	x = l->sum(b, l->number(b, SF_CALL_POW, x, 2), x->rank - 1, true);
	x = l->number(b, SF_CALL_POW, x, 0.5);
	return dtype == SF_DT_F32 ? x : sf_aten_to_copy(b, x, dtype);
}
