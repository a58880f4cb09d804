/* Convolutions, in all their forms. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/ops/window.h"

/*
 * X [N, C, spatial...] and W [M, C / group, kernel...] at inputs X and W give
 * [N, M, spatial...].
 */
static bool
check_group(struct sf_infer *infer, int64_t *group)
{
	if (!sf_infer_attr_int(infer, "group", 1, group))
		return false;
	if (*group < 1)
		return sf_fail(infer->error,
		    "attribute 'group' is %lld, expected at least 1",
		    (long long)*group);
	return true;
}

static bool
check_channels(struct sf_infer *infer, const struct sf_shape *x,
    const struct sf_shape *w, int64_t group)
{
	int64_t channels;

	if (w->d[0].size >= 0 && w->d[0].size % group != 0)
		return sf_fail(infer->error,
		    "input 'W' has %lld output channels, expected a multiple "
		    "of group %lld",
		    (long long)w->d[0].size, (long long)group);
	if (!x->known || !sf_dim_known(x->d[1]) || !sf_dim_known(w->d[1]))
		return true;
	if (!sf_mul(w->d[1].size, group, &channels) || channels != x->d[1].size)
		return sf_fail(infer->error,
		    "input 'X' has %lld channels, expected %lld x group %lld",
		    (long long)x->d[1].size, (long long)w->d[1].size,
		    (long long)group);
	return true;
}

/* Both have the same rank, at least 3; the rank, or 0 when neither tells it. */
static bool
common_rank(struct sf_infer *infer, const struct sf_shape *x,
    const struct sf_shape *w, int *rank)
{
	*rank = x->known ? x->rank : w->known ? w->rank : 0;
	if (x->known && w->known && x->rank != w->rank)
		return sf_fail(infer->error,
		    "input 'X' has rank %d and 'W' has rank %d, expected one "
		    "rank",
		    x->rank, w->rank);
	if ((x->known || w->known) && *rank < 3)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 3", *rank);
	return true;
}

static bool
convolution(
    struct sf_infer *infer, int x_input, int w_input, enum sf_dtype dtype)
{
	struct sf_shape x, w, out = { .known = true };
	struct sf_onnx_window window;
	int64_t group;
	int rank;

