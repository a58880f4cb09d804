/* Operators that pick or place elements by index, or by what they are. */
#include "base/num.h"
#include "onnx/rules.h"
#include "onnx/shape.h"

static bool
out_of_range(struct sf_infer *infer, int64_t index, int64_t size)
{
	return sf_fail(infer->error, "an index is %lld, expected %lld to %lld",
	    (long long)index, (long long)-size, (long long)(size - 1));
}

/* INDEX into SIZE, counted from the end when it is negative. */
static bool
wrap(struct sf_infer *infer, int64_t index, int64_t size, int64_t *out)
{
	if (index < -size || index >= size)
		return out_of_range(infer, index, size);
	*out = index < 0 ? index + size : index;
	return true;
}

/* ---- Gather ---- */

static bool
take_rows(struct sf_infer *infer, const struct sf_shape *in, int axis)
{
	const struct sf_value *x = infer->inputs[0], *ind = infer->inputs[1];
	int64_t count = sf_value_numel(ind), size = in->d[axis].size;
	struct sf_onnx_dim inner;
	struct sf_cells cells;

	if (!sf_value_has_contents(x) || ind->ints == NULL ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	if (!sf_shape_count(infer, in, axis + 1, in->rank, &inner))
		return false;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell which = sf_cell_get(ind, i / inner.size % count);
		int64_t outer = i / inner.size / count, at = 0;
		struct sf_cell cell = { 0 };

		if (which.known) {
			if (!wrap(infer, which.i, size, &at))
				return false;
			cell = sf_cell_get(x,
			    (outer * size + at) * inner.size + i % inner.size);
		}
		sf_cells_put(&cells, i, cell);
	}
	sf_cells_end(&cells);
	return true;
}

/* Known indices must be in range, whether or not the contents are known. */
static bool
check_indices(struct sf_infer *infer, const struct sf_value *indices,
    struct sf_onnx_dim d)
{
	int64_t n = sf_value_numel(indices), at;

	if (!sf_dim_known(d) || indices->ints == NULL)
		return true;
	for (int64_t i = 0; i < n; i++) {
		struct sf_cell cell = sf_cell_get(indices, i);

		if (cell.known && !wrap(infer, cell.i, d.size, &at))
			return false;
	}
	return true;
}

bool
sf_rule_gather(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape in, indices, out = { .known = true };
	int axis;

	sf_infer_shape(infer, 0, &in);
	sf_infer_shape(infer, 1, &indices);
	if (!in.known) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	if (!sf_infer_attr_axis(infer, "axis", 0, in.rank, &axis) ||
	    !check_indices(infer, infer->inputs[1], in.d[axis]))
		return false;
	if (!indices.known) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	for (int i = 0; i < in.rank; i++) {
		if (i != axis) {
			if (!sf_shape_push(infer, &out, in.d[i]))
				return false;
			continue;
		}
		for (int k = 0; k < indices.rank; k++)
			if (!sf_shape_push(infer, &out, indices.d[k]))
				return false;
	}
	sf_infer_set(infer, 0, dtype, &out);
	return take_rows(infer, &in, axis);
}

/* ---- GatherElements ---- */

