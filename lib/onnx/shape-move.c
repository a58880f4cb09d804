/* Operators that rearrange elements: reshape, transpose, slice, concat, ... */
#include "base/num.h"
#include "onnx/rules.h"
#include "onnx/shape.h"

bool
sf_rule_identity(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];

	sf_infer_like(infer, 0, in);
	sf_infer_same_contents(infer, 0, in);
	return true;
}

/* The output has IN's elements in their order, in another shape. */
static bool
same_elements(struct sf_infer *infer, const struct sf_shape *out)
{
	const struct sf_value *in = infer->inputs[0];

	sf_infer_set(infer, 0, in->dtype, out);
	if (sf_value_has_contents(in) &&
	    sf_value_numel(&infer->outputs[0]) == sf_value_numel(in))
		sf_infer_same_contents(infer, 0, in);
	return true;
}

/* ---- Reshape ---- */

/*
 * What -1 stands for: the elements of IN over those of the other sizes of OUT.
 * Sizes that are not known cancel when the same stand on both sides.
 */
static bool
infer_rest(struct sf_infer *infer, const struct sf_shape *in,
    struct sf_shape *out, int rest)
{
	bool used[SF_VALUE_MAX_RANK] = { false };
	struct sf_onnx_dim left = { 0 };
	int64_t over[SF_VALUE_MAX_RANK], under[SF_VALUE_MAX_RANK], a, b;
	int nover = 0, nunder = 0, nleft = 0;

	out->d[rest] = SF_DIM_NONE;
	if (!in->known)
		return true;
	for (int i = 0; i < out->rank; i++) {
		bool found = sf_dim_known(out->d[i]);

		if (i == rest)
			continue;
		if (found)
			under[nunder++] = out->d[i].size;
		for (int k = 0; k < in->rank && !found; k++)
			if (!used[k] && !sf_dim_known(in->d[k]) &&
			    sf_dim_same(in->d[k], out->d[i]))
				found = used[k] = true;
		if (!found)
			return true;
	}
	for (int k = 0; k < in->rank; k++) {
		if (sf_dim_known(in->d[k])) {
			over[nover++] = in->d[k].size;
		} else if (!used[k]) {
			left = in->d[k];
			nleft++;
		}
	}
	if (!sf_product(over, (size_t)nover, &a) ||
	    !sf_product(under, (size_t)nunder, &b))
		return sf_fail(infer->error,
		    "the sizes of an input multiply to more than 2^63 - 1");
	if (nleft == 1 && a == b)
		out->d[rest] = left;
	if (nleft > 0)
		return true;
	if (b == 0 ? a != 0 : a % b != 0)
		return sf_fail(infer->error,
		    "%lld elements do not divide by the %lld of the other "
		    "sizes of 'shape'",
		    (long long)a, (long long)b);
	/* Of nothing it may be anything; runtimes take 0. */
	out->d[rest] = sf_dim(b == 0 ? 0 : a / b);
	return true;
}

/* Place I of the wanted shape; *REST is where -1 stands, or -1. */
static bool
reshape_dim(struct sf_infer *infer, const struct sf_shape *in,
    struct sf_cell cell, int i, bool allow_zero, int *rest,
    struct sf_onnx_dim *out)
{
	*out = (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	if (!cell.known)
		return true;
	if (cell.i < -1)
		return sf_fail(infer->error,
		    "'shape' is %lld in place %d, expected a size, 0 or -1",
		    (long long)cell.i, i);
	if (cell.i == -1) {
		if (*rest >= 0)
			return sf_fail(infer->error,
			    "'shape' has -1 in places %d and %d, expected one",
			    *rest, i);
		*rest = i;
	} else if (cell.i > 0 || allow_zero) {
		*out = sf_dim(cell.i);
	} else if (in->known && i >= in->rank) {
		return sf_fail(infer->error,
		    "'shape' is 0 in place %d, expected a dimension to copy "
		    "from rank %d",
		    i, in->rank);
	} else if (in->known) {
		*out = in->d[i];
	}
	return true;
}

/* Without -1 the number of elements must be right; one size may follow. */
static bool
check_reshape(
    struct sf_infer *infer, const struct sf_shape *in, struct sf_shape *out)
{
	struct sf_onnx_dim a, b;
	int missing = -1, n = 0;

