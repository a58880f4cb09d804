/* Operators that sample an image: resizing, grids, decoding. */
#include "onnx/ops/rules.h"

#include <math.h>

#include "base/num.h"
#include "onnx/infer/shape.h"

/*
 * floor(size * scale), computed in single precision as the runtimes do: 10
 * times 0.7 is 7, though the nearest float to 0.7 is below it.
 */
static bool
scaled(struct sf_infer *infer, struct sf_onnx_dim in, double scale, int axis,
    struct sf_onnx_dim *out)
{
	double size;

	if (!(scale > 0) || !isfinite(scale))
		return sf_fail(infer->error,
		    "'scales' is %g for dimension %d, expected a number above "
		    "0",
		    scale, axis);
	/* A float may not hold the size, which stays all the same. */
	*out = scale == 1 ? in : SF_DIM_NONE;
	if (!sf_dim_known(in) || scale == 1)
		return true;
	size = floor(sf_dtype_round(
	    SF_DT_F32, sf_dtype_round(SF_DT_F32, (double)in.size) * scale));
	if (!(size < 0x1p63))
		return sf_fail(infer->error,
		    "dimension %d of %lld times 'scales' %g passes 2^63 - 1",
		    axis, (long long)in.size, scale);
	*out = sf_dim(size > 0 ? (int64_t)size : 0);
	return true;
}

/*
 * ---- Upsample and Resize ----
 *
 * The text of Resize multiplies a size by the width of the region of interest
 * when the mode is tf_crop_and_resize; the runtimes and ONNX's own inference do
 * not, and neither do we.
 */

struct sampling {
	int n; /* how many axes are resized */
	int axis[SF_VALUE_MAX_RANK];
	const struct sf_value *scales; /* one of the two, or neither known */
	const double *scales_attr;
	struct sf_ints sizes;
};

static bool
read_axes(struct sf_infer *infer, int rank, struct sampling *s)
{
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_ints axes;

	s->n = rank;
	for (int i = 0; i < rank; i++)
		s->axis[i] = i;
	if (infer->opset < 18)
		return true;
	if (!sf_infer_attr_list(infer, "axes", &axes))
		return false;
	if (!axes.given)
		return true;
	if (!sf_infer_axes(infer, "attribute 'axes'", &axes, rank, flags))
		return false;
	s->n = axes.n;
	for (int i = 0; i < axes.n; i++)
		s->axis[i] =
		    (int)(axes.v[i].i < 0 ? axes.v[i].i + rank : axes.v[i].i);
	return true;
}

/* An input that was left out by giving a tensor of no elements. */
static const struct sf_value *
given_input(const struct sf_infer *infer, int i)
{
	const struct sf_value *value = sf_infer_input(infer, i);

	return value != NULL && sf_value_numel(value) == 0 ? NULL : value;
}

static bool
read_sampling(struct sf_infer *infer, struct sampling *s)
{
	int n = -1, scales = infer->opset >= 11 ? 2 : 1;

	if (infer->opset < 9) {
		if (!sf_infer_attr_floats(infer, "scales", &s->scales_attr, &n))
			return false;
		if (n >= 0 && n != s->n)
			return sf_fail(infer->error,
			    "attribute 'scales' has %d numbers, expected %d", n,
			    s->n);
		return n >= 0 ||
		    sf_fail(infer->error, "attribute 'scales' is missing");
	}
	s->scales = given_input(infer, scales);
	if (infer->opset >= 11 && given_input(infer, 3) != NULL) {
		if (!sf_infer_ints(infer, 3, "sizes", &s->sizes))
			return false;
		if (s->sizes.n >= 0 && s->sizes.n != s->n)
			return sf_fail(infer->error,
			    "input 'sizes' has %d integers, expected %d",
			    s->sizes.n, s->n);
		s->scales = NULL;
	} else if (s->scales == NULL) {
		return sf_fail(
		    infer->error, "neither 'scales' nor 'sizes' is given");
	} else if (sf_value_numel(s->scales) >= 0 &&
	    sf_value_numel(s->scales) != s->n) {
		return sf_fail(infer->error,
		    "input 'scales' has %lld numbers, expected %d",
		    (long long)sf_value_numel(s->scales), s->n);
	}
	return true;
}

static bool
apply_scales(
    struct sf_infer *infer, const struct sampling *s, struct sf_shape *out)
{
	for (int i = 0; i < s->n; i++) {
		struct sf_onnx_dim *d = &out->d[s->axis[i]];
		struct sf_cell cell = { 0 };

		if (s->scales_attr != NULL)
			cell = sf_cell_float(s->scales_attr[i]);
		else if (s->scales->floats.at != NULL)
			cell = sf_cell_get(s->scales, i);
		if (!cell.known) {
			*d = SF_DIM_NONE;
			sf_infer_unknown_from(infer, 0, s->scales);
		} else if (!scaled(infer, *d, cell.f, s->axis[i], d)) {
			return false;
		}
	}
	return true;
}

/*
 * The sizes bound the output, which keeps the proportions of the input: the
 * smallest of the scales ("not_larger") or the largest holds for all axes.
 */
static bool
keep_proportions(struct sf_infer *infer, const struct sampling *s, bool larger,
    struct sf_shape *out)
{
	double scale = larger ? 0 : INFINITY;

	for (int i = 0; i < s->n; i++) {
		int64_t in = out->d[s->axis[i]].size;
		double each = (double)s->sizes.v[i].i / (double)in;

		if (larger ? each > scale : each < scale)
			scale = each;
	}
	for (int i = 0; i < s->n; i++) {
		struct sf_onnx_dim *d = &out->d[s->axis[i]];
		double size = floor((double)d->size * scale + 0.5);

		if (!(size < 0x1p63))
			return sf_fail(infer->error,
			    "dimension %d of %lld times %g passes 2^63 - 1",
			    s->axis[i], (long long)d->size, scale);
		*d = sf_dim((int64_t)size);
	}
	return true;
}

