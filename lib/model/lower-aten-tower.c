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
