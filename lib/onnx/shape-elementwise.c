/* Operators that work element by element, and what they make of contents. */
#include "onnx/rules.h"

#include <math.h>

#include "base/num.h"
#include "onnx/shape.h"

/* What an operator makes of elements of type DTYPE; false: not valid. */
typedef bool fold_unary(struct sf_infer *infer, enum sf_dtype dtype,
    struct sf_cell a, struct sf_cell *out);
typedef bool fold_binary(struct sf_infer *infer, enum sf_dtype dtype,
    struct sf_cell a, struct sf_cell b, struct sf_cell *out);

static bool
overflow(struct sf_infer *infer)
{
	return sf_fail(
	    infer->error, "a constant result passes the range of its type");
}

/*
 * An integer result: in the types that shapes are computed in, one that does
 * not fit is an error; the others wrap around in practice and are not followed.
 */
static bool
int_result(struct sf_infer *infer, enum sf_dtype dtype, bool exact, int64_t x,
    struct sf_cell *out)
{
	bool fits = exact && sf_dtype_holds(dtype, x);

	if (!fits && (dtype == SF_DT_I64 || dtype == SF_DT_I32))
		return overflow(infer);
	*out = fits ? sf_cell_int(x) : (struct sf_cell){ 0 };
	return true;
}

/* ---- one input ---- */

static bool
unary(struct sf_infer *infer, enum sf_dtype out_dtype, fold_unary *fold)
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
			return int_result(                                   \
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

/* ---- casts ---- */

static struct sf_cell
cast(struct sf_cell a, enum sf_dtype from, enum sf_dtype to)
{
	bool from_ints = sf_dtype_in_ints(from);
	struct sf_cell none = { 0 };

	if (!a.known)
		return to == SF_DT_B8 ? none : a;
	if (to == SF_DT_B8)
		return sf_cell_int(from_ints ? a.i != 0 : a.f != 0);
	if (sf_dtype_in_floats(to))
		return sf_cell_float(from_ints ? (double)a.i : a.f);
	if (from_ints)
		return a;
	/* Outside the range of the type the result is not defined. */
	if (!(a.f > -0x1p63 && a.f < 0x1p63))
		return none;
	return sf_cell_int((int64_t)a.f);
}

static void
cast_to(struct sf_infer *infer, enum sf_dtype to)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_cells cells;

	sf_infer_like(infer, 0, in);
	infer->outputs[0].dtype = to;
	if (!sf_value_has_contents(in) || !sf_cells_begin(&cells, infer, 0))
		return;
	for (int64_t i = 0; i < cells.n; i++)
		sf_cells_put(
		    &cells, i, cast(sf_cell_get(in, i), in->dtype, to));
	sf_cells_end(&cells);
}

/* Before opset 6 the type is given by its name in onnx.proto. */
static enum sf_dtype
dtype_of_name(struct sf_str name)
{
	static const char *const names[] = { "", "FLOAT", "UINT8", "INT8",
		"UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL",
		"FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64",
		"COMPLEX128", "BFLOAT16" };

	for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
		if (sf_str_is(name, names[i]))
			return sf_onnx_dtype((int64_t)i);
	return SF_DT_UNKNOWN;
}

bool
sf_rule_cast(struct sf_infer *infer)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, "to");
	enum sf_dtype to;

	if (attr == NULL)
		return sf_fail(infer->error, "attribute 'to' is missing");
	if (attr->type == SF_ONNX_ATTR_STRING) {
		to = dtype_of_name(attr->s);
		if (to == SF_DT_UNKNOWN)
			return sf_fail(infer->error,
			    "attribute 'to' is '%.*s', expected an element "
			    "type",
			    SF_STR_ARG(attr->s));
	} else if (!sf_infer_attr_dtype(infer, "to", SF_DT_UNKNOWN, &to)) {
		return false;
	}
	cast_to(infer, to);
	return true;
}

bool
sf_rule_cast_like(struct sf_infer *infer)
{
	cast_to(infer, infer->inputs[1]->dtype);
	return true;
}

