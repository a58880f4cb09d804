/* Operators that permute, repeat, pad or mask elements. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

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
		struct sf_cell n = sf_ints_get(&repeats, i, 1);

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
	bool old = infer->opset < 10 && infer->node->domain.n == 0;
	struct sf_shape shape;

	sf_shape_of(in, &shape);
	sf_infer_set(infer, 0, in->dtype, &shape);
	sf_infer_set(infer, 1, old ? in->dtype : SF_DT_B8, &shape);
	return true;
}
