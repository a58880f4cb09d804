/* Reductions and look-ups of ATen, and norms of layers. */
#include "model/derive.h"
#include "model/lower-aten.h"
#include "model/stride.h"

struct sf_val *
sf_aten_mean_last(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.mean", x, sf_derive_last(&b->graph, x, 1));
}

struct sf_val *
sf_aten_type_as(struct sf_build *b, struct sf_val *x, struct sf_val *like)
{
	sf_aten_query(b, like, 1);
	if (x->dtype != like->dtype)
		return sf_aten_to_copy(b, x, like->dtype);
	sf_aten_query(b, x, 1);
	return x;
}

struct sf_val *
sf_aten_gather(struct sf_build *b, struct sf_val *x, struct sf_val *ids)
{
	return sf_aten_2(b, "aten.gather", x, ids,
	    sf_val_new(&b->graph, x->dtype, ids->rank, ids->shape));
}

struct sf_val *
sf_aten_index2(
    struct sf_build *b, struct sf_val *x, struct sf_val *i, struct sf_val *j)
{
	struct sf_val *in[] = { x, i, j };
	struct sf_val *out =
	    sf_derive_broadcast(&b->graph, in + 1, 2, x->dtype);

	sf_aten_query(b, x, 2);
	for (int k = 2; k < x->rank; k++)
		out->shape[out->rank++] = x->shape[k];
	sf_stride_dense(out);
	sf_aten_add(b, "aten.index", in, 3, &out, 1);
	return out;
}

struct sf_val *
sf_aten_cumsum(struct sf_build *b, struct sf_val *x, int dim)
{
	(void)dim;
	return sf_aten_1(b, "aten.cumsum", x,
	    sf_aten_like(b, x, x->dtype == SF_DT_F32 ? SF_DT_F32 : SF_DT_I64));
}

struct sf_val *
sf_aten_layer_norm(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias)
{
	struct sf_val *in[] = { x, weight, bias }, *out[3];
	int n = weight == NULL ? 1 : bias == NULL ? 2 : 3;

	if (b->route->aten->whole_linear) {
		out[0] = sf_derive_last(&b->graph, x, x->shape[x->rank - 1]);
		sf_aten_add(b, "gpu.norm", in, n, out, 1);
		return out[0];
	}
	out[0] = sf_derive_last(&b->graph, x, x->shape[x->rank - 1]);
	out[1] = sf_derive_last(&b->graph, x, 1);
	if (!b->route->aten->own_type_stats)
		out[1]->dtype = SF_DT_F32;
	out[2] = sf_val_like(&b->graph, out[1]);
	sf_aten_add(b, "aten.native_layer_norm", in, n, out, 3);
	return out[0];
}