bool
sf_rule_bit_cast(struct sf_infer *infer)
{
	enum sf_dtype from = infer->inputs[0]->dtype, to;

	if (!sf_infer_attr_dtype(infer, "to", SF_DT_UNKNOWN, &to))
		return false;
	if (to == SF_DT_UNKNOWN)
		return sf_fail(infer->error, "attribute 'to' is missing");
	if (from != SF_DT_UNKNOWN && sf_dtype_bits(from) != sf_dtype_bits(to))
		return sf_fail(infer->error,
		    "attribute 'to' is a type of %d bits, expected %d",
		    sf_dtype_bits(to), sf_dtype_bits(from));
	return unary(infer, to, NULL);
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

static bool
fold_two(struct sf_infer *infer, const struct sf_shape *b_shape,
    const struct sf_shape *shape, fold_binary *fold)
{
	const struct sf_value *a = infer->inputs[0], *b = infer->inputs[1];
	int64_t index[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_shape a_shape;
	struct sf_cells cells;

	sf_infer_shape(infer, 0, &a_shape);
	if (!(sf_value_has_contents(a) || sf_value_has_contents(b)) ||
	    !all_known(&a_shape) || !all_known(b_shape) ||
	    a->dtype != b->dtype || !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell out = { 0 };
		struct sf_cell x =
		    sf_cell_get(a, broadcast_at(&a_shape, index, shape->rank));
		struct sf_cell y =
		    sf_cell_get(b, broadcast_at(b_shape, index, shape->rank));

		if (!fold(infer, a->dtype, x, y, &out))
			return false;
		sf_cells_put(&cells, i, out);
		sf_index_next(shape, index);
	}
	sf_cells_end(&cells);
	return true;
}

static bool
binary(struct sf_infer *infer, enum sf_dtype dtype, fold_binary *fold)
{
	struct sf_shape b, out;

	if (!binary_shape(infer, &b, &out))
		return false;
	if (dtype == SF_DT_UNKNOWN)
		dtype = infer->inputs[0]->dtype;
	if (dtype == SF_DT_UNKNOWN)
		dtype = infer->inputs[1]->dtype;
	sf_infer_set(infer, 0, dtype, &out);
	return fold == NULL || fold_two(infer, &b, &out, fold);
}

bool
sf_rule_binary(struct sf_infer *infer)
{
	return binary(infer, SF_DT_UNKNOWN, NULL);
}

/* A size that is only renamed by the operation stays known by its name. */
static bool
is_number(struct sf_cell a, enum sf_dtype dtype, int number)
{
	return a.known &&
	    (sf_dtype_in_ints(dtype) ? a.i == number : a.f == number);
}

static bool
fold_add(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t sum = 0;
	bool exact;

	if (!a.known || !b.known) {
		if (is_number(a, dtype, 0))
			*out = b;
		else if (is_number(b, dtype, 0))
			*out = a;
		return true;
	}
	exact = sf_add(a.i, b.i, &sum);
	if (sf_dtype_in_ints(dtype))
		return int_result(infer, dtype, exact, sum, out);
	*out = sf_cell_float(a.f + b.f);
	return true;
}

static bool
fold_sub(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t difference = 0;
	bool exact;

	if (!a.known || !b.known) {
		if (is_number(b, dtype, 0))
			*out = a;
		return true;
	}
	exact = sf_sub(a.i, b.i, &difference);
	if (sf_dtype_in_ints(dtype))
		return int_result(infer, dtype, exact, difference, out);
	*out = sf_cell_float(a.f - b.f);
	return true;
}

static bool
fold_mul(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t product = 0;
	bool exact;

	if (!a.known || !b.known) {
		if (is_number(a, dtype, 1))
			*out = b;
		else if (is_number(b, dtype, 1))
			*out = a;
		return true;
	}
	exact = sf_mul(a.i, b.i, &product);
	if (sf_dtype_in_ints(dtype))
		return int_result(infer, dtype, exact, product, out);
	*out = sf_cell_float(a.f * b.f);
	return true;
}

/* Integers: towards zero. */
static bool
fold_div(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	if (b.known && sf_dtype_in_ints(dtype) && b.i == 0)
		return sf_fail(
		    infer->error, "a constant integer is divided by zero");
	if (!a.known || !b.known) {
		if (is_number(b, dtype, 1))
			*out = a;
		return true;
	}
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(a.f / b.f);
		return true;
	}
	if (a.i == INT64_MIN && b.i == -1)
		return overflow(infer);
	return int_result(infer, dtype, true, a.i / b.i, out);
}

/* The remainder has the sign of the divisor, or with fmod of the dividend. */
static bool
fold_mod(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t fmod_wanted, rest;

	if (!sf_infer_attr_int(infer, "fmod", 0, &fmod_wanted))
		return false;
	if (b.known && sf_dtype_in_ints(dtype) && b.i == 0)
		return sf_fail(infer->error,
		    "the remainder of a constant integer divided by zero");
	if (!a.known || !b.known)
		return true;
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(fmod(a.f, b.f));
		return true;
	}
	rest = b.i == -1 ? 0 : a.i % b.i;
	if (!fmod_wanted && rest != 0 && (rest < 0) != (b.i < 0))
		rest += b.i;
	*out = sf_cell_int(rest);
	return true;
}

static bool
int_power(int64_t base, int64_t exponent, int64_t *out)
{
	*out = 1;
	while (exponent > 0) {
		if (exponent % 2 != 0 && !sf_mul(*out, base, out))
			return false;
		exponent /= 2;
		if (exponent > 0 && !sf_mul(base, base, &base))
			return false;
	}
	return true;
}

static bool
fold_pow(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	int64_t power = 0;
	bool exact;

	if (!a.known || !b.known)
		return true;
	if (!sf_dtype_in_ints(dtype)) {
		*out = sf_cell_float(pow(a.f, b.f));
		return true;
	}
	if (b.i < 0)
		return true;
	/* The base of 1 and of -1 is squared for as long as it takes. */
	exact = int_power(a.i, b.i, &power);
	return int_result(infer, dtype, exact, power, out);
}