	for (int i = 0; i < out->rank; i++)
		if (!sf_dim_known(out->d[i])) {
			missing = i;
			n++;
		}
	if (!in->known || n > 1)
		return true;
	if (n == 1 && out->d[missing].name.n == 0) {
		struct sf_shape copy = *out;

		/* It can be 0 as well when the input is empty. */
		if (!sf_shape_count(infer, in, 0, in->rank, &a))
			return false;
		if (sf_dim_known(a) && a.size > 0 &&
		    !infer_rest(infer, in, &copy, missing))
			return false;
		if (sf_dim_known(a) && a.size > 0)
			*out = copy;
		return true;
	}
	if (!sf_shape_count(infer, in, 0, in->rank, &a) ||
	    !sf_shape_count(infer, out, 0, out->rank, &b))
		return false;
	if (sf_dim_known(a) && sf_dim_known(b) && a.size != b.size)
		return sf_fail(infer->error,
		    "'shape' has %lld elements, expected the input's %lld",
		    (long long)b.size, (long long)a.size);
	return true;
}

bool
sf_rule_reshape(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	struct sf_ints list;
	int64_t allow_zero;
	int rest = -1;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "shape", 5, 1, &list) ||
	    !sf_infer_attr_int(infer, "allowzero", 0, &allow_zero))
		return false;
	if (!list.given)
		return sf_fail(infer->error, "attribute 'shape' is missing");
	if (list.n < 0) {
		sf_infer_set_unknown(infer, 0, infer->inputs[0]->dtype);
		sf_infer_unknown_list(infer, 0, &list);
		return true;
	}
	for (int i = 0; i < list.n; i++) {
		struct sf_onnx_dim d;

		if (!reshape_dim(
			infer, &in, list.v[i], i, allow_zero != 0, &rest, &d) ||
		    !sf_shape_push(infer, &out, d))
			return false;
	}
	if (rest >= 0 ? !infer_rest(infer, &in, &out, rest)
		      : !check_reshape(infer, &in, &out))
		return false;
	if (!sf_ints_known(&list))
		sf_infer_unknown_list(infer, 0, &list);
	return same_elements(infer, &out);
}

bool
sf_rule_flatten(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true, .rank = 2 };
	int64_t axis;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_attr_int(infer, "axis", 1, &axis))
		return false;
	out.d[0] = out.d[1] = SF_DIM_NONE;
	if (in.known) {
		if (axis < -in.rank || axis > in.rank)
			return sf_fail(infer->error,
			    "attribute 'axis' is %lld, expected %d to %d",
			    (long long)axis, -in.rank, in.rank);
		if (axis < 0)
			axis += in.rank;
		if (!sf_shape_count(infer, &in, 0, (int)axis, &out.d[0]) ||
		    !sf_shape_count(infer, &in, (int)axis, in.rank, &out.d[1]))
			return false;
	}
	return same_elements(infer, &out);
}

/* ---- Squeeze and Unsqueeze ---- */

static bool
squeeze_named(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_ints *axes, struct sf_shape *out)
{
	bool flags[SF_VALUE_MAX_RANK];

	if (!sf_infer_axes(infer, "'axes'", axes, in->rank, flags))
		return false;
	for (int i = 0; i < in->rank; i++)
		if (!flags[i])
			out->d[out->rank++] = in->d[i];
		else if (sf_dim_known(in->d[i]) && in->d[i].size != 1)
			return sf_fail(infer->error,
			    "dimension %d to squeeze is %lld, expected 1", i,
			    (long long)in->d[i].size);
	return true;
}

bool
sf_rule_squeeze(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	struct sf_ints axes;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "axes", 13, 1, &axes))
		return false;
	if (!in.known || (axes.given && !sf_ints_known(&axes))) {
		out.known =
		    in.known && axes.given && axes.n >= 0 && axes.n <= in.rank;
		out.rank = out.known ? in.rank - axes.n : 0;
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		if (in.known)
			sf_infer_unknown_list(infer, 0, &axes);
	} else if (axes.given) {
		if (!squeeze_named(infer, &in, &axes, &out))
			return false;
	} else {
		for (int i = 0; i < in.rank; i++) {
			if (!sf_dim_known(in.d[i]))
				out.known = false; /* it may be 1 */
			else if (in.d[i].size != 1)
				out.d[out.rank++] = in.d[i];
		}
		if (!out.known)
			out.rank = 0;
	}
	return same_elements(infer, &out);
}

bool
sf_rule_unsqueeze(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_ints axes;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "axes", 13, 1, &axes))
		return false;
	if (!axes.given)
		return sf_fail(infer->error, "attribute 'axes' is missing");
	out.known = in.known && axes.n >= 0;
	if (!out.known) {
		sf_infer_unknown_from(
		    infer, 0, in.known ? axes.from : infer->inputs[0]);
		return same_elements(infer, &out);
	}
	if (in.rank + axes.n > SF_VALUE_MAX_RANK)
		return sf_fail(infer->error,
		    "the output's rank would be %d, expected at most %d",
		    in.rank + axes.n, SF_VALUE_MAX_RANK);
	out.rank = in.rank + axes.n;
	if (!sf_ints_known(&axes)) {
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		sf_infer_unknown_list(infer, 0, &axes);
		return same_elements(infer, &out);
	}
	if (!sf_infer_axes(infer, "'axes'", &axes, out.rank, flags))
		return false;
	for (int i = 0, k = 0; i < out.rank; i++)
		out.d[i] = flags[i] ? sf_dim(1) : in.d[k++];
	return same_elements(infer, &out);
}

