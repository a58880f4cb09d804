/* Which arguments are tensors. */
#include "torch/args.h"

static const struct {
	const char *ops, *tensors;
} rows[] = {
#define SF_TORCH_ARGS(ops, tensors) { ops, tensors },
#include "torch/args.def"
#undef SF_TORCH_ARGS
};

static bool
is_among(struct sf_str name, const char *list)
{
	struct sf_str rest = sf_str_of(list);

	while (rest.n != 0)
		if (sf_str_eq(sf_str_cut(&rest, ' '), name))
			return true;
	return false;
}

struct sf_str
sf_torch_optional_tensors(struct sf_str op)
{
	if (op.n > 1 && op.p[op.n - 1] == '_')
		op.n--;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (is_among(op, rows[i].ops))
			return sf_str_of(rows[i].tensors);
	return SF_STR("");
}

/* Those that stand before a tensor in some operator of ATen. */
bool
sf_torch_is_number(struct sf_str argument)
{
	return is_among(argument,
	    "scale range side hop_length win_length max_seqlen_q max_seqlen_k "
	    "window_size_left window_size_right");
}