static bool
fold_min(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	(void)infer;
	if (!a.known || !b.known)
		return true;
	if (sf_dtype_in_ints(dtype))
		*out = sf_cell_int(a.i < b.i ? a.i : b.i);
	else
		*out = sf_cell_float(isnan(a.f) || a.f < b.f ? a.f : b.f);
	return true;
}

static bool
fold_max(struct sf_infer *infer, enum sf_dtype dtype, struct sf_cell a,
    struct sf_cell b, struct sf_cell *out)
{
	(void)infer;
	if (!a.known || !b.known)
		return true;
	if (sf_dtype_in_ints(dtype))
		*out = sf_cell_int(a.i > b.i ? a.i : b.i);
	else
		*out = sf_cell_float(isnan(a.f) || a.f > b.f ? a.f : b.f);
	return true;
}

#define BINARY(name, type)                               \
	bool sf_rule_##name(struct sf_infer *infer)      \
	{                                                \
		return binary(infer, type, fold_##name); \
	}

BINARY(add, SF_DT_UNKNOWN)
BINARY(sub, SF_DT_UNKNOWN)
BINARY(mul, SF_DT_UNKNOWN)
BINARY(div, SF_DT_UNKNOWN)
BINARY(mod, SF_DT_UNKNOWN)
BINARY(pow, SF_DT_UNKNOWN)

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
	BINARY(name, SF_DT_B8)

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

/* Inputs 0 to N - 1 at INDEX, put together. */
static bool
fold_inputs(struct sf_infer *infer, const struct sf_shape *shapes,
    const int64_t *index, int rank, fold_binary *fold, struct sf_cell *out)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;

	for (int k = 0; k < infer->ninputs; k++) {
		struct sf_cell next = sf_cell_get(
		    infer->inputs[k], broadcast_at(&shapes[k], index, rank));
		struct sf_cell sofar = *out;

		*out = (struct sf_cell){ 0 };
		if (k == 0)
			*out = next;
		else if (!fold(infer, dtype, sofar, next, out))
			return false;
	}
	return true;
}

enum {
	MAX_FOLDED_INPUTS = 16
};

static bool
variadic(struct sf_infer *infer, fold_binary *fold)
{
	struct sf_shape out;
	struct sf_shape *shapes;
	int64_t index[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_cells cells;

	if (!variadic_shape(infer, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	if (fold == NULL || infer->ninputs > MAX_FOLDED_INPUTS)
		return true;
	shapes = sf_arena_calloc(
	    infer->arena, (size_t)infer->ninputs, sizeof *shapes);
	for (int k = 0; k < infer->ninputs; k++) {
		sf_infer_shape(infer, k, &shapes[k]);
		if (infer->inputs[k] == NULL || !all_known(&shapes[k]) ||
		    infer->inputs[k]->dtype != infer->inputs[0]->dtype ||
		    !sf_value_has_contents(infer->inputs[k]))
			return true;
	}
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell cell = { 0 };

		if (!fold_inputs(infer, shapes, index, out.rank, fold, &cell))
			return false;
		sf_cells_put(&cells, i, cell);
		sf_index_next(&out, index);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_min(struct sf_infer *infer)
{
	return variadic(infer, fold_min);
}

bool
sf_rule_max(struct sf_infer *infer)
{
	return variadic(infer, fold_max);
}

bool
sf_rule_sum(struct sf_infer *infer)
{
	return variadic(infer, fold_add);
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

bool
sf_rule_where(struct sf_infer *infer)
{
	struct sf_shape shapes[3], out;
	int64_t index[SF_VALUE_MAX_RANK] = { 0 };
	struct sf_cells cells;

	if (!variadic_shape(infer, &out))
		return false;
	sf_infer_set(infer, 0,
	    infer->inputs[1]->dtype != SF_DT_UNKNOWN ? infer->inputs[1]->dtype
						     : infer->inputs[2]->dtype,
	    &out);
	for (int k = 0; k < 3; k++) {
		sf_infer_shape(infer, k, &shapes[k]);
		if (!all_known(&shapes[k]))
			return true;
	}
	if (infer->inputs[1]->dtype != infer->inputs[2]->dtype ||
	    !(sf_value_has_contents(infer->inputs[1]) ||
		sf_value_has_contents(infer->inputs[2])) ||
	    !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < cells.n; i++) {
		struct sf_cell c[3];

		for (int k = 0; k < 3; k++)
			c[k] = sf_cell_get(infer->inputs[k],
			    broadcast_at(&shapes[k], index, out.rank));
		sf_cells_put(&cells, i, choose(c[0], c[1], c[2]));
		sf_index_next(&out, index);
	}
	sf_cells_end(&cells);
	return true;
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
			fold_max(infer, in->dtype, cell, min, &cell);
		if (max.known)
			fold_min(infer, in->dtype, cell, max, &cell);
		sf_cells_put(&cells, i, cell);
	}
	sf_cells_end(&cells);
	return true;
}