/* ---- Transpose ---- */

bool
sf_rule_transpose(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape in, out = { .known = true };
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, from[SF_VALUE_MAX_RANK];
	int place[SF_VALUE_MAX_RANK];
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_ints perm;
	struct sf_cells cells;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_attr_list(infer, "perm", &perm))
		return false;
	if (perm.given && in.known && perm.n != in.rank)
		return sf_fail(infer->error,
		    "attribute 'perm' has %d integers, expected %d", perm.n,
		    in.rank);
	if (perm.given &&
	    (perm.n > SF_VALUE_MAX_RANK ||
		!sf_infer_axes(
		    infer, "attribute 'perm'", &perm, perm.n, flags)))
		return perm.n <= SF_VALUE_MAX_RANK
		    ? false
		    : sf_fail(infer->error, "attribute 'perm' is too long");
	if (!in.known) {
		out.known = perm.given;
		out.rank = perm.given ? perm.n : 0;
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		sf_infer_set(infer, 0, x->dtype, &out);
		return true;
	}
	out.rank = in.rank;
	for (int i = 0; i < out.rank; i++) {
		int64_t p = perm.given ? perm.v[i].i : out.rank - 1 - i;

		place[i] = (int)(p < 0 ? p + out.rank : p);
		out.d[i] = in.d[place[i]];
	}
	sf_infer_set(infer, 0, x->dtype, &out);
	if (!sf_value_has_contents(x) || !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		for (int k = 0; k < out.rank; k++)
			from[place[k]] = index[k];
		sf_cells_put(&cells, i, sf_cell_get(x, sf_index_at(&in, from)));
		sf_index_next(&out, index);
	}
	sf_cells_end(&cells);
	return true;
}

/* ---- Slice ---- */

struct slice {
	bool known;
	int64_t start, step, n;
};

/* START and END as Slice reads them on an axis of SIZE. */
static int64_t
clamp(int64_t at, int64_t size, int64_t low, int64_t high)
{
	if (at < 0)
		at += size;
	return at < low ? low : at > high ? high : at;
}

static bool
slice_axis(struct sf_infer *infer, int64_t size, int64_t start, int64_t end,
    int64_t step, struct slice *out)
{
	uint64_t distance, stride;

	if (step == 0)
		return sf_fail(
		    infer->error, "'steps' is 0, expected another number");
	*out = (struct slice){ .known = true, .step = step };
	if (step > 0) {
		start = clamp(start, size, 0, size);
		end = clamp(end, size, 0, size);
		distance = end > start ? (uint64_t)(end - start) : 0;
		stride = (uint64_t)step;
	} else {
		start = clamp(start, size, 0, size - 1);
		end = clamp(end, size, -1, size - 1);
		distance = start > end ? (uint64_t)(start - end) : 0;
		stride = 0 - (uint64_t)step;
	}
	if (size == 0)
		distance = 0;
	out->start = start;
	out->n = (int64_t)(distance / stride + (distance % stride != 0));
	return true;
}

/* It takes the whole axis, whatever its size is. */
static bool
takes_all(int64_t start, int64_t end, int64_t step)
{
	/* Sizes above 2^31 - 1 occur; exporters write that for "to the end". */
	return start == 0 && step == 1 && end >= INT32_MAX;
}

struct slices {
	struct sf_ints starts, ends, axes, steps;
};

static bool
read_slices(struct sf_infer *infer, struct slices *s)
{
	if (!sf_infer_moved(infer, "starts", 10, 1, &s->starts) ||
	    !sf_infer_moved(infer, "ends", 10, 2, &s->ends) ||
	    !sf_infer_moved(infer, "axes", 10, 3, &s->axes) ||
	    !sf_infer_moved(infer, "steps", 10, 4, &s->steps))
		return false;
	if (!s->starts.given || !s->ends.given)
		return sf_fail(
		    infer->error, "attribute 'starts' or 'ends' is missing");
	if (s->starts.n >= 0 && s->ends.n >= 0 && s->starts.n != s->ends.n)
		return sf_fail(infer->error,
		    "'starts' has %d integers and 'ends' has %d, expected as "
		    "many",
		    s->starts.n, s->ends.n);
	for (int i = 0; i < 2; i++) {
		const struct sf_ints *list = i == 0 ? &s->axes : &s->steps;

		if (list->given && list->n >= 0 && s->starts.n >= 0 &&
		    list->n != s->starts.n)
			return sf_fail(infer->error,
			    "'%s' has %d integers, expected as many as "
			    "'starts', %d",
			    i == 0 ? "axes" : "steps", list->n, s->starts.n);
	}
	return true;
}

static const struct sf_ints *
first_unknown(const struct slices *s)
{
	const struct sf_ints *lists[] = { &s->starts, &s->ends, &s->axes,
		&s->steps };

	for (int i = 0; i < 4; i++)
		if (lists[i]->given && !sf_ints_known(lists[i]))
			return lists[i];
	return NULL;
}

