/* Normalisations, softmax and losses: mostly the shape of the input. */
#include "onnx/ops/rules.h"

#include "onnx/infer/shape.h"

/* Attribute axis is checked where the rank is known; OTHERWISE is its default. */
static bool
check_axis(struct sf_infer *infer, int64_t otherwise)
{
	const struct sf_value *in = infer->inputs[0];
	int axis;

	return !in->rank_known || in->rank == 0 ||
	    sf_infer_attr_axis(infer, "axis", otherwise, in->rank, &axis);
}

/* Softmax and its like: over everything from axis 1 on, since 13 the last. */
bool
sf_rule_softmax(struct sf_infer *infer)
{
	sf_infer_like(infer, 0, infer->inputs[0]);
	/* In old files the axis of a vector may be 1, that is past its end. */
	return infer->opset < 13 || check_axis(infer, -1);
}

/* LpNormalization. */
bool
sf_rule_lp_norm(struct sf_infer *infer)
{
	sf_infer_like(infer, 0, infer->inputs[0]);
	return check_axis(infer, -1);
}

/* The channels of [N, C, ...], from the input or from a scale per channel. */
static bool
channels(struct sf_infer *infer, int scale, struct sf_onnx_dim *out)
{
	struct sf_shape x, per_channel;
	struct sf_onnx_dim c = SF_DIM_NONE;

	sf_infer_shape(infer, 0, &x);
	sf_infer_shape(infer, scale, &per_channel);
	/* A vector is a batch of one channel. */
	if (x.known)
		c = x.rank > 1 ? x.d[1] : sf_dim(1);
	*out = c;
	if (!per_channel.known || per_channel.rank != 1)
		return true;
	return sf_dim_merge(infer, "the channels of the input and of 'scale'",
	    c, per_channel.d[0], out);
}

bool
sf_rule_batch_norm(struct sf_infer *infer)
{
	struct sf_onnx_dim c;

	sf_infer_like(infer, 0, infer->inputs[0]);
	if (!channels(infer, 1, &c))
		return false;
	for (int i = 1; i < infer->noutputs; i++)
		sf_infer_set_vector(infer, i, sf_infer_type(infer, 3), c);
	return true;
}

bool
sf_rule_instance_norm(struct sf_infer *infer)
{
	struct sf_onnx_dim c;

	sf_infer_like(infer, 0, infer->inputs[0]);
	return channels(infer, 1, &c);
}

bool
sf_rule_group_norm(struct sf_infer *infer)
{
	struct sf_shape x;
	int64_t groups;

	sf_infer_like(infer, 0, infer->inputs[0]);
	sf_infer_shape(infer, 0, &x);
	if (!sf_infer_attr_int(infer, "num_groups", 1, &groups))
		return false;
	if (groups < 1)
		return sf_fail(infer->error,
		    "attribute 'num_groups' is %lld, expected at least 1",
		    (long long)groups);
	if (x.known && x.rank > 1 && sf_dim_known(x.d[1]) &&
	    x.d[1].size % groups != 0)
		return sf_fail(infer->error,
		    "input 'X' has %lld channels, expected a multiple of "
		    "num_groups %lld",
		    (long long)x.d[1].size, (long long)groups);
	return true;
}

/* Mean and inverse deviation keep the dimensions before the axis. */
bool
sf_rule_layer_norm(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	enum sf_dtype dtype;
	struct sf_shape out;
	int axis;

	sf_infer_like(infer, 0, in);
	if (!sf_infer_attr_dtype(infer, "stash_type", SF_DT_F32, &dtype))
		return false;
	sf_shape_of(in, &out);
	if (out.known && out.rank > 0) {
		if (!sf_infer_attr_axis(infer, "axis", -1, out.rank, &axis))
			return false;
		for (int i = axis; i < out.rank; i++)
			out.d[i] = sf_dim(1);
	}
	for (int i = 1; i < infer->noutputs; i++)
		sf_infer_set(infer, i, dtype, &out);
	return true;
}

/* ---- losses ---- */

/* Target [N, ...] of scores [N, C, ...]: one number, or with "none" one each. */
static bool
loss(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_str reduction;
	struct sf_shape target;

	if (!sf_infer_attr_str(infer, "reduction", "mean", &reduction))
		return false;
	if (sf_str_is(reduction, "none")) {
		sf_infer_shape(infer, 1, &target);
		sf_infer_set(infer, 0, dtype, &target);
		return true;
	}
	if (!sf_str_is(reduction, "mean") && !sf_str_is(reduction, "sum"))
		return sf_fail(infer->error,
		    "attribute 'reduction' is '%.*s', expected none, mean or "
		    "sum",
		    SF_STR_ARG(reduction));
	sf_infer_set_scalar(infer, 0, dtype);
	return true;
}

bool
sf_rule_nll_loss(struct sf_infer *infer)
{
	return loss(infer);
}

bool
sf_rule_softmax_loss(struct sf_infer *infer)
{
	struct sf_shape scores;

	sf_infer_shape(infer, 0, &scores);
	sf_infer_set(infer, 1, infer->inputs[0]->dtype, &scores);
	return loss(infer);
}