static bool
take_elements(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_shape *out, int axis)
{
	const struct sf_value *x = infer->inputs[0], *ind = infer->inputs[1];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, from[SF_VALUE_MAX_RANK];
	struct sf_cells cells;

	if (!sf_value_has_contents(x) || ind->ints == NULL ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell which = sf_cell_get(ind, i), cell = { 0 };

		memcpy(from, index, sizeof from);
		if (which.known) {
			if (!wrap(
				infer, which.i, in->d[axis].size, &from[axis]))
				return false;
			for (int k = 0; k < in->rank; k++)
				if (from[k] >= in->d[k].size)
					return out_of_range(
					    infer, from[k], in->d[k].size);
			cell = sf_cell_get(x, sf_index_at(in, from));
		}
		sf_cells_put(&cells, i, cell);
		sf_index_next(out, index);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_gather_elements(struct sf_infer *infer)
{
	struct sf_shape in, out;
	int axis;

	sf_infer_shape(infer, 0, &in);
	sf_infer_shape(infer, 1, &out);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	if (!in.known || !out.known)
		return true;
	if (in.rank != out.rank)
		return sf_fail(infer->error,
		    "input 'indices' has rank %d, expected %d", out.rank,
		    in.rank);
	return sf_infer_attr_axis(infer, "axis", 0, in.rank, &axis) &&
	    check_indices(infer, infer->inputs[1], in.d[axis]) &&
	    take_elements(infer, &in, &out, axis);
}

/* ---- GatherND ---- */

/* Row ROW of the indices as a place in the N dimensions from FIRST on. */
static bool
read_row(struct sf_infer *infer, const struct sf_value *indices, int64_t row,
    int64_t n, const struct sf_shape *in, int first, int64_t *out, bool *known)
{
	*known = true;
	for (int64_t k = 0; k < n; k++) {
		struct sf_cell cell = sf_cell_get(indices, row * n + k);

		if (!cell.known)
			*known = false;
		else if (!wrap(infer, cell.i, in->d[first + k].size, &out[k]))
			return false;
	}
	return true;
}

static bool
take_nd(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_shape *indices)
{
	const struct sf_value *x = infer->inputs[0], *ind = infer->inputs[1];
	int64_t n = indices->d[indices->rank - 1].size;
	int64_t place[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_onnx_dim inner;
	struct sf_cells cells;
	bool known = true;

	if (!sf_value_has_contents(x) || ind->ints == NULL ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	if (!sf_shape_count(infer, in, (int)n, in->rank, &inner))
		return false;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell cell = { 0 };
		int64_t at = 0;

		if (!read_row(
			infer, ind, i / inner.size, n, in, 0, place, &known))
			return false;
		for (int64_t k = 0; known && k < n; k++)
			at = at * in->d[k].size + place[k];
		if (known)
			cell = sf_cell_get(x, at * inner.size + i % inner.size);
		sf_cells_put(&cells, i, cell);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_gather_nd(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape in, indices, out = { .known = true };
	int64_t batch;
	int last;

	sf_infer_shape(infer, 0, &in);
	sf_infer_shape(infer, 1, &indices);
	if (!sf_infer_attr_int(infer, "batch_dims", 0, &batch))
		return false;
	last = indices.rank - 1;
	if (!in.known || !indices.known ||
	    (last >= 0 && !sf_dim_known(indices.d[last]))) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	if (last < 0 || batch < 0 || batch > last || batch >= in.rank ||
	    indices.d[last].size < 1 || indices.d[last].size > in.rank - batch)
		return sf_fail(infer->error,
		    "input 'indices' of rank %d and 'batch_dims' %lld do not "
		    "go with data of rank %d",
		    indices.rank, (long long)batch, in.rank);
	for (int i = 0; i < last; i++)
		out.d[out.rank++] = indices.d[i];
	for (int64_t i = batch + indices.d[last].size; i < in.rank; i++)
		if (!sf_shape_push(infer, &out, in.d[i]))
			return false;
	sf_infer_set(infer, 0, dtype, &out);
	return batch != 0 || take_nd(infer, &in, &indices);
}

/* ---- scattering ---- */

static bool
copy_cells(struct sf_infer *infer, struct sf_cells *cells)
{
	const struct sf_value *x = infer->inputs[0];

	if (!sf_value_has_contents(x) || !sf_cells_begin(cells, infer, 0))
		return false;
	for (int64_t i = 0; i < cells->n; i++)
		sf_cells_put(cells, i, sf_cell_get(x, i));
	return true;
}

/* Contents are followed when elements are replaced, not when added up. */
static bool
replaces(struct sf_infer *infer, bool *out)
{
	struct sf_str reduction;

	if (!sf_infer_attr_str(infer, "reduction", "none", &reduction))
		return false;
	*out = sf_str_is(reduction, "none");
	return true;
}

static bool
scatter_elements(struct sf_infer *infer, const struct sf_shape *in, int axis)
{
	const struct sf_value *ind = infer->inputs[1], *up = infer->inputs[2];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, to[SF_VALUE_MAX_RANK];
	int64_t n = sf_value_numel(ind);
	struct sf_shape shape;
	struct sf_cells cells;

	sf_infer_shape(infer, 1, &shape);
	if (!sf_value_has_ints(ind) || sf_value_numel(up) != n ||
	    up->dtype != infer->inputs[0]->dtype || !copy_cells(infer, &cells))
		return true;
	for (int64_t i = 0; i < n; i++) {
		memcpy(to, index, sizeof to);
		if (!wrap(infer, ind->ints[i], in->d[axis].size, &to[axis]))
			return false;
		for (int k = 0; k < in->rank; k++)
			if (to[k] >= in->d[k].size)
				return out_of_range(
				    infer, to[k], in->d[k].size);
		sf_cells_put(&cells, sf_index_at(in, to), sf_cell_get(up, i));
		sf_index_next(&shape, index);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_scatter_elements(struct sf_infer *infer)
{
	struct sf_shape in, indices;
	bool simple;
	int axis;

	sf_infer_like(infer, 0, infer->inputs[0]);
	sf_infer_shape(infer, 0, &in);
	sf_infer_shape(infer, 1, &indices);
	if (!replaces(infer, &simple))
		return false;
	if (!in.known || !indices.known)
		return true;
	if (in.rank != indices.rank)
		return sf_fail(infer->error,
		    "input 'indices' has rank %d, expected %d", indices.rank,
		    in.rank);
	if (!sf_infer_attr_axis(infer, "axis", 0, in.rank, &axis) ||
	    !check_indices(infer, infer->inputs[1], in.d[axis]))
		return false;
	return !simple || scatter_elements(infer, &in, axis);
}

static bool
scatter_rows(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_shape *indices)
{
	const struct sf_value *ind = infer->inputs[1], *up = infer->inputs[2];
	int64_t n = indices->d[indices->rank - 1].size, rows;
	int64_t place[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_onnx_dim inner;
	struct sf_cells cells;
	bool known;

	if (!sf_value_has_ints(ind) || up->dtype != infer->inputs[0]->dtype ||
	    n < 1 || !copy_cells(infer, &cells))
		return true;
	if (!sf_shape_count(infer, in, (int)n, in->rank, &inner))
		return false;
	rows = sf_value_numel(ind) / n;
	if (sf_value_numel(up) != rows * inner.size)
		return true;
	for (int64_t row = 0; row < rows; row++) {
		int64_t at = 0;

		if (!read_row(infer, ind, row, n, in, 0, place, &known))
			return false;
		for (int64_t k = 0; k < n; k++)
			at = at * in->d[k].size + place[k];
		for (int64_t k = 0; k < inner.size; k++)
			sf_cells_put(&cells, at * inner.size + k,
			    sf_cell_get(up, row * inner.size + k));
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_scatter_nd(struct sf_infer *infer)
{
	struct sf_shape in, indices;
	bool simple;
	int64_t n;

	sf_infer_like(infer, 0, infer->inputs[0]);
	sf_infer_shape(infer, 0, &in);
	sf_infer_shape(infer, 1, &indices);
	if (!replaces(infer, &simple))
		return false;
	if (!in.known || !indices.known)
		return true;
	if (indices.rank < 1)
		return sf_fail(infer->error,
		    "input 'indices' has rank 0, expected at least 1");
	n = indices.d[indices.rank - 1].size;
	if (n > in.rank)
		return sf_fail(infer->error,
		    "input 'indices' has rows of %lld, expected at most %d",
		    (long long)n, in.rank);
	for (int i = 0; i < in.rank; i++)
		if (!sf_dim_known(in.d[i]))
			return true;
	return !simple || n < 0 || scatter_rows(infer, &in, &indices);
}

/* The cache keeps its shape. */
bool
sf_rule_like_first(struct sf_infer *infer)
{
	sf_infer_like(infer, 0, infer->inputs[0]);
	return true;
}

/* ---- by what the elements are ---- */

/* How many known elements are not zero, and whether all are known. */
static bool
count_true(const struct sf_value *x, int64_t limit, int64_t *count)
{
	int64_t n = sf_value_numel(x);

	*count = 0;
	if (n < 0 || (!sf_value_has_all(x) && n != 0))
		return false;
	for (int64_t i = 0; i < n && i < limit; i++) {
		struct sf_cell cell = sf_cell_get(x, i);

		*count += x->ints != NULL ? cell.i != 0 : cell.f != 0;
	}
	return true;
}

bool
sf_rule_non_zero(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape in, out = { .known = true, .rank = 2 };
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, count, column = 0;
	struct sf_cells cells;
	bool known = count_true(x, INT64_MAX, &count);

	sf_infer_shape(infer, 0, &in);
	out.d[0] = in.known ? sf_dim(in.rank) : SF_DIM_NONE;
	out.d[1] = known ? sf_dim(count) : SF_DIM_NONE;
	/* NumPy's answer for a number: it is taken for a vector of one. */
	if (in.known && in.rank == 0)
		out.d[0] = SF_DIM_NONE;
	if (!known)
		sf_infer_unknown(infer, 0,
		    "the number of elements of '%.*s' that are not zero is not "
		    "known",
		    SF_STR_ARG(x->name));
	sf_infer_set(infer, 0, SF_DT_I64, &out);
	if (!known || in.rank == 0 || !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < sf_value_numel(x); i++) {
		struct sf_cell cell = sf_cell_get(x, i);

		if (x->ints != NULL ? cell.i != 0 : cell.f != 0) {
			for (int k = 0; k < in.rank; k++)
				sf_cells_put(&cells, k * count + column,
				    sf_cell_int(index[k]));
			column++;
		}
		sf_index_next(&in, index);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_compress(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	const struct sf_value *condition = infer->inputs[1];
	struct sf_shape out;
	struct sf_onnx_dim d = SF_DIM_NONE, length;
	int64_t count;
	int axis = 0;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_need_rank(infer, 1, "condition", 1))
		return false;
	if (out.known && sf_infer_attr(infer, "axis") != NULL) {
		if (!sf_infer_attr_axis(infer, "axis", 0, out.rank, &axis))
			return false;
		length = out.d[axis];
	} else {
		if (sf_infer_attr(infer, "axis") != NULL) {
			sf_infer_set(infer, 0, dtype, &out);
			return true;
		}
		length = SF_DIM_NONE;
		if (out.known &&
		    !sf_shape_count(infer, &out, 0, out.rank, &length))
			return false;
		out = (struct sf_shape){ .known = true, .rank = 1 };
	}
	if (count_true(condition,
		sf_dim_known(length) ? length.size : INT64_MAX, &count))
		d = sf_dim(count);
	else
		sf_infer_unknown_from(infer, 0, condition);
	out.d[axis] = d;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* ---- Unique ---- */

static bool
same_cell(const struct sf_value *x, int64_t a, int64_t b)
{
	struct sf_cell p = sf_cell_get(x, a), q = sf_cell_get(x, b);

	return x->ints != NULL ? p.i == q.i : p.f == q.f;
}

/* Subtensors A and B of axis AXIS are equal. */
static bool
same_slice(
    const struct sf_value *x, int64_t size, int64_t inner, int64_t a, int64_t b)
{
	int64_t n = sf_value_numel(x);

	for (int64_t base = 0; base < n; base += size * inner)
		for (int64_t i = 0; i < inner; i++)
			if (!same_cell(
				x, base + a * inner + i, base + b * inner + i))
				return false;
	return true;
}

/* Comparisons grow with the square: no more are tried than that. */
enum {
	MAX_UNIQUE = 512
};

static bool
count_unique(
    const struct sf_value *x, int64_t size, int64_t inner, int64_t *count)
{
	*count = 0;
	if (!sf_value_has_all(x) || size > MAX_UNIQUE ||
	    (size > 0 && sf_value_numel(x) / size > MAX_UNIQUE))
		return false;
	for (int64_t i = 0; i < size; i++) {
		bool first = true;

		for (int64_t k = 0; k < i && first; k++)
			first = !same_slice(x, size, inner, k, i);
		*count += first;
	}
	return true;
}

bool
sf_rule_unique(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape out;
	struct sf_onnx_dim inner = sf_dim(1), d = SF_DIM_NONE, whole;
	bool flat = sf_infer_attr(infer, "axis") == NULL;
	int64_t count;
	int axis = 0;

	sf_infer_shape(infer, 0, &out);
	if (out.known && !flat &&
	    (!sf_infer_attr_axis(infer, "axis", 0, out.rank, &axis) ||
		!sf_shape_count(infer, &out, axis + 1, out.rank, &inner)))
		return false;
	whole = SF_DIM_NONE;
	if (out.known && !flat)
		whole = out.d[axis];
	else if (out.known && !sf_shape_count(infer, &out, 0, out.rank, &whole))
		return false;
	if (sf_dim_known(whole) && sf_dim_known(inner) &&
	    count_unique(x, whole.size, inner.size, &count))
		d = sf_dim(count);
	else
		sf_infer_unknown(infer, 0,
		    "the number of unique elements of '%.*s' is not known",
		    SF_STR_ARG(x->name));
	if (flat)
		out = (struct sf_shape){ .known = true, .rank = 1 };
	if (out.known)
		out.d[axis] = d;
	sf_infer_set(infer, 0, x->dtype, &out);
	sf_infer_set_vector(infer, 1, SF_DT_I64, d);
	sf_infer_set_vector(infer, 2, SF_DT_I64, whole);
	sf_infer_set_vector(infer, 3, SF_DT_I64, d);
	for (int i = 1; i < infer->noutputs; i++)
		infer->outputs[i].why = infer->outputs[0].why;
	return true;
}

/* ---- TopK, OneHot, ArrayFeatureExtractor ---- */

bool
sf_rule_top_k(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape out;
	struct sf_cell k = { 0 };
	int64_t number;
	int axis;

	sf_infer_shape(infer, 0, &out);
	if (infer->opset >= 10) {
		if (!sf_infer_scalar(infer, 1, "K", &k))
			return false;
	} else {
		if (!sf_infer_attr_int(infer, "k", -1, &number))
			return false;
		k = sf_cell_int(number);
	}
	if (k.known && k.i < 0)
		return sf_fail(infer->error, "'k' is %lld, expected at least 0",
		    (long long)k.i);
	if (out.known) {
		if (!sf_infer_attr_axis(infer, "axis", -1, out.rank, &axis))
			return false;
		if (k.known && sf_dim_known(out.d[axis]) &&
		    k.i > out.d[axis].size)
			return sf_fail(infer->error,
			    "'k' is %lld, expected at most the dimension's "
			    "%lld",
			    (long long)k.i, (long long)out.d[axis].size);
		out.d[axis] = k.known
		    ? sf_dim(k.i)
		    : (struct sf_onnx_dim){ SF_DIM_UNKNOWN, k.name };
		if (!k.known) {
			sf_infer_unknown_from(infer, 0, infer->inputs[1]);
			sf_infer_unknown_from(infer, 1, infer->inputs[1]);
		}
	}
	sf_infer_set(infer, 0, dtype, &out);
	sf_infer_set(infer, 1, SF_DT_I64, &out);
	return true;
}

bool
sf_rule_one_hot(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[2]->dtype;
	struct sf_shape in, out = { .known = true };
	struct sf_onnx_dim d = SF_DIM_NONE;
	struct sf_cell depth;
	int axis;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_scalar(infer, 1, "depth", &depth))
		return false;
	if (!in.known) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	if (!sf_infer_attr_axis(infer, "axis", -1, in.rank + 1, &axis))
		return false;
	if (depth.known) {
		if (infer->inputs[1]->floats != NULL)
			depth.i = depth.f >= 0 && depth.f < 0x1p63
			    ? (int64_t)depth.f
			    : -1;
		if (depth.i < 0)
			return sf_fail(infer->error,
			    "input 'depth' is %lld, expected at least 0",
			    (long long)depth.i);
		d = sf_dim(depth.i);
	} else {
		d.name = depth.name;
		sf_infer_unknown_from(infer, 0, infer->inputs[1]);
	}
	for (int i = 0; i <= in.rank; i++)
		if (!sf_shape_push(infer, &out,
			i == axis      ? d
			    : i < axis ? in.d[i]
				       : in.d[i - 1]))
			return false;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* ---- NonMaxSuppression: [selected, 3] ---- */

/* Corners or centre and size of box BOX, as x1, y1, x2, y2. */
static void
read_box(const struct sf_value *boxes, int64_t box, bool centre, double out[4])
{
	double b[4];

	for (int k = 0; k < 4; k++)
		b[k] = sf_dtype_round(SF_DT_F32, boxes->floats[box * 4 + k]);
	if (centre) {
		out[0] = b[0] - b[2] / 2;
		out[1] = b[1] - b[3] / 2;
		out[2] = b[0] + b[2] / 2;
		out[3] = b[1] + b[3] / 2;
		return;
	}
	for (int k = 0; k < 2; k++) {
		out[k] = b[k] < b[k + 2] ? b[k] : b[k + 2];
		out[k + 2] = b[k] < b[k + 2] ? b[k + 2] : b[k];
	}
}

/* The common area of two boxes over the area that they cover together. */
static double
overlap(const double a[4], const double b[4])
{
	double common = 1, size_a = 1, size_b = 1;

	for (int k = 0; k < 2; k++) {
		double low = a[k] > b[k] ? a[k] : b[k];
		double high = a[k + 2] < b[k + 2] ? a[k + 2] : b[k + 2];

		common *= high > low ? high - low : 0;
		size_a *= a[k + 2] - a[k];
		size_b *= b[k + 2] - b[k];
	}
	return common <= 0 ? 0 : common / (size_a + size_b - common);
}

struct suppression {
	const struct sf_value *boxes, *scores;
	int64_t nbatch, nclass, nbox;
	bool centre, has_score_limit;
	int64_t max;
	double max_overlap, min_score;
};

/* How many boxes of one class of one batch are selected. */
static int64_t
select_boxes(
    const struct suppression *s, int64_t batch, int64_t class, bool *taken)
{
	const double *scores =
	    s->scores->floats + (batch * s->nclass + class) * s->nbox;
	int64_t selected = 0, chosen[MAX_UNIQUE];

	for (int64_t i = 0; i < s->nbox; i++)
		taken[i] = s->has_score_limit && !(scores[i] > s->min_score);
	while (selected < s->max) {
		double best_box[4], box[4];
		int64_t best = -1;
		bool keep = true;

		for (int64_t i = 0; i < s->nbox; i++)
			if (!taken[i] && (best < 0 || scores[i] > scores[best]))
				best = i;
		if (best < 0)
			break;
		taken[best] = true;
		read_box(s->boxes, batch * s->nbox + best, s->centre, best_box);
		for (int64_t i = 0; i < selected && keep; i++) {
			read_box(s->boxes, batch * s->nbox + chosen[i],
			    s->centre, box);
			keep = !(overlap(best_box, box) > s->max_overlap);
		}
		if (keep)
			chosen[selected++] = best;
	}
	return selected;
}

static int64_t
count_selected(struct sf_infer *infer, struct suppression *s)
{
	bool *taken = sf_arena_calloc(infer->arena, MAX_UNIQUE, sizeof *taken);
	int64_t count = 0;

	if (s->nbox == 0)
		return 0; /* of however many classes */
	for (int64_t batch = 0; batch < s->nbatch; batch++)
		for (int64_t class = 0; class < s->nclass; class ++)
			count += select_boxes(s, batch, class, taken);
	return count;
}

/* Everything is known, and little enough to be carried out. */
static bool
can_select(
    struct sf_infer *infer, struct suppression *s, const struct sf_cell *limits)
{
	struct sf_shape boxes, scores;

	s->boxes = infer->inputs[0];
	s->scores = infer->inputs[1];
	sf_infer_shape(infer, 0, &boxes);
	sf_infer_shape(infer, 1, &scores);
	if (s->boxes->floats == NULL || !sf_value_has_all(s->boxes) ||
	    s->scores->floats == NULL || !sf_value_has_all(s->scores) ||
	    boxes.d[0].size != scores.d[0].size ||
	    boxes.d[1].size != scores.d[2].size || boxes.d[2].size != 4)
		return false;
	s->nbatch = scores.d[0].size;
	s->nclass = scores.d[1].size;
	s->nbox = scores.d[2].size;
	for (int i = 0; i < 3; i++)
		if (sf_infer_input(infer, i + 2) != NULL && !limits[i].known)
			return false;
	return s->nbox <= MAX_UNIQUE;
}

bool
sf_rule_non_max_suppression(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true, .rank = 2 };
	struct suppression s = { 0 };
	struct sf_cell limits[3];
	int64_t centre;

	if (!sf_infer_need_rank(infer, 0, "boxes", 3) ||
	    !sf_infer_need_rank(infer, 1, "scores", 3) ||
	    !sf_infer_scalar(
		infer, 2, "max_output_boxes_per_class", &limits[0]) ||
	    !sf_infer_scalar(infer, 3, "iou_threshold", &limits[1]) ||
	    !sf_infer_scalar(infer, 4, "score_threshold", &limits[2]) ||
	    !sf_infer_attr_int(infer, "center_point_box", 0, &centre))
		return false;
	s.centre = centre != 0;
	s.max = limits[0].known ? limits[0].i : 0;
	s.max_overlap = limits[1].f;
	s.has_score_limit = limits[2].known;
	s.min_score = limits[2].f;
	out.d[0] = SF_DIM_NONE;
	out.d[1] = sf_dim(3);
	if (can_select(infer, &s, limits))
		out.d[0] = sf_dim(count_selected(infer, &s));
	else
		sf_infer_unknown(
		    infer, 0, "the number of selected boxes is not known");
	sf_infer_set(infer, 0, SF_DT_I64, &out);
	return true;
}
