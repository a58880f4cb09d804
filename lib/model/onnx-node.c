/* Nodes and constants of the ONNX route. */
#include "model/onnx-node.h"

#include <stdio.h>

#include "base/num.h"
#include "base/table.h"
#include "model/derive.h"

/* Operators that move a weight and change nothing of it. */
static bool
rearranges(const char *op)
{
	static const char *const ops[] = { "onnx.Transpose", "onnx.Reshape",
		"onnx.Cast", "onnx.CastLike", "onnx.Identity", "onnx.Unsqueeze",
		"onnx.Expand" };

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (strcmp(ops[i], op) == 0)
			return true;
	return false;
}

struct sf_val *
sf_onnx_add(struct sf_build *b, const char *op, struct sf_val *const *in,
    int nin, struct sf_val *out)
{
	struct sf_graph_node *node =
	    sf_graph_add(&b->graph, op, in, nin, &out, 1);
	bool fixed = true;

	for (int i = 0; i < nin; i++)
		fixed = fixed && (in[i]->fixed || in[i]->param);
	node->folded = fixed;
	out->fixed = fixed;
	out->param = nin != 0 && in[0]->param && rearranges(op);
	if (out->param)
		out->stored = in[0]->stored;
	return out;
}

struct sf_val *
sf_onnx_1(
    struct sf_build *b, const char *op, struct sf_val *x, struct sf_val *out)
{
	return sf_onnx_add(b, op, &x, 1, out);
}

struct sf_val *
sf_onnx_2(struct sf_build *b, const char *op, struct sf_val *x,
    struct sf_val *y, struct sf_val *out)
{
	return sf_onnx_add(b, op, (struct sf_val *[]){ x, y }, 2, out);
}

/* ---- constants ---- */

/* A constant that is new each time. */
static struct sf_val *
constant(struct sf_build *b, enum sf_dtype dtype, int rank, int64_t n)
{
	return sf_onnx_add(b, "onnx.Constant", NULL, 0,
	    sf_val_new(&b->graph, dtype, rank, &n));
}

/* The constant that goes by KEY; its place is before the first that reads it. */
static struct sf_val *
known(struct sf_build *b, const char *key, enum sf_dtype dtype, int rank,
    int64_t n)
{
	struct sf_entry *entry = sf_table_add(b->constants, sf_str_of(key));
	struct sf_val *val = entry->ptr;

	if (val != NULL)
		return val;
	val = sf_val_new(&b->graph, dtype, rank, &n);
	val->fixed = true;
	sf_graph_float(&b->graph, "onnx.Constant", val, true);
	entry->ptr = val;
	return val;
}

struct sf_val *
sf_onnx_int(struct sf_build *b, int64_t x)
{
	char key[32];

	snprintf(key, sizeof key, "i%lld", (long long)x);
	return known(b, key, SF_DT_I64, 0, 0);
}

struct sf_val *
sf_onnx_float(struct sf_build *b, double x)
{
	char key[SF_DOUBLE_MAX + 1] = "f";

	sf_double_format(x, key + 1);
	return known(b, key, SF_DT_F32, 0, 0);
}

struct sf_val *
sf_onnx_list(struct sf_build *b, int64_t x)
{
	char key[32];

	snprintf(key, sizeof key, "l%lld", (long long)x);
	return known(b, key, SF_DT_I64, 1, 1);
}

struct sf_val *
sf_onnx_list_of(struct sf_build *b, int n, const int64_t *items)
{
	const char *key = "l";

	for (int i = 0; i < n; i++)
		key = sf_arena_printf(b->graph.arena, "%s%s%lld", key,
		    i != 0 ? "," : "", (long long)items[i]);
	return known(b, key, SF_DT_I64, 1, n);
}

struct sf_val *
sf_onnx_empty_list(struct sf_build *b)
{
	return known(b, "l", SF_DT_I64, 1, 0);
}

struct sf_val *
sf_onnx_scalar(struct sf_build *b, enum sf_dtype dtype)
{
	return constant(b, dtype, 0, 0);
}

struct sf_val *
sf_onnx_new_list(struct sf_build *b, int64_t n)
{
	return constant(b, SF_DT_I64, 1, n);
}

struct sf_val *
sf_onnx_ints(struct sf_build *b, int64_t n)
{
	return sf_val_new(&b->graph, SF_DT_I64, 1, &n);
}

struct sf_val *
sf_onnx_relist(struct sf_build *b, struct sf_val *x)
{
	return sf_onnx_2(
	    b, "onnx.Reshape", x, sf_onnx_new_list(b, 1), sf_onnx_ints(b, 1));
}

struct sf_val *
sf_onnx_int_as_list(struct sf_build *b, int64_t x)
{
	struct sf_val *c = sf_onnx_int(b, x);

	c = sf_onnx_1(b, "onnx.Cast", c, sf_val_like(&b->graph, c));
	return sf_onnx_relist(b, c);
}

struct sf_val *
sf_onnx_sizes(struct sf_build *b, int rank)
{
	struct sf_val *in[SF_VAL_RANK];

	for (int i = 0; i < rank; i++)
		in[i] = sf_onnx_new_list(b, 1);
	return sf_onnx_add(b, "onnx.Concat", in, rank, sf_onnx_ints(b, rank));
}

struct sf_val *
sf_onnx_shape(struct sf_build *b, struct sf_val *x)
{
	return sf_onnx_1(b, "onnx.Shape", x, sf_onnx_ints(b, x->rank));
}

struct sf_val *
sf_onnx_cut(struct sf_build *b, struct sf_val *sizes, struct sf_val *from,
    struct sf_val *to, int64_t n)
{
	struct sf_val *in[] = { sizes, from, to };

	return sf_onnx_add(b, "onnx.Slice", in, 3, sf_onnx_ints(b, n));
}

struct sf_val *
sf_onnx_like(struct sf_build *b, struct sf_val *x, enum sf_dtype dtype)
{
	return sf_derive_elementwise(&b->graph, x, dtype);
}

struct sf_val *
sf_onnx_same(struct sf_build *b, const char *op, struct sf_val *x)
{
	return sf_onnx_1(b, op, x, sf_onnx_like(b, x, x->dtype));
}
