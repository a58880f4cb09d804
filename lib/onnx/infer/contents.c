/* The contents of small tensors, element by element, and lists of integers. */
#include "onnx/infer/shape.h"

#include <stdio.h>

#include "base/num.h"

int64_t
sf_value_cells(const struct sf_value *value)
{
	int64_t n = sf_value_numel(value);

	if (value->kind != SF_ONNX_TYPE_TENSOR || n > SF_VALUE_MAX_ELEMENTS)
		return -1;
	if (!sf_dtype_in_ints(value->dtype) &&
	    !sf_dtype_in_floats(value->dtype))
		return -1;
	return n;
}

bool
sf_value_has_contents(const struct sf_value *value)
{
	return value->ints != NULL || value->floats.at != NULL;
}

bool
sf_value_has_all(const struct sf_value *value)
{
	return sf_value_has_contents(value) && value->known == NULL;
}

struct sf_cell
sf_cell_get(const struct sf_value *value, int64_t at)
{
	struct sf_cell cell = { 0 };

	if (!sf_value_has_contents(value))
		return cell;
	cell.known = value->known == NULL || value->known[at];
	if (!cell.known) {
		if (value->names != NULL)
			cell.name = value->names[at];
	} else if (value->ints != NULL) {
		cell.i = value->ints[at];
	} else {
		cell.f = sf_reals_get(value->floats, at);
	}
	return cell;
}

/* A file must not fill the memory by computing on constants. */
static bool
may_follow(struct sf_infer *infer, int64_t n)
{
	enum {
		ALWAYS = 64
	};

	if (infer->contents == NULL)
		return true;
	if (*infer->contents >= 0)
		*infer->contents -= n;
	return *infer->contents >= 0 || n <= ALWAYS;
}

static bool
may_begin(struct sf_infer *infer, int i)
{
	const struct sf_value *value = &infer->outputs[i];

	return i < infer->noutputs && sf_value_cells(value) >= 0 &&
	    may_follow(infer, sf_value_cells(value));
}

bool
sf_cells_begin(struct sf_cells *cells, struct sf_infer *infer, int i)
{
	struct sf_value *value = &infer->outputs[i];
	size_t n;

	if (!may_begin(infer, i))
		return false;
	*cells = (struct sf_cells){ .infer = infer, .value = value };
	cells->n = sf_value_cells(value);
	n = (size_t)cells->n + 1; /* an empty tensor's contents are known */
	if (sf_dtype_in_ints(value->dtype))
		cells->ints = sf_arena_calloc(infer->arena, n, sizeof(int64_t));
	else
		cells->floats =
		    sf_arena_calloc(infer->arena, n, sizeof(double));
	cells->known = sf_arena_calloc(infer->arena, n, 1);
	return true;
}

void
sf_cells_put(struct sf_cells *cells, int64_t at, struct sf_cell cell)
{
	enum sf_dtype dtype = cells->value->dtype;

	if (cell.known && cells->ints != NULL && !sf_dtype_holds(dtype, cell.i))
		cell.known = false;
	if (cell.known != (cells->known[at] != 0))
		cells->nknown += cell.known ? 1 : -1;
	cells->known[at] = cell.known;
	if (cells->names != NULL)
		cells->names[at] = cell.name;
	if (cell.known && cells->ints != NULL)
		cells->ints[at] = cell.i;
	else if (cell.known)
		cells->floats[at] = sf_dtype_round(dtype, cell.f);
	if (cell.known || cell.name.n == 0)
		return;
	cells->some_name = true;
	if (cells->names == NULL)
		cells->names = sf_arena_calloc(cells->infer->arena,
		    (size_t)cells->n + 1, sizeof *cells->names);
	cells->names[at] = cell.name;
}

void
sf_cells_end(struct sf_cells *cells)
{
	struct sf_value *value = cells->value;

	if (cells->n > 0 && cells->nknown == 0 && !cells->some_name)
		return;
	value->ints = cells->ints;
	value->floats = sf_reals_of(cells->floats);
	value->known = cells->nknown == cells->n ? NULL : cells->known;
	value->names = value->known == NULL ? NULL : cells->names;
}

void
sf_infer_fill(struct sf_infer *infer, int i, struct sf_cell cell)
{
	struct sf_value *value = &infer->outputs[i];
	struct sf_cells cells;
	double *all;

	if (cell.known && sf_dtype_in_floats(value->dtype) &&
	    may_begin(infer, i)) {
		all = sf_arena_alloc(infer->arena, sizeof *all);
		*all = sf_dtype_round(value->dtype, cell.f);
		value->floats = sf_reals_all(all);
		return;
	}
	if (!sf_cells_begin(&cells, infer, i))
		return;
	for (int64_t k = 0; k < cells.n; k++)
		sf_cells_put(&cells, k, cell);
	sf_cells_end(&cells);
}

