/* Recurrent layers: RNN, GRU and LSTM. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

static bool
directions(struct sf_infer *infer, struct sf_onnx_dim *out)
{
	struct sf_str direction;

	if (!sf_infer_attr_str(infer, "direction", "forward", &direction))
		return false;
	*out = sf_dim(sf_str_is(direction, "bidirectional") ? 2 : 1);
	if (out->size == 2 || sf_str_is(direction, "forward") ||
	    sf_str_is(direction, "reverse"))
		return true;
	return sf_fail(infer->error,
	    "attribute 'direction' is '%.*s', expected forward, reverse or "
	    "bidirectional",
	    SF_STR_ARG(direction));
}

/* From attribute hidden_size and from the last dimension of R. */
static bool
hidden_size(struct sf_infer *infer, struct sf_onnx_dim *out)
{
	struct sf_shape r;
	int64_t size;

	*out = SF_DIM_NONE;
	if (!sf_infer_attr_int(infer, "hidden_size", 0, &size) ||
	    !sf_infer_need_rank(infer, 1, "W", 3) ||
	    !sf_infer_need_rank(infer, 2, "R", 3))
		return false;
	sf_infer_shape(infer, 2, &r);
	if (sf_infer_attr(infer, "hidden_size") != NULL) {
		if (size < 1)
			return sf_fail(infer->error,
			    "attribute 'hidden_size' is %lld, expected at "
			    "least 1",
			    (long long)size);
		*out = sf_dim(size);
	}
	return !r.known ||
	    sf_dim_merge(
		infer, "'hidden_size' and input 'R'", *out, r.d[2], out);
}

bool
sf_rule_rnn(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	struct sf_onnx_dim dirs, hidden, steps, batch;
	struct sf_shape x, y = { .known = true }, last = { .known = true };
	int64_t layout;

	if (!sf_infer_need_rank(infer, 0, "X", 3) ||
	    !directions(infer, &dirs) || !hidden_size(infer, &hidden) ||
	    !sf_infer_attr_int(infer, "layout", 0, &layout))
		return false;
	sf_infer_shape(infer, 0, &x);
	steps = x.known ? x.d[layout ? 1 : 0] : SF_DIM_NONE;
	batch = x.known ? x.d[layout ? 0 : 1] : SF_DIM_NONE;
	y.rank = 4;
	y.d[0] = layout ? batch : steps;
	y.d[1] = layout ? steps : dirs;
	y.d[2] = layout ? dirs : batch;
	y.d[3] = hidden;
	last.rank = 3;
	last.d[0] = layout ? batch : dirs;
	last.d[1] = layout ? dirs : batch;
	last.d[2] = hidden;
	sf_infer_set(infer, 0, dtype, &y);
	sf_infer_set(infer, 1, dtype, &last);
	sf_infer_set(infer, 2, dtype, &last); /* the cell's, of LSTM */
	return true;
}