static struct sf_cell
list_get(const struct sf_ints *list, int i, int64_t otherwise)
{
	if (!list->given)
		return sf_cell_int(otherwise);
	return list->n >= 0 ? list->v[i] : (struct sf_cell){ 0 };
}

/* Place I of the lists, on AXIS. */
static bool
apply_slice(struct sf_infer *infer, const struct slices *s, int i, int axis,
    struct sf_shape *shape, struct slice *slice)
{
	struct sf_cell start = list_get(&s->starts, i, 0);
	struct sf_cell end = list_get(&s->ends, i, 0);
	struct sf_cell step = list_get(&s->steps, i, 1);
	struct sf_onnx_dim *d = &shape->d[axis];

	slice->known = false;
	if (step.known && step.i == 0)
		return sf_fail(
		    infer->error, "'steps' is 0, expected another number");
	if (start.known && end.known && step.known &&
	    takes_all(start.i, end.i, step.i) && !sf_dim_known(*d))
		return true;
	/* [0 : N] of N is all of it, too. */
	if (start.known && start.i == 0 && step.known && step.i == 1 &&
	    !end.known && end.name.n != 0 && !sf_dim_known(*d) &&
	    sf_str_eq(end.name, d->name))
		return true;
	if (!start.known || !end.known || !step.known || !sf_dim_known(*d)) {
		*d = SF_DIM_NONE;
		return true;
	}
	if (!slice_axis(infer, d->size, start.i, end.i, step.i, slice))
		return false;
	*d = sf_dim(slice->n);
	return true;
}

static void
take_slice(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_shape *out, const struct slice *slices)
{
	const struct sf_value *x = infer->inputs[0];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, from[SF_VALUE_MAX_RANK];
	struct sf_cells cells;

	if (!sf_value_has_contents(x) || !sf_cells_begin(&cells, infer, 0))
		return;
	for (int64_t i = 0; i < cells.n; i++) {
		for (int k = 0; k < out->rank; k++)
			from[k] = slices[k].start + index[k] * slices[k].step;
		sf_cells_put(&cells, i, sf_cell_get(x, sf_index_at(in, from)));
		sf_index_next(out, index);
	}
	sf_cells_end(&cells);
}