void
sf_infer_same_contents(
    struct sf_infer *infer, int i, const struct sf_value *value)
{
	struct sf_value *out;

	if (i >= infer->noutputs)
		return;
	out = &infer->outputs[i];
	if (out->dtype != value->dtype)
		return;
	out->ints = value->ints;
	out->floats = value->floats;
	out->known = value->known;
	out->names = value->names;
}

void
sf_index_next(const struct sf_shape *shape, int64_t *index)
{
	for (int axis = shape->rank - 1; axis >= 0; axis--) {
		if (++index[axis] < shape->d[axis].size)
			return;
		index[axis] = 0;
	}
}

int64_t
sf_index_at(const struct sf_shape *shape, const int64_t *index)
{
	int64_t at = 0;

	for (int axis = 0; axis < shape->rank; axis++)
		at = at * shape->d[axis].size + index[axis];
	return at;
}

/* ---- lists of integers ---- */

bool
sf_infer_ints(
    struct sf_infer *infer, int i, const char *what, struct sf_ints *out)
{
	const struct sf_value *value = sf_infer_input(infer, i);
	int64_t n;

	*out = (struct sf_ints){ .given = value != NULL, .from = value };
	if (value == NULL)
		return true;
	if (value->rank_known && value->rank > 1)
		return sf_fail(infer->error,
		    "input '%s' has rank %d, expected 1", what, value->rank);
	if (value->dtype != SF_DT_UNKNOWN && !sf_dtype_in_ints(value->dtype))
		return sf_fail(infer->error,
		    "input '%s' is of type %s, expected integers", what,
		    sf_dtype_name(value->dtype));
	n = sf_value_cells(value);
	out->n = (int)n;
	if (n < 0)
		return true;
	out->v = sf_arena_calloc(infer->arena, (size_t)n + 1, sizeof *out->v);
	for (int64_t k = 0; k < n; k++)
		out->v[k] = sf_cell_get(value, k);
	return true;
}

bool
sf_infer_attr_list(
    struct sf_infer *infer, const char *name, struct sf_ints *out)
{
	const int64_t *ints;
	int n;

	*out = (struct sf_ints){ 0 };
	if (!sf_infer_attr_ints(infer, name, &ints, &n))
		return false;
	if (n < 0)
		return true;
	out->given = true;
	out->n = n;
	out->v = sf_arena_calloc(infer->arena, (size_t)n + 1, sizeof *out->v);
	for (int k = 0; k < n; k++)
		out->v[k] = sf_cell_int(ints[k]);
	return true;
}

bool
sf_infer_moved(struct sf_infer *infer, const char *name, int64_t since, int i,
    struct sf_ints *out)
{
	if (infer->opset >= since)
		return sf_infer_ints(infer, i, name, out);
	return sf_infer_attr_list(infer, name, out);
}

bool
sf_ints_known(const struct sf_ints *ints)
{
	if (ints->n < 0)
		return false;
	for (int i = 0; i < ints->n; i++)
		if (!ints->v[i].known)
			return false;
	return true;
}

struct sf_cell
sf_ints_get(const struct sf_ints *list, int i, int64_t otherwise)
{
	if (!list->given)
		return sf_cell_int(otherwise);
	return list->n >= 0 ? list->v[i] : (struct sf_cell){ 0 };
}

void
sf_infer_unknown_list(struct sf_infer *infer, int i, const struct sf_ints *list)
{
	sf_infer_unknown_from(infer, i, list->from);
}

bool
sf_infer_scalar(
    struct sf_infer *infer, int i, const char *what, struct sf_cell *out)
{
	const struct sf_value *value = sf_infer_input(infer, i);
	int64_t n;

	*out = (struct sf_cell){ 0 };
	if (value == NULL)
		return true;
	n = sf_value_numel(value);
	if (n != SF_DIM_UNKNOWN && n != 1)
		return sf_fail(infer->error,
		    "input '%s' has %lld elements, expected 1", what,
		    (long long)n);
	if (n == 1)
		*out = sf_cell_get(value, 0);
	return true;
}

bool
sf_infer_axes(struct sf_infer *infer, const char *what,
    const struct sf_ints *axes, int rank, bool *flags)
{
	for (int i = 0; i < rank; i++)
		flags[i] = false;
	for (int i = 0; i < axes->n; i++) {
		int axis;

		if (!sf_infer_axis(infer, what, axes->v[i].i, rank, &axis))
			return false;
		if (flags[axis])
			return sf_fail(
			    infer->error, "%s names axis %d twice", what, axis);
		flags[axis] = true;
	}
	return true;
}
