/* Windows over tensors whose channels are the last dimension. */
#include "onnx/infer/shape.h"
#include "onnx/ops/rules.h"

/* The order of N, spatial..., C from N, C, spatial..., or back. */
static void
move_channels(struct sf_shape *shape, bool to_last)
{
	struct sf_onnx_dim moved[SF_VALUE_MAX_RANK];
	int last = shape->rank - 1;

	if (shape->rank < 3)
		return;
	for (int i = 0; i <= last; i++)
		moved[i] = shape->d[i];
	shape->d[to_last ? last : 1] = moved[to_last ? 1 : last];
	for (int i = 1; i < last; i++)
		shape->d[to_last ? i : i + 1] = moved[to_last ? i + 1 : i];
}

/* RULE for channels in second place, applied to input 0 with them in last. */
static bool
channels_last(struct sf_infer *infer, sf_infer_rule *rule)
{
	struct sf_value **inputs = sf_arena_calloc(
	    infer->arena, (size_t)infer->ninputs, sizeof(struct sf_value *));
	struct sf_value first = *infer->inputs[0];
	struct sf_infer inner = *infer;
	struct sf_shape shape;
	int64_t sizes[SF_VALUE_MAX_RANK];
	struct sf_str names[SF_VALUE_MAX_RANK];

	sf_shape_of(&first, &shape);
	move_channels(&shape, false);
	for (int i = 0; i < shape.rank; i++) {
		sizes[i] = shape.d[i].size;
		names[i] = shape.d[i].name;
	}
	first.dims = sizes;
	first.dim_names = names;
	for (int i = 1; i < infer->ninputs; i++)
		inputs[i] = infer->inputs[i];
	inputs[0] = &first;
	inner.inputs = inputs;
	if (!rule(&inner))
		return false;
	for (int i = 0; i < infer->noutputs; i++) {
		sf_shape_of(&infer->outputs[i], &shape);
		move_channels(&shape, true);
		sf_infer_set(infer, i, infer->outputs[i].dtype, &shape);
	}
	return true;
}

/* RULE, with the channels where attribute channels_last says. */
static bool
either(struct sf_infer *infer, sf_infer_rule *rule)
{
	int64_t last;

	if (!sf_infer_attr_int(infer, "channels_last", 0, &last))
		return false;
	return last != 0 ? channels_last(infer, rule) : rule(infer);
}

bool
sf_rule_nhwc_conv(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_conv);
}

bool
sf_rule_nhwc_pool(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_pool);
}

bool
sf_rule_ms_qlinear_conv(struct sf_infer *infer)
{
	return either(infer, sf_rule_qlinear_conv);
}

bool
sf_rule_qlinear_pool(struct sf_infer *infer)
{
	return either(infer, sf_rule_pool);
}

bool
sf_rule_qlinear_global_pool(struct sf_infer *infer)
{
	return either(infer, sf_rule_global_pool);
}

/* ---- in a domain of their own ---- */

bool
sf_rule_nhwc_batch_norm(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_batch_norm);
}

bool
sf_rule_nhwc_conv_transpose(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_conv_transpose);
}

bool
sf_rule_nhwc_depth_to_space(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_depth_to_space);
}

bool
sf_rule_nhwc_global_pool(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_global_pool);
}

bool
sf_rule_nhwc_grid_sample(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_grid_sample);
}

bool
sf_rule_nhwc_max_unpool(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_max_unpool);
}

bool
sf_rule_nhwc_qlinear_conv(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_qlinear_conv);
}

bool
sf_rule_nhwc_qlinear_conv_transpose(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_qlinear_conv_transpose);
}

bool
sf_rule_nhwc_space_to_depth(struct sf_infer *infer)
{
	return channels_last(infer, sf_rule_space_to_depth);
}