static bool
apply_sizes(
    struct sf_infer *infer, const struct sampling *s, struct sf_shape *out)
{
	struct sf_str policy;
	bool known = sf_ints_known(&s->sizes), stretch, positive = true;

	if (!sf_infer_attr_str(
		infer, "keep_aspect_ratio_policy", "stretch", &policy))
		return false;
	stretch = sf_str_is(policy, "stretch");
	if (!stretch && !sf_str_is(policy, "not_larger") &&
	    !sf_str_is(policy, "not_smaller"))
		return sf_fail(infer->error,
		    "attribute 'keep_aspect_ratio_policy' is '%.*s', expected "
		    "stretch, not_larger or not_smaller",
		    SF_STR_ARG(policy));
	for (int i = 0; i < s->sizes.n; i++) {
		struct sf_cell cell = s->sizes.v[i];

		if (cell.known && cell.i < 0)
			return sf_fail(infer->error,
			    "input 'sizes' is %lld, expected at least 0",
			    (long long)cell.i);
		positive = positive && out->d[s->axis[i]].size > 0 &&
		    cell.i < INT32_MAX;
	}
	if (!stretch && known && positive)
		return keep_proportions(
		    infer, s, sf_str_is(policy, "not_smaller"), out);
	for (int i = 0; i < s->n; i++) {
		struct sf_cell cell = { 0 };

		if (stretch && s->sizes.n >= 0)
			cell = s->sizes.v[i];
		out->d[s->axis[i]] = cell.known
		    ? sf_dim(cell.i)
		    : (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	}
	if (!known)
		sf_infer_unknown_list(infer, 0, &s->sizes);
	return true;
}

bool
sf_rule_resize(struct sf_infer *infer)
{
	struct sampling s = { 0 };
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (out.known &&
	    (!read_axes(infer, out.rank, &s) || !read_sampling(infer, &s) ||
		!(s.sizes.given ? apply_sizes(infer, &s, &out)
				: apply_scales(infer, &s, &out))))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* In opset 1 Upsample has a scale for the height and one for the width. */
bool
sf_rule_upsample_old(struct sf_infer *infer)
{
	struct sf_shape out;
	double height, width;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_need_rank(infer, 0, "X", 4) ||
	    !sf_infer_attr_float(infer, "height_scale", 0, &height) ||
	    !sf_infer_attr_float(infer, "width_scale", 0, &width))
		return false;
	if (out.known &&
	    (!scaled(infer, out.d[2], height, 2, &out.d[2]) ||
		!scaled(infer, out.d[3], width, 3, &out.d[3])))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- grids ---- */

/* size [N, C, spatial...] gives [N, spatial..., number of spatial]. */
bool
sf_rule_affine_grid(struct sf_infer *infer)
{
	struct sf_shape theta, out = { .known = true };
	struct sf_ints size;

	sf_infer_shape(infer, 0, &theta);
	if (!sf_infer_ints(infer, 1, "size", &size))
		return false;
	if (size.n < 0) {
		sf_infer_set_unknown(infer, 0, infer->inputs[0]->dtype);
		sf_infer_unknown_list(infer, 0, &size);
		return true;
	}
	if (size.n != 4 && size.n != 5)
		return sf_fail(infer->error,
		    "input 'size' has %d integers, expected 4 or 5", size.n);
	for (int i = 0; i < size.n; i++) {
		struct sf_onnx_dim d = { SF_DIM_UNKNOWN, size.v[i].name };

		if (size.v[i].known && size.v[i].i < 1)
			return sf_fail(infer->error,
			    "input 'size' is %lld, expected at least 1",
			    (long long)size.v[i].i);
		if (i == 1)
			continue;
		if (size.v[i].known)
			d = sf_dim(size.v[i].i);
		out.d[out.rank++] = d;
	}
	out.d[out.rank++] = sf_dim(size.n - 2);
	if (theta.known && theta.rank == 3 && !sf_dim_known(out.d[0]))
		out.d[0] = theta.d[0];
	if (!sf_ints_known(&size))
		sf_infer_unknown_list(infer, 0, &size);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* X [N, C, in...] and grid [N, out..., r] give [N, C, out...]. */
bool
sf_rule_grid_sample(struct sf_infer *infer)
{
	struct sf_shape x, grid, out = { .known = true };

	sf_infer_shape(infer, 0, &x);
	sf_infer_shape(infer, 1, &grid);
	if (x.known && grid.known && x.rank != grid.rank)
		return sf_fail(infer->error,
		    "input 'grid' has rank %d, expected X's %d", grid.rank,
		    x.rank);
	out.known = x.known || grid.known;
	out.rank = x.known ? x.rank : grid.rank;
	if (out.known && out.rank < 3)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 3", out.rank);
	for (int i = 0; i < out.rank; i++)
		if (i < 2)
			out.d[i] = x.known ? x.d[i] : SF_DIM_NONE;
		else
			out.d[i] = grid.known ? grid.d[i - 1] : SF_DIM_NONE;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* What is in the file decides over height and width. */
bool
sf_rule_image_decoder(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true, .rank = 3 };
	struct sf_str format;

	if (!sf_infer_attr_str(infer, "pixel_format", "RGB", &format))
		return false;
	out.d[0] = out.d[1] = SF_DIM_NONE;
	out.d[2] = sf_dim(sf_str_is(format, "Grayscale") ? 1 : 3);
	sf_infer_unknown(infer, 0, "the size of an encoded image is not known");
	sf_infer_set(infer, 0, SF_DT_U8, &out);
	return true;
}
