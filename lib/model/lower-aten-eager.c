/* What attention written out in Python calls, as ATen's dispatcher sees it. */
#include "model/derive.h"
#include "model/lower-aten-more.h"
#include "model/lower-aten.h"

struct sf_val *
sf_aten_constant(struct sf_build *b, enum sf_dtype dtype)
{
	struct sf_val *x = sf_val_new(&b->graph, dtype, 0, NULL);

	x->fixed = true;
	if (!b->route->aten->queries)
		return x;
	return sf_aten_1(
	    b, "aten.lift_fresh", x, sf_val_new(&b->graph, dtype, 0, NULL));
}

struct sf_val *
sf_aten_number_mask_of(
    struct sf_build *b, struct sf_val *mask, struct sf_val *zero)
{
	struct sf_val *lowest;

	sf_aten_query(b, zero, 1);
	lowest = sf_aten_make(b, "aten.scalar_tensor",
	    sf_val_new(&b->graph, zero->dtype, 0, NULL));
	sf_aten_query(b, zero, 1);
	return sf_aten_where(b, mask, zero, lowest);
}

struct sf_val *
sf_aten_number_mask(
    struct sf_build *b, struct sf_val *mask, enum sf_dtype dtype)
{
	return sf_aten_number_mask_of(b, mask, sf_aten_constant(b, dtype));
}

struct sf_val *
sf_aten_permute(struct sf_build *b, struct sf_val *x, int i, int j)
{
	struct sf_val *out = sf_derive_transpose(&b->graph, x, i, j);

	out->param = x->param;
	sf_aten_1(b, "aten.permute", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

struct sf_val *
sf_aten_max_last(struct sf_build *b, struct sf_val *x)
{
	struct sf_val *out[2];

	out[0] = sf_derive_last(&b->graph, x, 1);
	out[1] = sf_derive_last(&b->graph, x, 1);
	out[1]->dtype = SF_DT_I64;
	sf_aten_add(b, "aten.max", &x, 1, out, 2);
	return out[0];
}

struct sf_val *
sf_aten_clamp(struct sf_build *b, struct sf_val *x)
{
	return sf_aten_1(b, "aten.clamp", x, sf_aten_like(b, x, x->dtype));
}
