/* Operators that pick or place elements by index. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

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

/* The output is like the data; *SIMPLE: elements of it are replaced. */
static bool
begin_scatter(struct sf_infer *infer, struct sf_shape *in,
    struct sf_shape *indices, bool *simple)
{
	sf_infer_like(infer, 0, infer->inputs[0]);
	sf_infer_shape(infer, 0, in);
	sf_infer_shape(infer, 1, indices);
	return replaces(infer, simple);
}

bool
sf_rule_scatter_elements(struct sf_infer *infer)
{
	struct sf_shape in, indices;
	bool simple;
	int axis;

	if (!begin_scatter(infer, &in, &indices, &simple))
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

	if (!begin_scatter(infer, &in, &indices, &simple))
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
		if (infer->inputs[1]->floats.at != NULL)
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
