/* Pools, unpooling and regions of interest. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/ops/window.h"

static bool
pool(struct sf_infer *infer, int input)
{
	const struct sf_value *x = infer->inputs[input];
	struct sf_shape out;
	struct sf_onnx_window window;
	int n;

	if (!sf_window_rank(infer, &n))
		return false;
	sf_shape_of(x, &out);
	if (!out.known) {
		sf_infer_set_unknown(infer, 0, x->dtype);
		sf_infer_set_unknown(infer, 1, SF_DT_I64);
		return n >= 0 ||
		    sf_fail(
			infer->error, "attribute 'kernel_shape' is missing");
	}
	if (out.rank < 3)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 3", out.rank);
	if (!sf_window_read(infer, out.rank - 2, NULL, &window))
		return false;
	for (int i = 0; i < window.n; i++)
		if (!sf_window_slide(
			infer, &window, i, out.d[i + 2], &out.d[i + 2]))
			return false;
	sf_infer_set(infer, 0, x->dtype, &out);
	sf_infer_set(infer, 1, SF_DT_I64, &out);
	return true;
}

bool
sf_rule_pool(struct sf_infer *infer)
{
	return pool(infer, 0);
}

/* Over all spatial dimensions, which become 1. */
bool
sf_rule_global_pool(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank < 2)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 2", out.rank);
	for (int i = 2; i < out.rank; i++)
		out.d[i] = sf_dim(1);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Dimensions that a list of N sizes gives from FIRST on. */
static bool
sizes_from_list(struct sf_infer *infer, const char *what,
    const struct sf_ints *list, struct sf_shape *out, int first)
{
	for (int i = 0; i < list->n && first + i < out->rank; i++) {
		if (list->v[i].known && list->v[i].i < 0)
			return sf_fail(infer->error,
			    "input '%s' is %lld, expected at least 0", what,
			    (long long)list->v[i].i);
		out->d[first + i] =
		    list->v[i].known ? sf_dim(list->v[i].i) : SF_DIM_NONE;
	}
	return true;
}

static bool
unpooled_size(struct sf_infer *infer, const struct sf_onnx_window *window,
    int i, struct sf_onnx_dim in, struct sf_onnx_dim *out)
{
	int64_t size;

	*out = SF_DIM_NONE;
	if (!sf_dim_known(in))
		return true;
	if (!sf_mul(in.size - 1, window->stride[i], &size) ||
	    !sf_add(size, window->kernel[i].size, &size) ||
	    !sf_sub(size, window->pad_begin[i], &size) ||
	    !sf_sub(size, window->pad_end[i], &size) || size < 0)
		return sf_fail(infer->error,
		    "the output's size in spatial dimension %d is below 0 or "
		    "passes 2^63 - 1",
		    i);
	*out = sf_dim(size);
	return true;
}

bool
sf_rule_max_unpool(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_shape out;
	struct sf_onnx_window window;
	struct sf_ints sizes;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_ints(infer, 2, "output_shape", &sizes))
		return false;
	if (!out.known) {
		sf_infer_set(infer, 0, dtype, &out);
		return true;
	}
	if (!sf_window_read(infer, out.rank - 2, NULL, &window))
		return false;
	if (sizes.given && sizes.n >= 0 && sizes.n != out.rank)
		return sf_fail(infer->error,
		    "input 'output_shape' has %d integers, expected %d",
		    sizes.n, out.rank);
	for (int i = 0; i < window.n; i++)
		if (sizes.given)
			out.d[i + 2] = SF_DIM_NONE;
		else if (!unpooled_size(
			     infer, &window, i, out.d[i + 2], &out.d[i + 2]))
			return false;
	if (!sizes_from_list(infer, "output_shape", &sizes, &out, 0))
		return false;
	if (sizes.given)
		sf_infer_unknown_list(infer, 0, &sizes);
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

static bool
read_size(struct sf_infer *infer, const char *name, int64_t otherwise,
    struct sf_onnx_dim *out)
{
	int64_t size;

	if (!sf_infer_attr_int(infer, name, otherwise, &size))
		return false;
	if (size < 1)
		return sf_fail(infer->error,
		    "attribute '%s' is %lld, expected at least 1", name,
		    (long long)size);
	*out = sf_dim(size);
	return true;
}

/* [regions, C, output_height, output_width] from X [N, C, H, W]. */
static bool
regions(
    struct sf_infer *infer, struct sf_onnx_dim height, struct sf_onnx_dim width)
{
	struct sf_shape x, rois, out = { .known = true, .rank = 4 };

	if (!sf_infer_need_rank(infer, 0, "X", 4) ||
	    !sf_infer_need_rank(infer, 1, "rois", 2))
		return false;
	sf_infer_shape(infer, 0, &x);
	sf_infer_shape(infer, 1, &rois);
	out.d[0] = rois.known ? rois.d[0] : SF_DIM_NONE;
	out.d[1] = x.known ? x.d[1] : SF_DIM_NONE;
	out.d[2] = height;
	out.d[3] = width;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_roi_align(struct sf_infer *infer)
{
	struct sf_onnx_dim height, width;

	return read_size(infer, "output_height", 1, &height) &&
	    read_size(infer, "output_width", 1, &width) &&
	    regions(infer, height, width);
}

bool
sf_rule_max_roi_pool(struct sf_infer *infer)
{
	const int64_t *sizes;
	int n;

	if (!sf_infer_attr_ints(infer, "pooled_shape", &sizes, &n))
		return false;
	if (n != 2 || sizes[0] < 1 || sizes[1] < 1)
		return sf_fail(infer->error,
		    "attribute 'pooled_shape' must be two sizes of at least 1");
	return regions(infer, sf_dim(sizes[0]), sf_dim(sizes[1]));
}
