/* The window of convolutions and pools, and how far it slides. */
#include "onnx/ops/window.h"

#include "base/num.h"

static bool
read_auto_pad(struct sf_infer *infer, struct sf_onnx_window *window)
{
	struct sf_str mode;

	if (!sf_infer_attr_str(infer, "auto_pad", "NOTSET", &mode))
		return false;
	window->lower = sf_str_is(mode, "SAME_LOWER");
	window->same = window->lower || sf_str_is(mode, "SAME_UPPER");
	window->valid = sf_str_is(mode, "VALID");
	if (window->same || window->valid || mode.n == 0 ||
	    sf_str_is(mode, "NOTSET"))
		return true;
	return sf_fail(infer->error,
	    "attribute 'auto_pad' is '%.*s', expected NOTSET, SAME_UPPER, "
	    "SAME_LOWER or VALID",
	    SF_STR_ARG(mode));
}

/* N integers of attribute NAME into OUT, each at least MIN. */
static bool
read_list(struct sf_infer *infer, const char *name, int n, int64_t min,
    int64_t otherwise, int64_t *out)
{
	const int64_t *ints;
	int given;

	if (!sf_infer_attr_ints(infer, name, &ints, &given))
		return false;
	if (given > 0 && given != n)
		return sf_fail(infer->error,
		    "attribute '%s' has %d integers, expected %d", name, given,
		    n);
	for (int i = 0; i < n; i++) {
		out[i] = given > 0 ? ints[i] : otherwise;
		if (out[i] < min)
			return sf_fail(infer->error,
			    "attribute '%s' is %lld in place %d, expected at "
			    "least %lld",
			    name, (long long)out[i], i, (long long)min);
	}
	return true;
}

static bool
read_pads(struct sf_infer *infer, struct sf_onnx_window *window)
{
	int64_t pads[2 * SF_WINDOW_MAX];

	if (!read_list(infer, "pads", 2 * window->n, INT64_MIN, 0, pads))
		return false;
	for (int i = 0; i < window->n; i++) {
		bool none = window->same || window->valid;

		window->pad_begin[i] = none ? 0 : pads[i];
		window->pad_end[i] = none ? 0 : pads[window->n + i];
	}
	return true;
}

static bool
read_kernel(struct sf_infer *infer, const struct sf_shape *weight,
    struct sf_onnx_window *window)
{
	int64_t kernel[SF_WINDOW_MAX];

	if (sf_infer_attr(infer, "kernel_shape") != NULL) {
		if (!read_list(infer, "kernel_shape", window->n, 1, 1, kernel))
			return false;
		for (int i = 0; i < window->n; i++)
			window->kernel[i] = sf_dim(kernel[i]);
	} else if (weight == NULL) {
		return sf_fail(
		    infer->error, "attribute 'kernel_shape' is missing");
	}
	if (weight == NULL || !weight->known)
		return true;
	for (int i = 0; i < window->n; i++)
		if (!sf_dim_merge(infer, "the kernel and input 'W'",
			window->kernel[i], weight->d[i + 2],
			&window->kernel[i]))
			return false;
	return true;
}

bool
sf_window_rank(struct sf_infer *infer, int *n)
{
	const int64_t *ints;

	return sf_infer_attr_ints(infer, "kernel_shape", &ints, n);
}

bool
sf_window_read(struct sf_infer *infer, int n, const struct sf_shape *weight,
    struct sf_onnx_window *window)
{
	int64_t ceil_mode;

	*window = (struct sf_onnx_window){ .n = n };
	if (n < 1 || n > SF_WINDOW_MAX)
		return sf_fail(infer->error,
		    "an input with %d spatial dimensions, expected 1 to %d", n,
		    SF_WINDOW_MAX);
	for (int i = 0; i < n; i++)
		window->kernel[i] = SF_DIM_NONE;
	if (!read_auto_pad(infer, window) ||
	    !read_list(infer, "strides", n, 1, 1, window->stride) ||
	    !read_list(infer, "dilations", n, 1, 1, window->dilation) ||
	    !read_pads(infer, window) || !read_kernel(infer, weight, window) ||
	    !sf_infer_attr_int(infer, "ceil_mode", 0, &ceil_mode))
		return false;
	window->ceil = ceil_mode != 0;
	return true;
}

bool
sf_window_extent(struct sf_infer *infer, const struct sf_onnx_window *window,
    int i, int64_t *out)
{
	int64_t size = window->kernel[i].size;

	if (size < 1)
		return sf_fail(infer->error,
		    "the kernel's size is 0 in spatial dimension %d, expected "
		    "at least 1",
		    i);
	if (sf_mul(size - 1, window->dilation[i], out) && sf_add(*out, 1, out))
		return true;
	return sf_fail(infer->error,
	    "the kernel's size times 'dilations' passes 2^63 - 1");
}

/*
 * With ceil_mode a window may hang over the end, but not begin in the padding
 * there (or behind it): such a last one is dropped.
 */
static int64_t
count_places(
    const struct sf_onnx_window *window, int i, int64_t in, int64_t room)
{
	int64_t stride = window->stride[i], places;

	if (!window->ceil)
		return room / stride + 1;
	/* Smaller than its window: one place, if that reaches a stride far. */
	if (room < 0)
		return room > -stride && in + window->pad_begin[i] > 0;
	places = sf_ceil_div(room, stride) + 1;
	if ((places - 1) * stride >= in + window->pad_begin[i])
		places--;
	return places;
}

bool
sf_window_slide(struct sf_infer *infer, const struct sf_onnx_window *window,
    int i, struct sf_onnx_dim in, struct sf_onnx_dim *out)
{
	int64_t extent, room;

	*out = SF_DIM_NONE;
	if (window->same && window->stride[i] == 1)
		*out = in;
	if (!sf_dim_known(in))
		return true;
	if (window->same) {
		*out = sf_dim(sf_ceil_div(in.size, window->stride[i]));
		return true;
	}
	if (!sf_dim_known(window->kernel[i]))
		return true;
	if (!sf_window_extent(infer, window, i, &extent))
		return false;
	if (!sf_add(in.size, window->pad_begin[i], &room) ||
	    !sf_add(room, window->pad_end[i], &room) ||
	    !sf_sub(room, extent, &room))
		return sf_fail(infer->error,
		    "spatial dimension %d with 'pads' passes 2^63 - 1", i);
	if (room < 0 && (!window->ceil || room / window->stride[i] < -1))
		return sf_fail(infer->error,
		    "spatial dimension %d: a window of %lld over %lld with "
		    "padding %lld and %lld, expected it to fit",
		    i, (long long)extent, (long long)in.size,
		    (long long)window->pad_begin[i],
		    (long long)window->pad_end[i]);
	*out = sf_dim(count_places(window, i, in.size, room));
	return true;
}
