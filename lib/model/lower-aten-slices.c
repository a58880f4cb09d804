/* Parts of tensors that are written, as ATen's dispatcher sees it. */
#include "model/derive.h"
#include "model/lower-aten-scan.h"

/* X with the first N items that cut something. */
static struct sf_val *
cut(struct sf_build *b, struct sf_val *x, int n, const struct sf_item *items,
    int dims)
{
	struct sf_item some[SF_VAL_RANK];

	for (int i = 0; i < dims; i++) {
		some[i] = (struct sf_item)SF_ALL;
		if (items[i].kind != SF_ITEM_ALL && n > 0) {
			some[i] = items[i];
			n--;
		}
	}
	return b->route->lower->getitem(b, x, dims, some);
}

static int
count_cuts(int n, const struct sf_item *items)
{
	int cuts = 0;

	for (int i = 0; i < n; i++)
		cuts += items[i].kind != SF_ITEM_ALL;
	return cuts;
}

struct sf_val *
sf_aten_set_slices(struct sf_build *b, struct sf_val *x, int n,
    const struct sf_item *items, struct sf_val *from)
{
	int cuts = count_cuts(n, items);
	struct sf_val *part, *whole;

	sf_aten_query(b, x, 1);
	part = cut(b, x, cuts, items, n);
	if (!b->route->aten->functional) {
		sf_aten_2(b, "aten.copy_", part, from, part);
		return x;
	}
	part =
	    sf_aten_2(b, "aten.copy", part, from, sf_val_like(&b->graph, part));
	for (int i = cuts - 1; i >= 0; i--) {
		whole = i == 0 ? x : cut(b, x, i, items, n);
		part = sf_aten_2(b, "aten.slice_scatter", whole, part,
		    sf_val_like(&b->graph, whole));
	}
	return part;
}

struct sf_val *
sf_aten_narrow(struct sf_build *b, struct sf_val *x, int dim, int64_t size)
{
	struct sf_val *out = sf_derive_narrow(&b->graph, x, dim, size);

	if (size == x->shape[dim])
		return x;
	sf_aten_1(b, "aten.slice", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

void
sf_aten_set_first(
    struct sf_build *b, struct sf_val *x, int64_t n, struct sf_val *from)
{
	struct sf_val *part;

	sf_aten_query(b, x, 1);
	part = sf_aten_narrow(b, b->route->lower->select(b, x, 1), 1, n);
	sf_aten_2(b, "aten.copy_", part, from, part);
}

static struct sf_val *
make_new(struct sf_build *b, const char *op, struct sf_val *x, int rank,
    const int64_t *shape)
{
	struct sf_val *out = sf_val_new(&b->graph, x->dtype, rank, shape);

	if (b->route->aten->checks)
		return sf_aten_make(b, "aten.full", out);
	return sf_aten_1(b, op, x, out);
}

struct sf_val *
sf_aten_new_zeros(
    struct sf_build *b, struct sf_val *x, int rank, const int64_t *shape)
{
	return make_new(b, "aten.new_zeros", x, rank, shape);
}

void
sf_aten_unbind_to(
    struct sf_build *b, struct sf_val *x, int n, struct sf_val **parts)
{
	sf_aten_unbind_at(b, x, 0, n, parts);
}

void
sf_aten_unbind_at(
    struct sf_build *b, struct sf_val *x, int dim, int n, struct sf_val **parts)
{
	if (dim < 0)
		dim += x->rank;
	if (b->route->aten->checks) {
		for (int i = 0; i < n; i++) {
			parts[i] = sf_derive_narrow(&b->graph, x, dim, 1);
			sf_aten_1(b, "aten.slice", x, parts[i]);
		}
		for (int i = 0; i < n; i++)
			parts[i] = sf_aten_squeeze(b, parts[i], dim);
		return;
	}
	for (int i = 0; i < n; i++) {
		parts[i] = sf_derive_select(&b->graph, x, dim);
		parts[i]->param = x->param;
	}
	sf_aten_add(b, "aten.unbind", &x, 1, parts, n);
	sf_aten_query(b, x, n);
}