bool
sf_rule_slice(struct sf_infer *infer)
{
	struct sf_shape in, out;
	struct slice slices[SF_VALUE_MAX_RANK];
	bool seen[SF_VALUE_MAX_RANK] = { false };
	struct slices s;

	sf_infer_shape(infer, 0, &in);
	out = in;
	if (!read_slices(infer, &s))
		return false;
	if (first_unknown(&s) != NULL)
		sf_infer_unknown_list(infer, 0, first_unknown(&s));
	for (int i = 0; i < in.rank; i++)
		slices[i] = (struct slice){ true, 0, 1, in.d[i].size };
	if (in.known &&
	    (s.starts.n < 0 || (s.axes.given && !sf_ints_known(&s.axes)))) {
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		s.starts.n = 0;
	}
	for (int i = 0; in.known && i < s.starts.n; i++) {
		struct sf_cell which = list_get(&s.axes, i, i);
		int axis;

		if (!sf_infer_axis(infer, "'axes'", which.i, in.rank, &axis))
			return false;
		if (seen[axis])
			return sf_fail(
			    infer->error, "'axes' names axis %d twice", axis);
		seen[axis] = true;
		if (!apply_slice(infer, &s, i, axis, &out, &slices[axis]))
			return false;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	take_slice(infer, &in, &out, slices);
	return true;
}

/* ---- Concat ---- */

/* Shapes that are joined on AXIS; the other sizes must agree. */
static bool
join(struct sf_infer *infer, int i, const struct sf_shape *next, int axis,
    struct sf_shape *out)
{
	struct sf_onnx_dim a = out->d[axis], b = next->d[axis];
	int64_t sum = SF_DIM_UNKNOWN;

	if (next->rank != out->rank)
		return sf_fail(infer->error,
		    "input %d has rank %d, expected the first one's %d", i,
		    next->rank, out->rank);
	for (int k = 0; k < out->rank; k++)
		if (k != axis &&
		    !sf_dim_merge(infer, "the inputs besides 'axis'", out->d[k],
			next->d[k], &out->d[k]))
			return false;
	if (sf_dim_known(a) && sf_dim_known(b) && !sf_add(a.size, b.size, &sum))
		return sf_fail(
		    infer->error, "the joined dimension passes 2^63 - 1");
	out->d[axis] = a.size == 0 ? b : b.size == 0 ? a : sf_dim(sum);
	return true;
}

/* The joined contents: each input gives a run for every outer index. */
static bool
join_contents(struct sf_infer *infer, struct sf_value *const *inputs, int n,
    const struct sf_shape *out, int axis)
{
	struct sf_onnx_dim outer, inner;
	struct sf_cells cells;
	int64_t at = 0;

	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	if (!sf_shape_count(infer, out, 0, axis, &outer) ||
	    !sf_shape_count(infer, out, axis + 1, out->rank, &inner))
		return false;
	for (int64_t i = 0; cells.n > 0 && i < outer.size; i++)
		for (int k = 0; k < n; k++) {
			int64_t run = inputs[k]->dims[axis] * inner.size;

			for (int64_t j = 0; j < run; j++)
				sf_cells_put(&cells, at++,
				    sf_cell_get(inputs[k], i * run + j));
		}
	sf_cells_end(&cells);
	return true;
}

static bool
same_types(struct sf_value *const *inputs, int n)
{
	for (int i = 1; i < n; i++)
		if (inputs[i]->dtype != inputs[0]->dtype)
			return false;
	return true;
}

static bool
concat(struct sf_infer *infer, struct sf_value *const *inputs, int n, int axis)
{
	struct sf_shape out, next;
	bool known = true;

	sf_shape_of(inputs[0], &out);
	for (int i = 1; i < n; i++) {
		sf_shape_of(inputs[i], &next);
		if (!next.known) {
			known = false;
			continue;
		}
		if (!join(infer, i, &next, axis, &out))
			return false;
	}
	if (!known)
		out.d[axis] = SF_DIM_NONE;
	sf_infer_set(infer, 0, inputs[0]->dtype, &out);
	return !same_types(inputs, n) ||
	    join_contents(infer, inputs, n, &out, axis);
}

bool
sf_rule_concat(struct sf_infer *infer)
{
	struct sf_value *first = infer->inputs[0];
	int rank = -1, axis;

	if (infer->opset >= 4 && sf_infer_attr(infer, "axis") == NULL)
		return sf_fail(infer->error, "attribute 'axis' is missing");
	for (int i = 0; i < infer->ninputs; i++) {
		if (infer->inputs[i] == NULL)
			return sf_fail(infer->error,
			    "input %d is left out, but it is required", i);
		if (infer->inputs[i]->rank_known)
			rank = infer->inputs[i]->rank;
	}
	if (rank < 0) {
		sf_infer_set_unknown(infer, 0, first->dtype);
		return true;
	}
	if (!sf_infer_attr_axis(infer, "axis", 1, rank, &axis))
		return false;
	if (!first->rank_known) {
		sf_infer_set_unknown(infer, 0, first->dtype);
		return true;
	}
	return concat(infer, infer->inputs, infer->ninputs, axis);
}

/* ---- Split ---- */

struct split {
	struct sf_ints sizes;
	int64_t num;    /* how many equal parts when there are no sizes */
	bool last_less; /* the last may be smaller */
};

static bool
read_split(struct sf_infer *infer, struct split *s)
{
	int64_t num = infer->noutputs;

	if (infer->opset < 2) {
		if (!sf_infer_ints(infer, 1, "split", &s->sizes))
			return false;
		if (!s->sizes.given &&
		    !sf_infer_attr_list(infer, "split", &s->sizes))
			return false;
	} else if (!sf_infer_moved(infer, "split", 13, 1, &s->sizes)) {
		return false;
	}
	if (!sf_infer_attr_int(infer, "num_outputs", num, &s->num))
		return false;
	s->last_less = infer->opset >= 18;
	if (s->sizes.n >= 0 && s->sizes.given && s->sizes.n != infer->noutputs)
		return sf_fail(infer->error,
		    "'split' has %d sizes, expected one for each of %d outputs",
		    s->sizes.n, infer->noutputs);
	if (s->num < infer->noutputs || s->num < 1)
		return sf_fail(infer->error,
		    "attribute 'num_outputs' is %lld, expected %d",
		    (long long)s->num, infer->noutputs);
	return true;
}

static bool
check_split(
    struct sf_infer *infer, const struct split *s, struct sf_onnx_dim whole)
{
	int64_t sum = 0;
	bool known = sf_dim_known(whole);

	for (int i = 0; i < s->sizes.n; i++) {
		if (!s->sizes.v[i].known) {
			known = false;
			continue;
		}
		if (s->sizes.v[i].i < 0)
			return sf_fail(infer->error,
			    "'split' is %lld in place %d, expected at least 0",
			    (long long)s->sizes.v[i].i, i);
		if (!sf_add(sum, s->sizes.v[i].i, &sum))
			return sf_fail(infer->error,
			    "'split' adds up to more than 2^63 - 1");
	}
	if (s->sizes.given && s->sizes.n >= 0 && known && sum != whole.size)
		return sf_fail(infer->error,
		    "'split' adds up to %lld, expected the dimension's %lld",
		    (long long)sum, (long long)whole.size);
	if (!s->sizes.given && !s->last_less && sf_dim_known(whole) &&
	    whole.size % s->num != 0)
		return sf_fail(infer->error,
		    "a dimension of %lld in %lld parts, expected it to divide",
		    (long long)whole.size, (long long)s->num);
	return true;
}

static struct sf_onnx_dim
part_size(const struct split *s, int i, struct sf_onnx_dim whole)
{
	int64_t part, before;

	if (s->sizes.given) {
		struct sf_cell cell = { 0 };

		if (s->sizes.n >= 0)
			cell = s->sizes.v[i];
		return cell.known
		    ? sf_dim(cell.i)
		    : (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	}
	if (s->num == 1)
		return whole;
	if (!sf_dim_known(whole))
		return SF_DIM_NONE;
	part = sf_ceil_div(whole.size, s->num);
	if (!sf_mul(part, i, &before) || before >= whole.size)
		return sf_dim(0);
	return sf_dim(whole.size - before < part ? whole.size - before : part);
}

/* Part I, which begins at FROM on AXIS. */
static bool
take_part(struct sf_infer *infer, const struct sf_shape *in, int axis, int i,
    int64_t from, int64_t size)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_onnx_dim inner;
	struct sf_cells cells;
	int64_t run;

	if (!sf_value_has_contents(x) || !sf_cells_begin(&cells, infer, i))
		return true;
	if (!sf_shape_count(infer, in, axis + 1, in->rank, &inner))
		return false;
	run = size * inner.size;
	for (int64_t at = 0; at < cells.n; at++)
		sf_cells_put(&cells, at,
		    sf_cell_get(x,
			at / run * in->d[axis].size * inner.size +
			    from * inner.size + at % run));
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_split(struct sf_infer *infer)
{
	struct sf_shape in, out;
	struct split s;
	int64_t from = 0;
	int axis;

	sf_infer_shape(infer, 0, &in);
	if (!read_split(infer, &s))
		return false;
	for (int i = 0; !in.known && i < infer->noutputs; i++)
		sf_infer_set(infer, i, infer->inputs[0]->dtype, &in);
	if (!in.known)
		return true;
	if (!sf_infer_attr_axis(infer, "axis", 0, in.rank, &axis) ||
	    !check_split(infer, &s, in.d[axis]))
		return false;
	out = in;
	for (int i = 0; i < infer->noutputs; i++) {
		out.d[axis] = part_size(&s, i, in.d[axis]);
		if (s.sizes.given && !sf_dim_known(out.d[axis]))
			sf_infer_unknown_list(infer, i, &s.sizes);
		sf_infer_set(infer, i, infer->inputs[0]->dtype, &out);
		if (from < 0 || !sf_dim_known(out.d[axis])) {
			from = -1; /* where the others begin is not known */
			continue;
		}
		if (!take_part(infer, &in, axis, i, from, out.d[axis].size) ||
		    !sf_add(from, out.d[axis].size, &from))
			return false;
	}
	return true;
}

/* ---- Expand and Tile ---- */

/* The element of input 0 that lands at INDEX when it is repeated. */
static void
repeat_contents(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_shape *out)
{
	const struct sf_value *x = infer->inputs[0];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_cells cells;

	if (!sf_value_has_contents(x) || !sf_cells_begin(&cells, infer, 0))
		return;
	for (int64_t i = 0; i < cells.n; i++) {
		int64_t at = 0;

		for (int k = 0; k < in->rank; k++) {
			int64_t size = in->d[k].size;

			at = at * size + index[out->rank - in->rank + k] % size;
		}
		sf_cells_put(&cells, i, sf_cell_get(x, at));
		sf_index_next(out, index);
	}
	sf_cells_end(&cells);
}

bool
sf_rule_expand(struct sf_infer *infer)
{
	struct sf_shape in, wanted = { .known = true }, out;
	struct sf_ints list;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_ints(infer, 1, "shape", &list))
		return false;
	wanted.known = list.n >= 0;
	for (int i = 0; i < list.n; i++) {
		struct sf_onnx_dim d = { SF_DIM_UNKNOWN, list.v[i].name };

		if (list.v[i].known)
			d = sf_dim(list.v[i].i);
		if (list.v[i].known && d.size < 0)
			return sf_fail(infer->error,
			    "input 'shape' is %lld in place %d, expected at "
			    "least 0",
			    (long long)d.size, i);
		if (!sf_shape_push(infer, &wanted, d))
			return false;
	}
	if (!sf_ints_known(&list))
		sf_infer_unknown_list(infer, 0, &list);
	if (!sf_shape_broadcast(infer, &in, &wanted, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	repeat_contents(infer, &in, &out);
	return true;
}

/* In opset 1 one axis is repeated: inputs 'tiles' and 'axis'. */
static bool
tile_old(struct sf_infer *infer, struct sf_shape *out)
{
	struct sf_cell tiles, which;
	int axis;

	if (!sf_infer_scalar(infer, 1, "tiles", &tiles) ||
	    !sf_infer_scalar(infer, 2, "axis", &which))
		return false;
	for (int i = 0; !which.known && i < out->rank; i++)
		out->d[i] = SF_DIM_NONE;
	if (!which.known || !out->known)
		return true;
	if (!sf_infer_axis(infer, "input 'axis'", which.i, out->rank, &axis))
		return false;
	if (!tiles.known || !sf_dim_known(out->d[axis]))
		out->d[axis] = SF_DIM_NONE;
	else if (tiles.i < 0 ||
	    !sf_mul(out->d[axis].size, tiles.i, &out->d[axis].size))
		return sf_fail(infer->error,
		    "input 'tiles' is %lld, expected a number >= 0 that keeps "
		    "the size below 2^63",
		    (long long)tiles.i);
	return true;
}

bool
sf_rule_tile_old(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (!tile_old(infer, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_tile(struct sf_infer *infer)
{
	struct sf_shape in, out;
	struct sf_ints repeats;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_ints(infer, 1, "repeats", &repeats))
		return false;
	out = in;
	if (!in.known && repeats.n >= 0 && repeats.n <= SF_VALUE_MAX_RANK) {
		out.known = true;
		out.rank = repeats.n;
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		in = out;
	}
	if (in.known && repeats.n >= 0 && repeats.n != in.rank)
		return sf_fail(infer->error,
		    "input 'repeats' has %d integers, expected %d", repeats.n,
		    in.rank);
	for (int i = 0; i < out.rank; i++) {
		struct sf_cell n = list_get(&repeats, i, 1);

		if (n.known && n.i < 0)
			return sf_fail(infer->error,
			    "input 'repeats' is %lld in place %d, expected at "
			    "least 0",
			    (long long)n.i, i);
		if (n.known && n.i == 1)
			continue;
		if (!n.known && in.d[i].size == 1) {
			out.d[i] =
			    (struct sf_onnx_dim){ SF_DIM_UNKNOWN, n.name };
			continue;
		}
		if (!n.known || !sf_dim_known(in.d[i]))
			out.d[i] = SF_DIM_NONE;
		else if (!sf_mul(in.d[i].size, n.i, &out.d[i].size))
			return sf_fail(infer->error,
			    "dimension %d times 'repeats' passes 2^63 - 1", i);
	}
	if (!sf_ints_known(&repeats))
		sf_infer_unknown_list(infer, 0, &repeats);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	repeat_contents(infer, &in, &out);
	return true;
}

/* ---- blocks ---- */

static bool
block_size(struct sf_infer *infer, int64_t *out)
{
	if (!sf_infer_need_rank(infer, 0, "input", 4) ||
	    !sf_infer_attr_int(infer, "blocksize", 0, out))
		return false;
	if (*out < 1 || *out > INT32_MAX)
		return sf_fail(infer->error,
		    "attribute 'blocksize' is %lld, expected at least 1",
		    (long long)*out);
	return true;
}

/* *SIZE times or over FACTOR. */
static bool
scale_dim(
    struct sf_infer *infer, struct sf_onnx_dim *d, int64_t factor, bool up)
{
	if (!sf_dim_known(*d)) {
		*d = SF_DIM_NONE;
		return true;
	}
	if (up && !sf_mul(d->size, factor, &d->size))
		return sf_fail(infer->error,
		    "a dimension times 'blocksize' passes 2^63 - 1");
	if (!up && d->size % factor != 0)
		return sf_fail(infer->error,
		    "a dimension of %lld, expected a multiple of %lld",
		    (long long)d->size, (long long)factor);
	*d = sf_dim(up ? d->size : d->size / factor);
	return true;
}

static bool
move_blocks(struct sf_infer *infer, bool to_space)
{
	struct sf_shape out;
	int64_t block;

	sf_infer_shape(infer, 0, &out);
	if (!block_size(infer, &block))
		return false;
	if (out.known &&
	    (!scale_dim(infer, &out.d[1], block * block, !to_space) ||
		!scale_dim(infer, &out.d[2], block, to_space) ||
		!scale_dim(infer, &out.d[3], block, to_space)))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_depth_to_space(struct sf_infer *infer)
{
	return move_blocks(infer, true);
}

bool
sf_rule_space_to_depth(struct sf_infer *infer)
{
	return move_blocks(infer, false);
}

/* ---- Pad and CenterCropPad ---- */

struct padding {
	struct sf_ints pads;
	struct sf_ints axes;
};

static bool
read_padding(struct sf_infer *infer, struct padding *p)
{
	const char *name = infer->opset < 2 ? "paddings" : "pads";

	p->axes = (struct sf_ints){ 0 };
	if (infer->opset < 2 && sf_infer_attr(infer, name) == NULL)
		name = "pads";
	if (!sf_infer_moved(infer, name, 11, 1, &p->pads))
		return false;
	if (!p->pads.given)
		return sf_fail(infer->error, "attribute 'pads' is missing");
	return infer->opset < 18 || sf_infer_ints(infer, 3, "axes", &p->axes);
}

static bool
pad_dim(struct sf_infer *infer, struct sf_cell begin, struct sf_cell end,
    int axis, struct sf_onnx_dim *d)
{
	int64_t size;

	if (begin.known && end.known && begin.i == 0 && end.i == 0)
		return true;
	if (!begin.known || !end.known || !sf_dim_known(*d)) {
		*d = SF_DIM_NONE;
		return true;
	}
	if (!sf_add(d->size, begin.i, &size) || !sf_add(size, end.i, &size) ||
	    size < 0)
		return sf_fail(infer->error,
		    "'pads' are %lld and %lld for dimension %d of %lld, "
		    "expected a size of 0 to 2^63 - 1",
		    (long long)begin.i, (long long)end.i, axis,
		    (long long)d->size);
	*d = sf_dim(size);
	return true;
}

bool
sf_rule_pad(struct sf_infer *infer)
{
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_shape out;
	struct padding p;
	int n;

	sf_infer_shape(infer, 0, &out);
	if (!read_padding(infer, &p))
		return false;
	if (!sf_ints_known(&p.pads) ||
	    (p.axes.given && !sf_ints_known(&p.axes)))
		sf_infer_unknown_list(
		    infer, 0, sf_ints_known(&p.pads) ? &p.axes : &p.pads);
	n = p.axes.given ? p.axes.n : out.rank;
	if (out.known && n >= 0 && p.pads.n >= 0 && p.pads.n != 2 * n)
		return sf_fail(infer->error,
		    "'pads' has %d integers, expected %d", p.pads.n, 2 * n);
	if (p.pads.n < 0 || (p.axes.given && !sf_ints_known(&p.axes))) {
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		n = 0;
	}
	if (out.known && p.axes.given && n > 0 &&
	    !sf_infer_axes(infer, "input 'axes'", &p.axes, out.rank, flags))
		return false;
	for (int i = 0; out.known && i < n; i++) {
		int64_t axis = p.axes.given ? p.axes.v[i].i : i;

		if (axis < 0)
			axis += out.rank;
		if (!pad_dim(infer, p.pads.v[i], p.pads.v[n + i], (int)axis,
			&out.d[axis]))
			return false;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_center_crop_pad(struct sf_infer *infer)
{
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_ints sizes, axes;
	struct sf_shape out;
	int n;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_ints(infer, 1, "shape", &sizes) ||
	    !sf_infer_attr_list(infer, "axes", &axes))
		return false;
	n = axes.given ? axes.n : out.rank;
	if (out.known && sizes.n >= 0 && sizes.n != n)
		return sf_fail(infer->error,
		    "input 'shape' has %d integers, expected %d", sizes.n, n);
	if (out.known && axes.given &&
	    !sf_infer_axes(infer, "attribute 'axes'", &axes, out.rank, flags))
		return false;
	for (int i = 0; out.known && i < n; i++) {
		int64_t axis = axes.given ? axes.v[i].i : i;
		struct sf_cell cell = { 0 };

		if (axis < 0)
			axis += out.rank;
		if (sizes.n >= 0)
			cell = sizes.v[i];
		if (cell.known && cell.i < 0)
			return sf_fail(infer->error,
			    "input 'shape' is %lld, expected at least 0",
			    (long long)cell.i);
		out.d[axis] = cell.known
		    ? sf_dim(cell.i)
		    : (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	}
	if (!sf_ints_known(&sizes))
		sf_infer_unknown_list(infer, 0, &sizes);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- Trilu ---- */

bool
sf_rule_trilu(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_cell k = sf_cell_int(0);
	struct sf_cells cells;
	int64_t upper;

	sf_infer_like(infer, 0, x);
	if (x->rank_known && x->rank < 2)
		return sf_fail(infer->error,
		    "input 'input' has rank %d, expected at least 2", x->rank);
	if (!sf_infer_attr_int(infer, "upper", 1, &upper) ||
	    (sf_infer_input(infer, 1) != NULL &&
		!sf_infer_scalar(infer, 1, "k", &k)))
		return false;
	if (!k.known || !sf_value_has_contents(x) ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		int64_t rows = x->dims[x->rank - 2];
		int64_t columns = x->dims[x->rank - 1];
		int64_t diagonal = i % columns - i / columns % rows;
		bool keep = upper ? diagonal >= k.i : diagonal <= k.i;

		sf_cells_put(&cells, i,
		    keep ? sf_cell_get(x, i)
			 : (struct sf_cell){ .known = true });
	}
	sf_cells_end(&cells);
	return true;
}

/* ---- Dropout: output and mask have the shape of the input ---- */

bool
sf_rule_dropout(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_shape shape;

	sf_shape_of(in, &shape);
	sf_infer_set(infer, 0, in->dtype, &shape);
	sf_infer_set(
	    infer, 1, infer->opset >= 10 ? SF_DT_B8 : in->dtype, &shape);
	return true;
}
