/* Operators that keep the elements in order and change the shape. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

bool
sf_rule_identity(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];

	sf_infer_like(infer, 0, in);
	sf_infer_same_contents(infer, 0, in);
	return true;
}

/* The output has IN's elements in their order, in another shape. */
static bool
same_elements(struct sf_infer *infer, const struct sf_shape *out)
{
	const struct sf_value *in = infer->inputs[0];

	sf_infer_set(infer, 0, in->dtype, out);
	if (sf_value_has_contents(in) &&
	    sf_value_numel(&infer->outputs[0]) == sf_value_numel(in))
		sf_infer_same_contents(infer, 0, in);
	return true;
}

/* ---- Reshape ---- */

/*
 * What -1 stands for: the elements of IN over those of the other sizes of OUT.
 * Sizes that are not known cancel when the same stand on both sides.
 */
static bool
infer_rest(struct sf_infer *infer, const struct sf_shape *in,
    struct sf_shape *out, int rest)
{
	bool used[SF_VALUE_MAX_RANK] = { false };
	struct sf_onnx_dim left = { 0 };
	int64_t over[SF_VALUE_MAX_RANK], under[SF_VALUE_MAX_RANK], a, b;
	int nover = 0, nunder = 0, nleft = 0;

	out->d[rest] = SF_DIM_NONE;
	if (!in->known)
		return true;
	for (int i = 0; i < out->rank; i++) {
		bool found = sf_dim_known(out->d[i]);

		if (i == rest)
			continue;
		if (found)
			under[nunder++] = out->d[i].size;
		for (int k = 0; k < in->rank && !found; k++)
			if (!used[k] && !sf_dim_known(in->d[k]) &&
			    sf_dim_same(in->d[k], out->d[i]))
				found = used[k] = true;
		if (!found)
			return true;
	}
	for (int k = 0; k < in->rank; k++) {
		if (sf_dim_known(in->d[k])) {
			over[nover++] = in->d[k].size;
		} else if (!used[k]) {
			left = in->d[k];
			nleft++;
		}
	}
	if (!sf_mul_all(over, (size_t)nover, &a) ||
	    !sf_mul_all(under, (size_t)nunder, &b))
		return sf_fail(infer->error,
		    "the sizes of an input multiply to more than 2^63 - 1");
	if (nleft == 1 && a == b)
		out->d[rest] = left;
	if (nleft > 0)
		return true;
	if (b == 0 ? a != 0 : a % b != 0)
		return sf_fail(infer->error,
		    "%lld elements do not divide by the %lld of the other "
		    "sizes of 'shape'",
		    (long long)a, (long long)b);
	/* Of nothing it may be anything; runtimes take 0. */
	out->d[rest] = sf_dim(b == 0 ? 0 : a / b);
	return true;
}

/* Place I of the wanted shape; *REST is where -1 stands, or -1. */
static bool
reshape_dim(struct sf_infer *infer, const struct sf_shape *in,
    struct sf_cell cell, int i, bool allow_zero, int *rest,
    struct sf_onnx_dim *out)
{
	*out = (struct sf_onnx_dim){ SF_DIM_UNKNOWN, cell.name };
	if (!cell.known)
		return true;
	if (cell.i < -1)
		return sf_fail(infer->error,
		    "'shape' is %lld in place %d, expected a size, 0 or -1",
		    (long long)cell.i, i);
	if (cell.i == -1) {
		if (*rest >= 0)
			return sf_fail(infer->error,
			    "'shape' has -1 in places %d and %d, expected one",
			    *rest, i);
		*rest = i;
	} else if (cell.i > 0 || allow_zero) {
		*out = sf_dim(cell.i);
	} else if (in->known && i >= in->rank) {
		return sf_fail(infer->error,
		    "'shape' is 0 in place %d, expected a dimension to copy "
		    "from rank %d",
		    i, in->rank);
	} else if (in->known) {
		*out = in->d[i];
	}
	return true;
}

/* Without -1 the number of elements must be right; one size may follow. */
static bool
check_reshape(
    struct sf_infer *infer, const struct sf_shape *in, struct sf_shape *out)
{
	struct sf_onnx_dim a, b;
	int missing = -1, n = 0;

	for (int i = 0; i < out->rank; i++)
		if (!sf_dim_known(out->d[i])) {
			missing = i;
			n++;
		}
	if (!in->known || n > 1)
		return true;
	if (n == 1 && out->d[missing].name.n == 0) {
		struct sf_shape copy = *out;

		/* It can be 0 as well when the input is empty. */
		if (!sf_shape_count(infer, in, 0, in->rank, &a))
			return false;
		if (sf_dim_known(a) && a.size > 0 &&
		    !infer_rest(infer, in, &copy, missing))
			return false;
		if (sf_dim_known(a) && a.size > 0)
			*out = copy;
		return true;
	}
	if (!sf_shape_count(infer, in, 0, in->rank, &a) ||
	    !sf_shape_count(infer, out, 0, out->rank, &b))
		return false;
	if (sf_dim_known(a) && sf_dim_known(b) && a.size != b.size)
		return sf_fail(infer->error,
		    "'shape' has %lld elements, expected the input's %lld",
		    (long long)b.size, (long long)a.size);
	return true;
}

