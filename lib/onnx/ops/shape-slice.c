/* Operators that take tensors apart and put them together along an axis. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

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
		    infer->error, "'steps' is 0, expected any other number");
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

/* Place I of the lists, on AXIS. */
static bool
apply_slice(struct sf_infer *infer, const struct slices *s, int i, int axis,
    struct sf_shape *shape, struct slice *slice)
{
	struct sf_cell start = sf_ints_get(&s->starts, i, 0);
	struct sf_cell end = sf_ints_get(&s->ends, i, 0);
	struct sf_cell step = sf_ints_get(&s->steps, i, 1);
	struct sf_onnx_dim *d = &shape->d[axis];

	slice->known = false;
	if (step.known && step.i == 0)
		return sf_fail(
		    infer->error, "'steps' is 0, expected any other number");
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
		struct sf_cell which = sf_ints_get(&s.axes, i, i);
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
		infer->oddity = sf_arena_printf(infer->arena,
		    "'split' adds up to %lld, expected the dimension's %lld",
		    (long long)sum, (long long)whole.size);
	if (!s->sizes.given && !s->last_less && sf_dim_known(whole) &&
	    whole.size % s->num != 0)
		infer->oddity = sf_arena_printf(infer->arena,
		    "a dimension of %lld in %lld parts, expected it to divide",
		    (long long)whole.size, (long long)s->num);
	if (!s->sizes.given && s->last_less && sf_dim_known(whole) &&
	    sf_ceil_div(whole.size, s->num) > 0 &&
	    s->num - 1 > whole.size / sf_ceil_div(whole.size, s->num))
		infer->oddity = sf_arena_printf(infer->arena,
		    "a dimension of %lld in %lld parts, expected it to reach "
		    "the last",
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
		if (infer->oddity != NULL || from < 0 ||
		    !sf_dim_known(out.d[axis])) {
			from = -1; /* where the others begin is not known */
			continue;
		}
		if (!take_part(infer, &in, axis, i, from, out.d[axis].size) ||
		    !sf_add(from, out.d[axis].size, &from))
			return false;
	}
	return true;
}
