/* Reductions over axes, searches and running sums. */
#include "onnx/ops/rules.h"

#include <math.h>

#include "base/num.h"
#include "onnx/infer/shape.h"

struct reduction {
	bool flags[SF_VALUE_MAX_RANK]; /* the axes that are reduced */
	bool all;                      /* all of them */
	bool none;
	bool keep;
	bool axes_known;
	struct sf_ints axes;
};

static bool
read_reduction(struct sf_infer *infer, int64_t since, int rank, bool rank_known,
    struct reduction *r)
{
	int64_t keep, noop;

	*r = (struct reduction){ 0 };
	if (!sf_infer_moved(infer, "axes", since, 1, &r->axes) ||
	    !sf_infer_attr_int(infer, "keepdims", 1, &keep) ||
	    !sf_infer_attr_int(infer, "noop_with_empty_axes", 0, &noop))
		return false;
	r->keep = keep != 0;
	r->all = !r->axes.given || r->axes.n == 0;
	r->none = r->all && noop != 0;
	r->axes_known = r->all || sf_ints_known(&r->axes);
	if (!rank_known || r->all || !r->axes_known)
		return true;
	return sf_infer_axes(
	    infer, "attribute or input 'axes'", &r->axes, rank, r->flags);
}

static bool
reduced(const struct reduction *r, int axis)
{
	return !r->none && (r->all || r->flags[axis]);
}

static void
reduced_shape(
    const struct reduction *r, const struct sf_shape *in, struct sf_shape *out)
{
	*out = (struct sf_shape){ .known = true };
	if (!in->known) {
		/* Over everything there is one number left. */
		out->known = r->all && !r->none && !r->keep;
	} else if (r->axes_known) {
		for (int i = 0; i < in->rank; i++)
			if (!reduced(r, i))
				out->d[out->rank++] = in->d[i];
			else if (r->keep)
				out->d[out->rank++] = sf_dim(1);
	} else if (r->keep) {
		out->rank = in->rank;
		for (int i = 0; i < in->rank; i++)
			out->d[i] =
			    in->d[i].size == 1 ? sf_dim(1) : SF_DIM_NONE;
	} else if (r->axes.n >= 0 && r->axes.n <= in->rank) {
		out->rank = in->rank - r->axes.n;
		for (int i = 0; i < out->rank; i++)
			out->d[i] = SF_DIM_NONE;
	} else {
		out->known = false;
	}
}

/* ---- contents ---- */

enum operation {
	SUM,
	PROD,
	MIN,
	MAX,
	NOT_FOLDED
};

static bool
combine(struct sf_infer *infer, enum operation operation, enum sf_dtype dtype,
    struct sf_cell a, struct sf_cell b, struct sf_cell *out)
{
	bool exact = true, first;
	int64_t i = 0;

	*out = (struct sf_cell){ 0 };
	if (!a.known || !b.known)
		return true;
	if (operation == MIN || operation == MAX) {
		first = sf_dtype_in_ints(dtype) ? a.i < b.i : a.f < b.f;
		*out = first == (operation == MIN) ? a : b;
		return true;
	}
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(operation == SUM ? a.f + b.f : a.f * b.f);
		return true;
	}
	exact = operation == SUM ? sf_add(a.i, b.i, &i) : sf_mul(a.i, b.i, &i);
	if (exact && sf_dtype_holds(dtype, i))
		*out = sf_cell_int(i);
	else if (dtype == SF_DT_I64 || dtype == SF_DT_I32)
		return sf_fail(infer->error,
		    "a constant result passes the range of its type");
	return true;
}

/* The place in the output of the input's element at INDEX. */
static int64_t
reduced_at(
    const struct reduction *r, const struct sf_shape *in, const int64_t *index)
{
	int64_t at = 0;

	for (int axis = 0; axis < in->rank; axis++)
		if (!reduced(r, axis))
			at = at * in->d[axis].size + index[axis];
	return at;
}