bool
sf_rule_reshape(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	struct sf_ints list;
	int64_t allow_zero;
	int rest = -1;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "shape", 5, 1, &list) ||
	    !sf_infer_attr_int(infer, "allowzero", 0, &allow_zero))
		return false;
	if (!list.given)
		return sf_fail(infer->error, "attribute 'shape' is missing");
	if (list.n < 0) {
		sf_infer_set_unknown(infer, 0, infer->inputs[0]->dtype);
		sf_infer_unknown_list(infer, 0, &list);
		return true;
	}
	for (int i = 0; i < list.n; i++) {
		struct sf_onnx_dim d;

		if (!reshape_dim(
			infer, &in, list.v[i], i, allow_zero != 0, &rest, &d) ||
		    !sf_shape_push(infer, &out, d))
			return false;
	}
	if (rest >= 0 ? !infer_rest(infer, &in, &out, rest)
		      : !check_reshape(infer, &in, &out))
		return false;
	if (!sf_ints_known(&list))
		sf_infer_unknown_list(infer, 0, &list);
	return same_elements(infer, &out);
}

bool
sf_rule_flatten(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true, .rank = 2 };
	int64_t axis;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_attr_int(infer, "axis", 1, &axis))
		return false;
	out.d[0] = out.d[1] = SF_DIM_NONE;
	if (in.known) {
		if (axis < -in.rank || axis > in.rank)
			return sf_fail(infer->error,
			    "attribute 'axis' is %lld, expected %d to %d",
			    (long long)axis, -in.rank, in.rank);
		if (axis < 0)
			axis += in.rank;
		if (!sf_shape_count(infer, &in, 0, (int)axis, &out.d[0]) ||
		    !sf_shape_count(infer, &in, (int)axis, in.rank, &out.d[1]))
			return false;
	}
	return same_elements(infer, &out);
}

/* ---- Squeeze and Unsqueeze ---- */

static bool
squeeze_named(struct sf_infer *infer, const struct sf_shape *in,
    const struct sf_ints *axes, struct sf_shape *out)
{
	bool flags[SF_VALUE_MAX_RANK];

	if (!sf_infer_axes(infer, "'axes'", axes, in->rank, flags))
		return false;
	for (int i = 0; i < in->rank; i++)
		if (!flags[i])
			out->d[out->rank++] = in->d[i];
		else if (sf_dim_known(in->d[i]) && in->d[i].size != 1)
			return sf_fail(infer->error,
			    "dimension %d to squeeze is %lld, expected 1", i,
			    (long long)in->d[i].size);
	return true;
}

bool
sf_rule_squeeze(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	struct sf_ints axes;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "axes", 13, 1, &axes))
		return false;
	if (!in.known || (axes.given && !sf_ints_known(&axes))) {
		out.known =
		    in.known && axes.given && axes.n >= 0 && axes.n <= in.rank;
		out.rank = out.known ? in.rank - axes.n : 0;
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		if (in.known)
			sf_infer_unknown_list(infer, 0, &axes);
	} else if (axes.given) {
		if (!squeeze_named(infer, &in, &axes, &out))
			return false;
	} else {
		for (int i = 0; i < in.rank; i++) {
			if (!sf_dim_known(in.d[i]))
				out.known = false; /* it may be 1 */
			else if (in.d[i].size != 1)
				out.d[out.rank++] = in.d[i];
		}
		if (!out.known)
			out.rank = 0;
	}
	return same_elements(infer, &out);
}

bool
sf_rule_unsqueeze(struct sf_infer *infer)
{
	struct sf_shape in, out = { .known = true };
	bool flags[SF_VALUE_MAX_RANK];
	struct sf_ints axes;

	sf_infer_shape(infer, 0, &in);
	if (!sf_infer_moved(infer, "axes", 13, 1, &axes))
		return false;
	if (!axes.given)
		return sf_fail(infer->error, "attribute 'axes' is missing");
	out.known = in.known && axes.n >= 0;
	if (!out.known) {
		sf_infer_unknown_from(
		    infer, 0, in.known ? axes.from : infer->inputs[0]);
		return same_elements(infer, &out);
	}
	if (in.rank + axes.n > SF_VALUE_MAX_RANK)
		return sf_fail(infer->error,
		    "the output's rank would be %d, expected at most %d",
		    in.rank + axes.n, SF_VALUE_MAX_RANK);
	out.rank = in.rank + axes.n;
	if (!sf_ints_known(&axes)) {
		for (int i = 0; i < out.rank; i++)
			out.d[i] = SF_DIM_NONE;
		sf_infer_unknown_list(infer, 0, &axes);
		return same_elements(infer, &out);
	}
	if (!sf_infer_axes(infer, "'axes'", &axes, out.rank, flags))
		return false;
	for (int i = 0, k = 0; i < out.rank; i++)
		out.d[i] = flags[i] ? sf_dim(1) : in.d[k++];
	return same_elements(infer, &out);
}
