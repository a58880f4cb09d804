/* Calls that relative positions need, to ATen operators. */
#include "model/derive.h"
#include "model/lower-aten.h"

struct sf_val *
sf_aten_at_most(struct sf_build *b, struct sf_val *x, int64_t number)
{
	const struct sf_aten *aten = b->route->aten;
	struct sf_val *all = sf_aten_like(b, x, x->dtype);

	sf_aten_1(b, number == 0 ? aten->zeros_like : "aten.full_like", x, all);
	if (aten->detaches)
		all = sf_aten_1(
		    b, "aten.detach", all, sf_val_like(&b->graph, all));
	return sf_decomposition_aten.binary(b, SF_CALL_MINIMUM, x, all);
}

struct sf_val *
sf_aten_where_else(struct sf_build *b, struct sf_val *mask, struct sf_val *x)
{
	struct sf_val *least;

	sf_aten_query(b, x, 1);
	least = sf_aten_make(
	    b, "aten.scalar_tensor", sf_val_new(&b->graph, x->dtype, 0, NULL));
	sf_aten_query(b, x, 1);
	return sf_aten_where(b, mask, x, least);
}

struct sf_val *
sf_aten_zeros(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	return sf_aten_construct(b, b->route->aten->zeros,
	    sf_val_new(&b->graph, dtype, rank, shape));
}

struct sf_val *
sf_aten_last_first(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out = sf_derive_last_first(&b->graph, x);

	sf_aten_1(b, "aten.permute", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

struct sf_val *
sf_aten_true_divide(struct sf_build *b, struct sf_val *x, int64_t number)
{
	(void)number; /* it leaves no trace */
	return sf_aten_1(b, "aten.div", x, sf_aten_like(b, x, SF_DT_F32));
}

struct sf_val *
sf_aten_clamp_within(struct sf_build *b, struct sf_val *x, double limit)
{
	(void)limit; /* it leaves no trace */
	return sf_aten_clamp(b, x);
}