static bool
fold_reduction(struct sf_infer *infer, const struct reduction *r,
    const struct sf_shape *in, enum operation operation)
{
	const struct sf_value *x = infer->inputs[0];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, n = sf_value_numel(x);
	struct sf_cell *sums;
	bool *begun;
	struct sf_cells cells;

	if (operation == NOT_FOLDED || !r->axes_known ||
	    !sf_value_has_contents(x) || n < 1 ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	sums = sf_arena_calloc(infer->arena, (size_t)cells.n, sizeof *sums);
	begun = sf_arena_calloc(infer->arena, (size_t)cells.n, sizeof *begun);
	for (int64_t i = 0; i < n; i++) {
		int64_t at = reduced_at(r, in, index);
		struct sf_cell cell = sf_cell_get(x, i);

		if (begun[at] &&
		    !combine(infer, operation, x->dtype, sums[at], cell, &cell))
			return false;
		sums[at] = cell;
		begun[at] = true;
		sf_index_next(in, index);
	}
	for (int64_t i = 0; i < cells.n; i++)
		sf_cells_put(&cells, i, sums[i]);
	sf_cells_end(&cells);
	return true;
}

static bool
reduce(struct sf_infer *infer, int64_t since, enum operation operation)
{
	struct sf_shape in, out;
	struct reduction r;

	sf_infer_shape(infer, 0, &in);
	if (!read_reduction(infer, since, in.rank, in.known, &r))
		return false;
	reduced_shape(&r, &in, &out);
	if (!r.axes_known)
		sf_infer_unknown_list(infer, 0, &r.axes);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return fold_reduction(infer, &r, &in, operation);
}

/* The axes of ReduceSum became an input in opset 13, the others' in 18. */
bool
sf_rule_reduce_sum(struct sf_infer *infer)
{
	return reduce(infer, 13, SUM);
}

bool
sf_rule_reduce_prod(struct sf_infer *infer)
{
	return reduce(infer, 18, PROD);
}

bool
sf_rule_reduce_min(struct sf_infer *infer)
{
	return reduce(infer, 18, MIN);
}

bool
sf_rule_reduce_max(struct sf_infer *infer)
{
	return reduce(infer, 18, MAX);
}

bool
sf_rule_reduce(struct sf_infer *infer)
{
	return reduce(infer, 18, NOT_FOLDED);
}

/* ---- ArgMax and ArgMin ---- */

/* The place of the first, or the last, element that nothing passes. */
static struct sf_cell
search(const struct sf_value *x, int64_t from, int64_t step, int64_t n,
    bool max, bool last)
{
	int64_t best = 0;

	for (int64_t k = 0; k < n; k++) {
		struct sf_cell a = sf_cell_get(x, from + best * step);
		struct sf_cell b = sf_cell_get(x, from + k * step);
		bool more = x->ints != NULL ? b.i > a.i : b.f > a.f;
		bool less = x->ints != NULL ? b.i < a.i : b.f < a.f;

		if (!a.known || !b.known)
			return (struct sf_cell){ 0 };
		if ((max ? more : less) || (last && !more && !less))
			best = k;
	}
	return sf_cell_int(best);
}

static bool
arg(struct sf_infer *infer, bool max)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape in, out = { .known = true };
	struct sf_onnx_dim outer, inner;
	struct sf_cells cells;
	int64_t keep, last;
	int axis;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_attr_int(infer, "keepdims", 1, &keep) ||
	    !sf_infer_attr_int(infer, "select_last_index", 0, &last))
		return false;
	if (!in.known) {
		sf_infer_set_unknown(infer, 0, SF_DT_I64);
		return true;
	}
	if (!sf_infer_attr_axis(infer, "axis", 0, in.rank, &axis))
		return false;
	for (int i = 0; i < in.rank; i++)
		if (i != axis)
			out.d[out.rank++] = in.d[i];
		else if (keep)
			out.d[out.rank++] = sf_dim(1);
	sf_infer_set(infer, 0, SF_DT_I64, &out);
	if (!sf_value_has_contents(x) || sf_value_numel(x) < 1 ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	if (!sf_shape_count(infer, &in, 0, axis, &outer) ||
	    !sf_shape_count(infer, &in, axis + 1, in.rank, &inner))
		return false;
	for (int64_t i = 0; i < cells.n; i++)
		sf_cells_put(&cells, i,
		    search(x,
			i / inner.size * inner.size * in.d[axis].size +
			    i % inner.size,
			inner.size, in.d[axis].size, max, last != 0));
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_arg_max(struct sf_infer *infer)
{
	return arg(infer, true);
}

bool
sf_rule_arg_min(struct sf_infer *infer)
{
	return arg(infer, false);
}

/* ---- running sums and products ---- */

struct running {
	enum operation operation;
	bool exclusive, reverse;
	int64_t n, step; /* of one row */
};

static bool
run(struct sf_infer *infer, const struct running *r, int64_t from,
    struct sf_cells *cells)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_cell sum = sf_dtype_in_ints(x->dtype)
	    ? sf_cell_int(r->operation == PROD)
	    : sf_cell_float(r->operation == PROD);

	for (int64_t k = 0; k < r->n; k++) {
		int64_t at = from + (r->reverse ? r->n - 1 - k : k) * r->step;
		struct sf_cell next;

		if (!combine(infer, r->operation, x->dtype, sum,
			sf_cell_get(x, at), &next))
			return false;
		sf_cells_put(cells, at, r->exclusive ? sum : next);
		sum = next;
	}
	return true;
}

static bool
cumulate(struct sf_infer *infer, enum operation operation)
{
	const struct sf_value *x = infer->inputs[0];
	struct running r = { .operation = operation };
	struct sf_onnx_dim inner;
	struct sf_shape in;
	struct sf_cell which;
	struct sf_cells cells;
	int64_t exclusive, reverse;
	int axis;

	sf_infer_like(infer, 0, x);
	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_scalar(infer, 1, "axis", &which) ||
	    !sf_infer_attr_int(infer, "exclusive", 0, &exclusive) ||
	    !sf_infer_attr_int(infer, "reverse", 0, &reverse))
		return false;
	if (!which.known || !in.known)
		return true;
	if (!sf_infer_axis(infer, "input 'axis'", which.i, in.rank, &axis))
		return false;
	if (!sf_value_has_contents(x) || sf_value_numel(x) < 1 ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	if (!sf_shape_count(infer, &in, axis + 1, in.rank, &inner))
		return false;
	r.exclusive = exclusive != 0;
	r.reverse = reverse != 0;
	r.n = in.d[axis].size;
	r.step = inner.size;
	for (int64_t i = 0; i < cells.n; i++)
		if (i / r.step % r.n == 0 && !run(infer, &r, i, &cells))
			return false;
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_cum_sum(struct sf_infer *infer)
{
	return cumulate(infer, SUM);
}

bool
sf_rule_cum_prod(struct sf_infer *infer)
{
	return cumulate(infer, PROD);
}