	sf_infer_shape(infer, x_input, &x);
	sf_infer_shape(infer, w_input, &w);
	if (!check_group(infer, &group) || !common_rank(infer, &x, &w, &rank))
		return false;
	if (rank == 0) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	if (!sf_window_read(infer, rank - 2, &w, &window) ||
	    (w.known && !check_channels(infer, &x, &w, group)))
		return false;
	out.rank = rank;
	out.d[0] = x.known ? x.d[0] : SF_DIM_NONE;
	out.d[1] = w.known ? w.d[0] : SF_DIM_NONE;
	for (int i = 0; i < window.n; i++)
		if (!sf_window_slide(infer, &window, i,
			x.known ? x.d[i + 2] : SF_DIM_NONE, &out.d[i + 2]))
			return false;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

bool
sf_rule_conv(struct sf_infer *infer)
{
	return convolution(infer, 0, 1, infer->inputs[0]->dtype);
}

bool
sf_rule_conv_integer(struct sf_infer *infer)
{
	return convolution(infer, 0, 1, SF_DT_I32);
}

/* x, x_scale, x_zero_point, w, ..., y_zero_point at input 7. */
bool
sf_rule_qlinear_conv(struct sf_infer *infer)
{
	return convolution(infer, 0, 3, sf_infer_type(infer, 7));
}

/* ---- transposed ---- */

/* The N integers of an attribute, none of them below 0. */
static bool
take_counts(struct sf_infer *infer, const char *name, const int64_t *ints,
    int n, int64_t *out)
{
	for (int i = 0; i < n; i++) {
		out[i] = ints[i];
		if (out[i] < 0)
			return sf_fail(infer->error,
			    "attribute '%s' is %lld, expected at least 0", name,
			    (long long)out[i]);
	}
	return true;
}

/* The size from attribute output_shape, which may begin with N and M. */
static bool
read_output_shape(struct sf_infer *infer, int n, int64_t *out, bool *given)
{
	const int64_t *ints;
	int count;

	if (!sf_infer_attr_ints(infer, "output_shape", &ints, &count))
		return false;
	*given = count > 0;
	if (!*given)
		return true;
	if (count != n && count != n + 2)
		return sf_fail(infer->error,
		    "attribute 'output_shape' has %d integers, expected %d",
		    count, n);
	return take_counts(infer, "output_shape", ints + count - n, n, out);
}

static bool
read_output_padding(struct sf_infer *infer, int n, int64_t *out)
{
	const int64_t *ints;
	int count;

	if (!sf_infer_attr_ints(infer, "output_padding", &ints, &count))
		return false;
	if (count > 0 && count != n)
		return sf_fail(infer->error,
		    "attribute 'output_padding' has %d integers, expected %d",
		    count, n);
	if (count > 0)
		return take_counts(infer, "output_padding", ints, n, out);
	for (int i = 0; i < n; i++)
		out[i] = 0;
	return true;
}

/* stride (in - 1) + output_padding + extent - pads; with SAME_*, in stride. */
static bool
spread(struct sf_infer *infer, const struct sf_onnx_window *window, int i,
    int64_t output_padding, struct sf_onnx_dim in, struct sf_onnx_dim *out)
{
	int64_t size, extent;
	bool exact;

	*out = SF_DIM_NONE;
	if (!sf_dim_known(in) ||
	    (!window->same && !sf_dim_known(window->kernel[i])))
		return true;
	if (window->same) {
		exact = sf_mul(in.size, window->stride[i], &size);
	} else {
		if (!sf_window_extent(infer, window, i, &extent))
			return false;
		exact = sf_mul(in.size - 1, window->stride[i], &size) &&
		    sf_add(size, output_padding, &size) &&
		    sf_add(size, extent, &size) &&
		    sf_sub(size, window->pad_begin[i], &size) &&
		    sf_sub(size, window->pad_end[i], &size);
	}
	if (!exact || size < 0)
		return sf_fail(infer->error,
		    "the output's size in spatial dimension %d is below 0 or "
		    "passes 2^63 - 1",
		    i);
	*out = sf_dim(size);
	return true;
}

static bool
transposed_sizes(struct sf_infer *infer, const struct sf_onnx_window *window,
    const struct sf_shape *x, struct sf_shape *out)
{
	int64_t given[SF_WINDOW_MAX] = { 0 }, padding[SF_WINDOW_MAX];
	bool is_given;

	if (!read_output_shape(infer, window->n, given, &is_given) ||
	    !read_output_padding(infer, window->n, padding))
		return false;
	for (int i = 0; i < window->n; i++) {
		struct sf_onnx_dim in = x->known ? x->d[i + 2] : SF_DIM_NONE;

		if (is_given)
			out->d[i + 2] = sf_dim(given[i]);
		else if (!spread(
			     infer, window, i, padding[i], in, &out->d[i + 2]))
			return false;
	}
	return true;
}

/* Pads at input I in place of the attribute; *KNOWN: they are. */
static bool
read_pads_input(
    struct sf_infer *infer, int i, struct sf_onnx_window *window, bool *known)
{
	struct sf_ints pads;

	*known = true;
	if (i < 0 || sf_infer_input(infer, i) == NULL)
		return true;
	if (!sf_infer_ints(infer, i, "Pads", &pads))
		return false;
	*known = pads.n >= 0 && sf_ints_known(&pads);
	if (!*known)
		return true;
	if (pads.n != 2 * window->n)
		return sf_fail(infer->error,
		    "input 'Pads' has %d integers, expected %d", pads.n,
		    2 * window->n);
	for (int k = 0; k < window->n; k++) {
		window->pad_begin[k] = pads.v[k].i;
		window->pad_end[k] = pads.v[window->n + k].i;
	}
	return true;
}

/* X [N, C, spatial...] and W [C, M / group, kernel...]. */
static bool
transposed(struct sf_infer *infer, int at_pads)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape x, w, out = { .known = true };
	struct sf_onnx_window window;
	struct sf_onnx_dim channels;
	int64_t group, m = SF_DIM_UNKNOWN;
	bool padded;
	int rank;

