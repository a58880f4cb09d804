/* What is written to a part of a tensor, as ATen's dispatcher sees it. */
#include <string.h>

#include "model/derive.h"
#include "model/lower-aten.h"

/* Every third of the last dimension, of START and before END. */
static struct sf_val *
thirds(struct sf_build *b, struct sf_val *x, int64_t start, int64_t end)
{
	int dim = x->rank - 1;
	int64_t n = x->shape[dim];
	struct sf_val *out;

	if (end > n)
		end = n;
	n = end > start ? (end - start + 2) / 3 : 0;
	out = sf_derive_narrow(&b->graph, x, dim, n);
	out->stride[dim] *= 3;
	out = sf_aten_1(b, "aten.slice", x, out);
	sf_aten_query(b, x, 1);
	return out;
}

/* X with ROWS in the place of the first of dimension 0. */
static struct sf_val *
with_first(struct sf_build *b, struct sf_val *x, struct sf_val *rows)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *out = sf_val_like(&b->graph, x), *at;
	int64_t shape[SF_VAL_RANK] = { x->shape[0], 1, 1, 1 };

	if (!b->route->exporting)
		return sf_aten_2(b, "aten.select_scatter", x, rows, out);
	at = l->view(b, l->arange(b, x->shape[0]), x->rank, shape);
	at = l->number(b, SF_CALL_EQ, at, 0);
	rows = l->unsqueeze(b, rows, 0);
	rows = l->expand(b, rows, x->rank, x->shape);
	return sf_aten_where(b, at, rows, x);
}

/* In graphs that are functional a write is a new tensor, and so are views. */
static struct sf_val *
merge_functional(struct sf_build *b, struct sf_val *x, const int64_t *sections)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *first = l->select(b, x, 0), *in[2], *all;

	for (int64_t i = 1; i < 3; i++) {
		struct sf_val *part;

		if (i == 1) {
			part =
			    thirds(b, l->select(b, x, 0), i, sections[i] * 3);
			in[0] = thirds(b, first, i, sections[i] * 3);
		} else {
			in[0] = thirds(b, first, i, sections[i] * 3);
			part =
			    thirds(b, l->select(b, x, 0), i, sections[i] * 3);
		}
		in[1] = part;
		all =
		    sf_val_new(&b->graph, part->dtype, part->rank, part->shape);
		in[0] = sf_aten_2(b, "aten.copy", in[0], in[1], all);
		all = l->select(b, x, 0);
		all = sf_aten_2(b, "aten.slice_scatter", all, in[0],
		    sf_val_like(&b->graph, all));
		x = with_first(b, x, all);
		first = l->select(b, x, 0);
	}
	return first;
}

struct sf_val *
sf_aten_merge_sections(
    struct sf_build *b, struct sf_val *x, const int64_t *sections)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_val *first, *part, *target;

	if (b->route->aten->functional)
		return merge_functional(b, x, sections);
	first = l->select(b, x, 0);
	for (int64_t i = 1; i < 3; i++) {
		part = thirds(b, l->select(b, x, 0), i, sections[i] * 3);
		sf_aten_query(b, first, 3);
		target = thirds(b, first, i, sections[i] * 3);
		sf_aten_2(b, "aten.copy_", target, part, target);
	}
	return first;
}
