/* Operators that work element by element, and what they make of contents. */
#include "onnx/ops/rules.h"

#include <math.h>

#include "onnx/infer/shape.h"
#include "onnx/ops/arith.h"

/* ---- one input ---- */

static bool
unary(struct sf_infer *infer, enum sf_dtype out_dtype, sf_fold_one *fold)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_cells cells;

	sf_infer_like(infer, 0, in);
	if (out_dtype != SF_DT_UNKNOWN)
		infer->outputs[0].dtype = out_dtype;
	if (fold == NULL || !sf_value_has_contents(in) ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell a = sf_cell_get(in, i), out = { 0 };

		if (a.known && !fold(infer, in->dtype, a, &out))
			return false;
		sf_cells_put(&cells, i, out);
	}
	sf_cells_end(&cells);
	return true;
}

/* The same for integers and for floating-point numbers, in one row. */
#define UNARY(name, int_exact, int_expression, float_expression)             \
	static bool fold_##name(struct sf_infer *infer, enum sf_dtype dtype, \
	    struct sf_cell a, struct sf_cell *out)                           \
	{                                                                    \
		if (sf_dtype_in_ints(dtype))                                 \
			return sf_fold_int(                                  \
			    infer, dtype, int_exact, int_expression, out);   \
		*out = sf_cell_float(float_expression);                      \
		return true;                                                 \
	}                                                                    \
	bool sf_rule_##name(struct sf_infer *infer)                          \
	{                                                                    \
		return unary(infer, SF_DT_UNKNOWN, fold_##name);             \
	}

/* Of a function that only floating-point numbers have. */
#define UNARY_FLOAT(name, expression)                                        \
	static bool fold_##name(struct sf_infer *infer, enum sf_dtype dtype, \
	    struct sf_cell a, struct sf_cell *out)                           \
	{                                                                    \
		(void)infer;                                                 \
		if (sf_dtype_in_floats(dtype))                               \
			*out = sf_cell_float(expression);                    \
		return true;                                                 \
	}                                                                    \
	bool sf_rule_##name(struct sf_infer *infer)                          \
	{                                                                    \
		return unary(infer, SF_DT_UNKNOWN, fold_##name);             \
	}

UNARY(abs, a.i != INT64_MIN,
    a.i == INT64_MIN ? 0
	: a.i < 0    ? -a.i
		     : a.i,
    fabs(a.f))
UNARY(neg, a.i != INT64_MIN, a.i == INT64_MIN ? 0 : -a.i, -a.f)
UNARY(relu, true, a.i < 0 ? 0 : a.i, a.f < 0 ? 0 : a.f)
UNARY(sign, true, (a.i > 0) - (a.i < 0), (double)((a.f > 0) - (a.f < 0)))
UNARY_FLOAT(floor, floor(a.f))
UNARY_FLOAT(ceil, ceil(a.f))
UNARY_FLOAT(round, nearbyint(a.f))
UNARY_FLOAT(sqrt, sqrt(a.f))
UNARY_FLOAT(exp, exp(a.f))
UNARY_FLOAT(log, log(a.f))
UNARY_FLOAT(reciprocal, 1 / a.f)

/* Type and shape of the first input; contents are not followed. */
bool
sf_rule_unary(struct sf_infer *infer)
{
	return unary(infer, SF_DT_UNKNOWN, NULL);
}

/* A test of each element. */
bool
sf_rule_test(struct sf_infer *infer)
{
	return unary(infer, SF_DT_B8, NULL);
}

static bool
fold_not(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell *out)
{
	(void)infer;
	(void)dtype;
	*out = sf_cell_int(a.i == 0);
	return true;
}

bool
sf_rule_not(struct sf_infer *infer)
{
	return unary(infer, SF_DT_B8, fold_not);
}

/* ---- two inputs ---- */

/* B must be read as a tensor of the shape A. */
static bool
check_follows(
    struct sf_infer *infer, const struct sf_shape *a, const struct sf_shape *b)
{
	if (b->rank > a->rank)
		return sf_fail(infer->error,
		    "the second input has rank %d, expected at most the "
		    "first's %d",
		    b->rank, a->rank);
	for (int k = 1; k <= b->rank; k++) {
		int64_t to = a->d[a->rank - k].size;
		int64_t from = b->d[b->rank - k].size;

		if (from >= 0 && to >= 0 && from != 1 && from != to)
			return sf_fail(infer->error,
			    "the inputs do not broadcast: %lld and %lld in "
			    "dimension %d from the last",
			    (long long)to, (long long)from, k);
	}
	return true;
}

/*
 * Before opset 7 the second input is broadcast to the first when attribute
 * "broadcast" says so, from dimension "axis" or at the end; the output has
 * the shape of the first.
 */
static bool
broadcast_old(struct sf_infer *infer, struct sf_shape *b, struct sf_shape *out)
{
	int64_t broadcast;
	int axis;

	if (!sf_infer_attr_int(infer, "broadcast", 0, &broadcast))
		return false;
	sf_infer_shape(infer, 0, out);
	sf_infer_shape(infer, 1, b);
	if (!out->known || !b->known)
		return true;
	if (!broadcast && b->rank != out->rank)
		return sf_fail(infer->error,
		    "inputs of rank %d and %d, expected one rank without "
		    "attribute 'broadcast'",
		    out->rank, b->rank);
	if (sf_infer_attr(infer, "axis") != NULL && broadcast) {
		if (!sf_infer_attr_axis(infer, "axis", 0, out->rank, &axis))
			return false;
		if (axis + b->rank > out->rank)
			return sf_fail(infer->error,
			    "attribute 'axis' is %d, expected at most %d", axis,
			    out->rank - b->rank);
		while (axis + b->rank < out->rank)
			b->d[b->rank++] = sf_dim(1);
	}
	return check_follows(infer, out, b);
}

/* The shape of the output and, as it is to be read, of the second input. */
static bool
binary_shape(struct sf_infer *infer, struct sf_shape *b, struct sf_shape *out)
{
	struct sf_shape a;

	if (infer->opset < 7 && infer->node->domain.n == 0)
		return broadcast_old(infer, b, out);
	sf_infer_shape(infer, 0, &a);
	sf_infer_shape(infer, 1, b);
	return sf_shape_broadcast(infer, &a, b, out);
}

/* The place in a tensor of SHAPE that is broadcast to INDEX of rank RANK. */
static int64_t
broadcast_at(const struct sf_shape *shape, const int64_t *index, int rank)
{
	int64_t at = 0;

	for (int k = 0; k < shape->rank; k++) {
		int64_t size = shape->d[k].size;

		at =
		    at * size + (size == 1 ? 0 : index[rank - shape->rank + k]);
	}
	return at;
}

static bool
all_known(const struct sf_shape *shape)
{
	for (int i = 0; i < shape->rank; i++)
		if (!sf_dim_known(shape->d[i]))
			return false;
	return shape->known;
}

enum {
	MAX_FOLDED_INPUTS = 16
};

/* What N elements at the same place make. */
typedef bool combine(struct sf_infer *infer, const struct sf_cell *cells, int n,
    sf_fold_two *fold, struct sf_cell *out);

/* One after the other. */
static bool
combine_all(struct sf_infer *infer, const struct sf_cell *cells, int n,
    sf_fold_two *fold, struct sf_cell *out)
{
	*out = cells[0];
	for (int k = 1; k < n; k++) {
		struct sf_cell sofar = *out;

		*out = (struct sf_cell){ 0 };
		if (!fold(infer, infer->inputs[0]->dtype, sofar, cells[k], out))
			return false;
	}
	return true;
}

/* The contents of output 0, of shape OUT, from the first N inputs. */
static bool
fold_broadcast(struct sf_infer *infer, const struct sf_shape *shapes, int n,
    const struct sf_shape *out, combine *combine_cells, sf_fold_two *fold)
{
	int64_t index[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_cells cells;

	for (int k = 0; k < n; k++)
		if (!all_known(&shapes[k]))
			return true;
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell in[MAX_FOLDED_INPUTS], cell = { 0 };

		for (int k = 0; k < n; k++)
			in[k] = sf_cell_get(infer->inputs[k],
			    broadcast_at(&shapes[k], index, out->rank));
		if (!combine_cells(infer, in, n, fold, &cell))
			return false;
		sf_cells_put(&cells, i, cell);
		sf_index_next(out, index);
	}
	sf_cells_end(&cells);
	return true;
}

static bool
binary(struct sf_infer *infer, enum sf_dtype dtype, sf_fold_two *fold)
{
	const struct sf_value *a = infer->inputs[0], *b = infer->inputs[1];
	struct sf_shape shapes[2], out;

	sf_infer_shape(infer, 0, &shapes[0]);
	if (!binary_shape(infer, &shapes[1], &out))
		return false;
	if (dtype == SF_DT_UNKNOWN)
		dtype = a->dtype;
	if (dtype == SF_DT_UNKNOWN)
		dtype = b->dtype;
	sf_infer_set(infer, 0, dtype, &out);
	if (fold == NULL || a->dtype != b->dtype ||
	    !(sf_value_has_contents(a) || sf_value_has_contents(b)))
		return true;
	return fold_broadcast(infer, shapes, 2, &out, combine_all, fold);
}

bool
sf_rule_binary(struct sf_infer *infer)
{
	return binary(infer, SF_DT_UNKNOWN, NULL);
}

#define BINARY(name, type, fold)                    \
	bool sf_rule_##name(struct sf_infer *infer) \
	{                                           \
		return binary(infer, type, fold);   \
	}

BINARY(add, SF_DT_UNKNOWN, sf_fold_add)
BINARY(sub, SF_DT_UNKNOWN, sf_fold_sub)
BINARY(mul, SF_DT_UNKNOWN, sf_fold_mul)
BINARY(div, SF_DT_UNKNOWN, sf_fold_div)
BINARY(mod, SF_DT_UNKNOWN, sf_fold_mod)
BINARY(pow, SF_DT_UNKNOWN, sf_fold_pow)

/* Comparisons and logic, by what they say of two known elements. */
#define TEST(name, ints, floats)                                             \
	static bool fold_##name(struct sf_infer *infer, enum sf_dtype dtype, \
	    struct sf_cell a, struct sf_cell b, struct sf_cell *out)         \
	{                                                                    \
		(void)infer;                                                 \
		if (a.known && b.known)                                      \
			*out = sf_cell_int(                                  \
			    sf_dtype_in_ints(dtype) ? (ints) : (floats));    \
		return true;                                                 \
	}                                                                    \
	BINARY(name, SF_DT_B8, fold_##name)

TEST(equal, a.i == b.i, a.f == b.f)
TEST(less, a.i < b.i, a.f < b.f)
TEST(less_or_equal, a.i <= b.i, a.f <= b.f)
TEST(greater, a.i > b.i, a.f > b.f)
TEST(greater_or_equal, a.i >= b.i, a.f >= b.f)
TEST(and, a.i != 0 && b.i != 0, 0)
TEST(or, a.i != 0 || b.i != 0, 0)
TEST(xor, (a.i != 0) != (b.i != 0), 0)

/* The second input is broadcast to the first one's shape. */
bool
sf_rule_prelu(struct sf_infer *infer)
{
	return sf_rule_unary(infer);
}

/* ---- any number of inputs ---- */

static bool
variadic_shape(struct sf_infer *infer, struct sf_shape *out)
{
	struct sf_shape next;

	sf_infer_shape(infer, 0, out);
	for (int i = 1; i < infer->ninputs; i++) {
		sf_infer_shape(infer, i, &next);
		if (!sf_shape_broadcast(infer, out, &next, out))
			return false;
	}
	return true;
}

static bool
variadic(struct sf_infer *infer, sf_fold_two *fold)
{
	struct sf_shape out;
	struct sf_shape *shapes;

	if (!variadic_shape(infer, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	if (fold == NULL || infer->ninputs > MAX_FOLDED_INPUTS)
		return true;
	shapes = sf_arena_calloc(
	    infer->arena, (size_t)infer->ninputs, sizeof *shapes);
	for (int k = 0; k < infer->ninputs; k++) {
		const struct sf_value *in = infer->inputs[k];

		if (in == NULL || in->dtype != infer->inputs[0]->dtype ||
		    !sf_value_has_contents(in))
			return true;
		sf_infer_shape(infer, k, &shapes[k]);
	}
	return fold_broadcast(
	    infer, shapes, infer->ninputs, &out, combine_all, fold);
}

bool
sf_rule_min(struct sf_infer *infer)
{
	return variadic(infer, sf_fold_min);
}

bool
sf_rule_max(struct sf_infer *infer)
{
	return variadic(infer, sf_fold_max);
}

bool
sf_rule_sum(struct sf_infer *infer)
{
	return variadic(infer, sf_fold_add);
}

bool
sf_rule_mean(struct sf_infer *infer)
{
	return variadic(infer, NULL);
}

/* ---- Where and Clip ---- */

static struct sf_cell
choose(struct sf_cell condition, struct sf_cell x, struct sf_cell y)
{
	if (condition.known)
		return condition.i != 0 ? x : y;
	if (x.known && y.known && x.i == y.i && x.f == y.f)
		return x;
	if (!x.known && !y.known && x.name.n != 0 && sf_str_eq(x.name, y.name))
		return x;
	return (struct sf_cell){ 0 };
}

static bool
combine_where(struct sf_infer *infer, const struct sf_cell *cells, int n,
    sf_fold_two *fold, struct sf_cell *out)
{
	(void)infer;
	(void)n;
	(void)fold;
	*out = choose(cells[0], cells[1], cells[2]);
	return true;
}

bool
sf_rule_where(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[1], *y = infer->inputs[2];
	struct sf_shape shapes[3], out;

	if (!variadic_shape(infer, &out))
		return false;
	sf_infer_set(
	    infer, 0, x->dtype != SF_DT_UNKNOWN ? x->dtype : y->dtype, &out);
	if (x->dtype != y->dtype ||
	    !(sf_value_has_contents(x) || sf_value_has_contents(y)))
		return true;
	for (int k = 0; k < 3; k++)
		sf_infer_shape(infer, k, &shapes[k]);
	return fold_broadcast(infer, shapes, 3, &out, combine_where, NULL);
}

/* A limit of Clip: an input since opset 11, before an attribute of floats. */
static bool
clip_limit(struct sf_infer *infer, int i, struct sf_cell *out)
{
	const char *name = i == 1 ? "min" : "max";
	double limit;

	if (infer->opset >= 11)
		return sf_infer_scalar(infer, i, name, out);
	*out = (struct sf_cell){ 0 };
	if (!sf_infer_attr_float(infer, name, 0, &limit))
		return false;
	if (sf_infer_attr(infer, name) != NULL)
		*out = sf_cell_float(limit);
	return true;
}

bool
sf_rule_clip(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_cell min, max;
	struct sf_cells cells;

	sf_infer_like(infer, 0, in);
	if (!clip_limit(infer, 1, &min) || !clip_limit(infer, 2, &max))
		return false;
	if ((sf_infer_input(infer, 1) != NULL && !min.known) ||
	    (sf_infer_input(infer, 2) != NULL && !max.known) ||
	    !sf_value_has_contents(in) || !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell cell = sf_cell_get(in, i);

		if (min.known)
			sf_fold_max(infer, in->dtype, cell, min, &cell);
		if (max.known)
			sf_fold_min(infer, in->dtype, cell, max, &cell);
		sf_cells_put(&cells, i, cell);
	}
	sf_cells_end(&cells);
	return true;
}