	sf_infer_shape(infer, 0, &x);
	sf_infer_shape(infer, 1, &w);
	if (!check_group(infer, &group) || !common_rank(infer, &x, &w, &rank))
		return false;
	if (rank == 0) {
		sf_infer_set_unknown(infer, 0, dtype);
		return true;
	}
	if (!sf_window_read(infer, rank - 2, &w, &window) ||
	    !read_pads_input(infer, at_pads, &window, &padded))
		return false;
	if (x.known && w.known &&
	    !sf_dim_merge(infer, "the channels of inputs 'X' and 'W'", x.d[1],
		w.d[0], &channels))
		return false;
	if (w.known && sf_dim_known(w.d[1]) && !sf_mul(w.d[1].size, group, &m))
		return sf_fail(infer->error,
		    "the output channels times 'group' pass 2^63 - 1");
	out.rank = rank;
	out.d[0] = x.known ? x.d[0] : SF_DIM_NONE;
	out.d[1] = sf_dim(m);
	if (padded && !transposed_sizes(infer, &window, &x, &out))
		return false;
	for (int i = 2; i < rank && !padded; i++)
		out.d[i] = SF_DIM_NONE;
	if (!padded)
		sf_infer_unknown_from(infer, 0, sf_infer_input(infer, at_pads));
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

bool
sf_rule_conv_transpose(struct sf_infer *infer)
{
	return transposed(infer, -1);
}

bool
sf_rule_conv_transpose_dynamic(struct sf_infer *infer)
{
	return transposed(infer, 2);
}

/* x, x_scale, x_zero_point, w, ..., y_zero_point at input 7. */
bool
sf_rule_qlinear_conv_transpose(struct sf_infer *infer)
{
	struct sf_value *operands[2] = { infer->inputs[0], infer->inputs[3] };
	struct sf_infer inner = *infer;

	inner.inputs = operands;
	inner.ninputs = 2;
	if (!transposed(&inner, -1))
		return false;
	infer->outputs[0].dtype = sf_infer_type(infer, 7);
	return true;
}

/* ---- other forms ---- */

/* Depthwise along the last of [N, C, L]; the state is the last k - 1. */
bool
sf_rule_causal_conv(struct sf_infer *infer)
{
	struct sf_shape w, state;

	sf_infer_like(infer, 0, infer->inputs[0]);
	if (!sf_infer_need_rank(infer, 0, "input", 3) ||
	    !sf_infer_need_rank(infer, 1, "weight", 3))
		return false;
	sf_infer_shape(infer, 0, &state);
	sf_infer_shape(infer, 1, &w);
	if (state.known)
		state.d[2] = w.known && w.d[2].size > 0
		    ? sf_dim(w.d[2].size - 1)
		    : SF_DIM_NONE;
	sf_infer_set(infer, 1, infer->inputs[0]->dtype, &state);
	return true;
}

/* Input 'image_shape' gives the spatial sizes, 'block_shape' the kernel. */
bool
sf_rule_col2im(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape x, out = { .known = true, .rank = 2 };
	struct sf_ints image, block;
	int64_t area = 1;

	if (!sf_infer_need_rank(infer, 0, "input", 3) ||
	    !sf_infer_ints(infer, 1, "image_shape", &image) ||
	    !sf_infer_ints(infer, 2, "block_shape", &block))
		return false;
	sf_infer_shape(infer, 0, &x);
	if (image.n < 0) {
		sf_infer_set_unknown(infer, 0, dtype);
		sf_infer_unknown_list(infer, 0, &image);
		return true;
	}
	for (int i = 0; i < block.n; i++)
		if (!block.v[i].known)
			area = -1;
		else if (block.v[i].i < 1)
			return sf_fail(infer->error,
			    "input 'block_shape' is %lld, expected at least 1",
			    (long long)block.v[i].i);
		else if (area > 0 && !sf_mul(area, block.v[i].i, &area))
			return sf_fail(infer->error,
			    "input 'block_shape' multiplies to more than "
			    "2^63 - 1");
	out.d[0] = x.known ? x.d[0] : SF_DIM_NONE;
	out.d[1] = SF_DIM_NONE;
	if (x.known && sf_dim_known(x.d[1]) && area > 0 && block.n > 0) {
		if (x.d[1].size % area != 0)
			return sf_fail(infer->error,
			    "input 'input' has %lld rows, expected a multiple "
			    "of the block's %lld",
			    (long long)x.d[1].size, (long long)area);
		out.d[1] = sf_dim(x.d[1].size / area);
	}
	for (int i = 0; i < image.n; i++) {
		struct sf_onnx_dim d =
		    image.v[i].known ? sf_dim(image.v[i].i) : SF_DIM_NONE;

		if (image.v[i].known && d.size < 0)
			return sf_fail(infer->error,
			    "input 'image_shape' is %lld, expected at least 0",
			    (long long)d.size);
		if (!sf_shape_push(infer, &out, d))
			return false;
	}
	sf_infer_unknown_list(
	    infer, 0, sf_ints_known(&image) ? &block : &image);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}
