/* Operators that ONNX had in its first opsets, and TensorRT's plugins. */
#include "base/num.h"
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

/* Attribute NAME, N integers of at least 0; *GIVEN: it is there. */
static bool
read_list(struct sf_infer *infer, const char *name, int n, const int64_t **out,
    bool *given)
{
	int count;

	if (!sf_infer_attr_ints(infer, name, out, &count))
		return false;
	*given = count >= 0;
	if (*given && count != n)
		return sf_fail(infer->error,
		    "attribute '%s' has %d integers, expected %d", name, count,
		    n);
	for (int i = 0; i < count; i++)
		if ((*out)[i] < 0)
			return sf_fail(infer->error,
			    "attribute '%s' is %lld, expected at least 0", name,
			    (long long)(*out)[i]);
	return true;
}

/* A dimension without its borders. */
static bool
without(
    struct sf_infer *infer, struct sf_onnx_dim *d, int64_t begin, int64_t end)
{
	int64_t size;

	if (!sf_dim_known(*d)) {
		*d = begin == 0 && end == 0 ? *d : SF_DIM_NONE;
		return true;
	}
	if (!sf_sub(d->size, begin, &size) || !sf_sub(size, end, &size) ||
	    size < 0)
		return sf_fail(infer->error,
		    "borders of %lld and %lld do not fit %lld",
		    (long long)begin, (long long)end, (long long)d->size);
	*d = sf_dim(size);
	return true;
}

/* [N, C, H, W] to attribute scale [h, w], or without border [l, t, r, b]. */
bool
sf_rule_crop(struct sf_infer *infer)
{
	const int64_t *border, *scale;
	bool cut, sized;
	struct sf_shape x;

	if (!read_list(infer, "border", 4, &border, &cut) ||
	    !read_list(infer, "scale", 2, &scale, &sized) ||
	    !sf_infer_need_rank(infer, 0, "input", 4))
		return false;
	sf_infer_shape(infer, 0, &x);
	if (x.known && sized) {
		x.d[2] = sf_dim(scale[0]);
		x.d[3] = sf_dim(scale[1]);
	} else if (x.known && cut) {
		if (!without(infer, &x.d[2], border[1], border[3]) ||
		    !without(infer, &x.d[3], border[0], border[2]))
			return false;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &x);
	return true;
}

/* Slice as it became: starts, ends and axes are inputs. */
bool
sf_rule_slice_inputs(struct sf_infer *infer)
{
	struct sf_infer inner = *infer;

	inner.opset = 10;
	return sf_rule_slice(&inner);
}

/* DIMS of attribute NAME behind what is there. */
static bool
append(struct sf_infer *infer, const char *name, struct sf_shape *out)
{
	const int64_t *dims;
	int n;

	if (!sf_infer_attr_ints(infer, name, &dims, &n))
		return false;
	for (int i = 0; i < n; i++) {
		if (dims[i] < 0)
			return sf_fail(infer->error,
			    "attribute '%s' is %lld, expected at least 0", name,
			    (long long)dims[i]);
		if (!sf_shape_push(infer, out, sf_dim(dims[i])))
			return false;
	}
	return true;
}

/* Attribute shape; or input 0, its shape or what it holds, and extra_shape. */
bool
sf_rule_given_fill(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true };
	struct sf_ints sizes = { 0 };
	int64_t contents;

	if (!sf_infer_attr_int(infer, "input_as_shape", 0, &contents))
		return false;
	if (sf_infer_attr(infer, "shape") != NULL) {
		if (!append(infer, "shape", &out))
			return false;
		sf_infer_set(infer, 0, SF_DT_F32, &out);
		return true;
	}
	if (contents == 0)
		sf_infer_shape(infer, 0, &out);
	else if (!sf_infer_ints(infer, 0, "shape", &sizes))
		return false;
	if (sizes.n < 0)
		out.known = false;
	for (int i = 0; i < sizes.n; i++)
		if (!sf_shape_push(infer, &out,
			sizes.v[i].known && sizes.v[i].i >= 0
			    ? sf_dim(sizes.v[i].i)
			    : SF_DIM_NONE))
			return false;
	if (out.known && !append(infer, "extra_shape", &out))
		return false;
	sf_infer_set(infer, 0, SF_DT_F32, &out);
	if (!out.known || !sf_ints_known(&sizes))
		sf_infer_unknown_list(infer, 0, &sizes);
	return true;
}

/* ---- TensorRT's plugins ---- */

/* boxes [B, N, ...] and scores: as many detections as there may be. */
bool
sf_rule_trt_nms(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim batch = sf_input_dim(infer, 0, 0);
	int64_t n;

	if (!sf_attr_need(infer, "max_output_boxes", &n))
		return false;
	SF_SET_DIMS(infer, 0, SF_DT_I32, batch, sf_dim(1));
	SF_SET_DIMS(infer, 1, dtype, batch, sf_dim(n), sf_dim(4));
	SF_SET_DIMS(infer, 2, dtype, batch, sf_dim(n));
	SF_SET_DIMS(infer, 3, SF_DT_I32, batch, sf_dim(n));
	return true;
}

/* boxes [B, R, 4] and maps [B, C, ...]: [B, R, C, size, size]. */
bool
sf_rule_trt_roi(struct sf_infer *infer)
{
	int64_t n;

	if (!sf_attr_need(infer, "pooled_size", &n))
		return false;
	SF_SET_DIMS(infer, 0, sf_infer_type(infer, 1),
	    sf_input_dim(infer, 0, 0), sf_input_dim(infer, 0, 1),
	    sf_input_dim(infer, 1, 1), sf_dim(n), sf_dim(n));
	return true;
}
