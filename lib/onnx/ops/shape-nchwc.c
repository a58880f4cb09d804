/* Channels in blocks, as ONNX Runtime's processors have them: NCHWc. */
#include "onnx/ops/dims.h"
#include "onnx/ops/rules.h"

enum {
	MOST_LANES = 16 /* a block is 8 channels or 16, by the processor */
};

/* [N, C, ...], or [N, ..., C]: C is rounded up to whole blocks. */
bool
sf_rule_nchwc_in(struct sf_infer *infer)
{
	struct sf_shape x, out;
	struct sf_onnx_dim *c = &out.d[1];
	int64_t last;

	sf_infer_shape(infer, 0, &x);
	if (!sf_infer_attr_int(infer, "channels_last", 0, &last))
		return false;
	if (x.known && x.rank < 3)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 3", x.rank);
	out = x;
	for (int i = 1; x.known && last != 0 && i < x.rank; i++)
		out.d[i] = x.d[i == 1 ? x.rank - 1 : i - 1];
	if (x.known && (!sf_dim_known(*c) || c->size % MOST_LANES != 0)) {
		sf_infer_unknown(infer, 0,
		    "how many channels a block has the processor decides");
		*c = SF_DIM_NONE;
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Back, to as many channels as the attribute says. */
bool
sf_rule_nchwc_out(struct sf_infer *infer)
{
	struct sf_shape x, out;
	int64_t last, channels;

	sf_infer_shape(infer, 0, &x);
	if (!sf_infer_attr_int(infer, "channels_last", 0, &last) ||
	    !sf_attr_need(infer, "channels", &channels))
		return false;
	if (x.known && x.rank < 3)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 3", x.rank);
	out = x;
	for (int i = 1; x.known && last != 0 && i < x.rank - 1; i++)
		out.d[i] = x.d[i + 1];
	if (x.known)
		out.d[last != 0 ? x.rank - 1 : 1] = sf_dim(channels);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* Attribute scales has a whole number a dimension. */
bool
sf_rule_nchwc_upsample(struct sf_infer *infer)
{
	struct sf_ints scales;
	struct sf_shape out;

	if (!sf_infer_attr_list(infer, "scales", &scales))
		return false;
	sf_infer_shape(infer, 0, &out);
	if (out.known && scales.given && scales.n != out.rank)
		return sf_fail(infer->error,
		    "attribute 'scales' has %d integers, expected %d", scales.n,
		    out.rank);
	for (int i = 0; scales.given && i < out.rank; i++)
		if (!sf_dim_times(
			infer, out.d[i], sf_dim(scales.v[i].i), &out.d[i]))
			return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}
