/* What PyTorch's files call types and operators, against what they are. */
#include <string.h>

#include "check.h"
#include "torch/args.h"
#include "torch/dtype.h"
#include "torch/size.h"
#include "torch/target.h"

/* ---- types ---- */

static void
types_by_number(void)
{
	int exported = 0, c10 = 0;

	for (int64_t n = -2; n < 300; n++) {
		exported += sf_torch_dtype_of_export(n) != SF_DT_UNKNOWN;
		c10 += sf_torch_dtype_of_c10(n) != SF_DT_UNKNOWN;
	}
	CHECK(exported == 21);
	CHECK(c10 == 22);
	CHECK(sf_torch_dtype_of_export(7) == SF_DT_F32);
	CHECK(sf_torch_dtype_of_c10(6) == SF_DT_F32);
	CHECK(sf_torch_dtype_of_export(13) == SF_DT_BF16);
	CHECK(sf_torch_dtype_of_c10(15) == SF_DT_BF16);
	CHECK(sf_torch_dtype_of_export(33) == SF_DT_F8E8M0FNU);
	CHECK(sf_torch_dtype_of_c10(13) == SF_DT_UNKNOWN);
}

/* Every name of every column gives one type, and its bits are those of it. */
static void
types_by_name(void)
{
	static const struct {
		const char *name, *cpp;
		int64_t export, c10;
		enum sf_dtype dtype;
	} rows[] = {
#define SF_TORCH_DTYPE(id, name, export, c10, cpp) \
	{ name, cpp, export, c10, SF_DT_##id },
#include "torch/dtype.def"
#undef SF_TORCH_DTYPE
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		enum sf_dtype dtype = rows[i].dtype;
		const char *name = rows[i].name;

		CHECK_FOR(
		    name, sf_torch_dtype_of_name(sf_str_of(name)) == dtype);
		CHECK_FOR(name,
		    sf_torch_dtype_of_cpp(sf_str_of(rows[i].cpp)) == dtype);
		CHECK_FOR(name, sf_torch_dtype_of_c10(rows[i].c10) == dtype);
		CHECK_FOR(name,
		    rows[i].export < 0 ||
			sf_torch_dtype_of_export(rows[i].export) == dtype);
		CHECK_FOR(name,
		    sf_torch_dtype_of_readable(
			sf_str_of(sf_dtype_name(dtype))) == dtype);
		CHECK_FOR(name, strcmp(sf_torch_dtype_name(dtype), name) == 0);
	}
	CHECK(sf_torch_dtype_of_name(SF_STR("torch.half")) == SF_DT_F16);
	CHECK(sf_torch_dtype_of_name(SF_STR("FLOAT8E5M2")) == SF_DT_F8E5M2);
	CHECK(sf_torch_dtype_of_name(SF_STR("torch.qint8")) == SF_DT_UNKNOWN);
	CHECK(sf_torch_dtype_of_name(SF_STR("")) == SF_DT_UNKNOWN);
	CHECK(sf_torch_dtype_of_cpp(SF_STR("long int")) == SF_DT_I64);
	CHECK(sf_torch_dtype_of_cpp(SF_STR("unsigned long int")) == SF_DT_U64);
	CHECK(sf_torch_dtype_of_cpp(SF_STR(" int")) == SF_DT_UNKNOWN);
	CHECK(sf_torch_dtype_of_readable(SF_STR("u4")) == SF_DT_UNKNOWN);
	CHECK(sf_torch_dtype_of_readable(SF_STR("str")) == SF_DT_UNKNOWN);
	CHECK(sf_torch_dtype_name(SF_DT_STR) == NULL);
}

/* ---- targets ---- */

static void
target_is(const char *text, enum sf_torch_callee callee, const char *name,
    const char *overload)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_torch_target t;

	CHECK_FOR(text, sf_torch_target_parse(sf_str_of(text), &t));
	CHECK_FOR(text, t.callee == callee);
	CHECK_FOR(text, sf_str_is(sf_torch_target_name(&t, arena), name));
	CHECK_FOR(text, sf_str_is(t.overload, overload));
	sf_arena_free(arena);
}

static void
targets(void)
{
	static const char *const none[] = { "", ".", "aten", "aten.", ".add",
		"torch.ops.", "torch.ops.aten", "aten::", "::add",
		"torch.ops.aten.a b", "aten.add.\n", "_operator.", "math.",
		"torch.sym_max\x7f" };
	static const char *const spelt[] = { "torch.ops.aten.add.Tensor",
		"aten.add.Tensor", "aten::add.Tensor" };
	static const char *const plain[] = { "torch.ops.aten.mm.default",
		"aten.mm.default", "aten::mm", "aten.mm", "torch.ops.aten.mm",
		"#aten:mm" };
	struct sf_torch_target t;

	for (size_t i = 0; i < sizeof spelt / sizeof spelt[0]; i++)
		target_is(spelt[i], SF_TORCH_OP, "aten.add", "Tensor");
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		target_is(plain[i], SF_TORCH_OP, "aten.mm", "");
	target_is("torch.ops.mylib.foo.default", SF_TORCH_OP, "mylib.foo", "");
	target_is("torch.ops.higher_order.cond", SF_TORCH_HIGHER_ORDER,
	    "higher_order.cond", "");
	target_is(
	    "_operator.floordiv", SF_TORCH_PYTHON, "_operator.floordiv", "");
	target_is("math.trunc", SF_TORCH_PYTHON, "math.trunc", "");
	target_is("torch.sym_max", SF_TORCH_PYTHON, "torch.sym_max", "");
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		CHECK_FOR(
		    none[i], !sf_torch_target_parse(sf_str_of(none[i]), &t));
}

/* ---- arguments ---- */

static void
arguments(void)
{
	CHECK(sf_str_is(
	    sf_torch_optional_tensors(SF_STR("layer_norm")), "weight bias"));
	CHECK(
	    sf_str_is(sf_torch_optional_tensors(SF_STR("clamp_")), "min max"));
	CHECK(sf_torch_optional_tensors(SF_STR("linear")).n == 0);
	CHECK(sf_torch_optional_tensors(SF_STR("_")).n == 0);
	CHECK(sf_torch_is_number(SF_STR("scale")));
	CHECK(!sf_torch_is_number(SF_STR("bias")));
}

/* ---- sizes ---- */

/* s0 is 7, s1 is -3, big is 2^62; others are not known. */
static bool
lookup(void *context, struct sf_str name, int64_t *value)
{
	(void)context;
	*value = sf_str_is(name, "s0") ? 7
	    : sf_str_is(name, "s1")    ? -3
				       : INT64_C(1) << 62;
	return sf_str_is(name, "s0") || sf_str_is(name, "s1") ||
	    sf_str_is(name, "big");
}

static bool
value_of(const char *text, struct sf_size_value *v, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_size *size = sf_size_parse(sf_str_of(text), arena, error);
	bool good;

	CHECK_FOR(text, size != NULL);
	good = sf_size_eval(size, lookup, NULL, v, error);
	sf_arena_free(arena);
	return good;
}

static void
size_is(const char *text, int64_t want)
{
	struct sf_size_value v;
	struct sf_error error;

	CHECK_FOR(text, value_of(text, &v, &error));
	CHECK_FOR(text, v.is != SF_SIZE_IS_OPEN && v.is != SF_SIZE_IS_REAL);
	CHECK_FOR(text, v.num == want && v.den == 1);
}

static void
size_fails(const char *text, const char *why)
{
	struct sf_size_value v;
	struct sf_error error;

	CHECK_FOR(text, !value_of(text, &v, &error));
	CHECK_FOR(error.text, strstr(error.text, why) != NULL);
}

static void
size_is_none(const char *text)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_error error = { "" };

	CHECK_FOR(text, sf_size_parse(sf_str_of(text), arena, &error) == NULL);
	CHECK_FOR(text, error.text[0] != '\0');
	sf_arena_free(arena);
}

static void
size_prints(const char *text, const char *want)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_error error;
	struct sf_buf buf = { 0 };
	struct sf_size *size = sf_size_parse(sf_str_of(text), arena, &error);

	CHECK_FOR(text, size != NULL);
	sf_size_print(size, &buf);
	sf_buf_putc(&buf, '\0');
	CHECK_FOR(buf.p, strcmp(buf.p, want) == 0);
	sf_buf_release(&buf);
	sf_arena_free(arena);
}

/* Each of sympy's two forms, against what Python gives. */
static void
sizes(void)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		{ "5", 5 },
		{ "s0", 7 },
		{ "Symbol('s0', positive=True, integer=True)", 7 },
		{ "Mul(Integer(3), Symbol('s0', integer=True), Symbol(\"s1\"))",
		    -63 },
		{ "Add(Symbol('s0'), Integer(-1))", 6 },
		{ "2*s0 + 1", 15 },
		{ "-s0 + 1", -6 },
		{ "s0 - s1 - 1", 9 },
		{ "(s0//2)", 3 },
		{ "(s1//2)", -2 },
		{ "(((-s0)//3)) + 5", 2 },
		{ "FloorDiv(Symbol('s1'), Integer(2))", -2 },
		{ "CeilDiv(s0, 2)", 4 },
		{ "Mod(s1, 5)", 2 },
		{ "PythonMod(s0, -4)", -1 },
		{ "s0 % 4", 3 },
		{ "ModularIndexing(s0, 2, 2)", 1 },
		{ "s0**2", 49 },
		{ "-2**2", -4 },
		{ "2**3**2", 512 },
		{ "Pow(Symbol('s0'), Integer(2))", 49 },
		{ "PowByNatural(s1, 3)", -27 },
		{ "Mul(Rational(1, 2), Add(Symbol('s0'), Integer(1)))", 4 },
		{ "s0/2 + 1/2", 4 },
		{ "Max(1, s0, s1)", 7 },
		{ "Min(1, s0, s1)", -3 },
		{ "CeilToInt(IntTrueDiv(s0, 2))", 4 },
		{ "TruncToInt(IntTrueDiv(s1, 2))", -1 },
		{ "FloorToInt(FloatTrueDiv(ToFloat(s1), 2.0))", -2 },
		{ "FloorToInt(Mul(Float('0.5', precision=53), s0))", 3 },
		{ "RoundToInt(2.5)", 2 },
		{ "RoundToInt(3.5)", 4 },
		{ "floor(s0/2)", 3 },
		{ "ceiling(s1/2)", -1 },
		{ "LShift(s0, 2)", 28 },
		{ "s0 >> 1", 3 },
		{ "Abs(s1)", 3 },
		{ "Where(s0 > 3, 1, 0)", 1 },
		{ "Where(Eq(s0, 3), x, s1)", -3 },
		{ "torch.utils._sympy.functions.FloorDiv(s0, 2)", 3 },
		{ "StrictGreaterThan(Symbol('s0'), Integer(2))", 1 },
		{ "GreaterThan(s0, 7)", 1 },
		{ "LessThan(s0, 6)", 0 },
		{ "(s0 > 2) & (s0 < 7)", 0 },
		{ "(s0 == 7) | (s0 != 7)", 1 },
		{ "And(true, Not(False), ~(s0 < 0))", 1 },
		{ "Add()", 0 },
		{ "big - 1 + big", INT64_MAX },
		{ "big/4*2", INT64_C(1) << 61 },
		{ "9223372036854775807", INT64_MAX },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		size_is(rows[i].text, rows[i].want);
}

static void
sizes_that_are_not(void)
{
	static const char *const none[] = { "", " ", "s0 +", "s0 s1", "(s0",
		"s0)", "Max(", "Max(s0", "Mod(s0)", "Symbol('s0", "1..2",
		"9223372036854775808", "*", "s0,", "FloorDiv(1, 2, 3)", "1x" };
	struct sf_size_value v;
	struct sf_error error;
	char deep[5000];

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		size_is_none(none[i]);
	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	size_is_none(deep);
	memset(deep, '-', sizeof deep - 1);
	size_is_none(deep);
	size_fails("big*big", "2^63 - 1");
	size_fails("2**big", "2^63 - 1");
	size_fails("big + big", "2^63 - 1");
	size_fails("s0//(s0 - 7)", "zero");
	size_fails("Mod(s0, 0)", "zero");
	size_fails("IntTrueDiv(s0, 0)", "zero");
	size_fails("FloatPow(10, 400)", "finite");
	size_fails("s0 << -1", "bits");
	CHECK(value_of("u0 + 1", &v, &error) && v.is == SF_SIZE_IS_OPEN);
	CHECK(value_of("Riddle(s0)", &v, &error) && v.is == SF_SIZE_IS_OPEN);
	CHECK(value_of("IntTrueDiv(s0, 2)", &v, &error) &&
	    v.is == SF_SIZE_IS_REAL && v.real == 3.5);
}

static void
sizes_printed(void)
{
	size_prints("Symbol('u0', integer=True)", "u0");
	size_prints("Add(Symbol('u0', integer=True), Integer(1))", "u0 + 1");
	size_prints(
	    "Mul(Integer(2), Add(Symbol('u0'), Integer(1)))", "2*(u0 + 1)");
	size_prints(
	    "FloorDiv(Mul(Integer(2), Symbol('u0')), Integer(3))", "2*u0//3");
	size_prints(
	    "Mul(Integer(2), FloorDiv(Symbol('u0'), Integer(3)))", "2*(u0//3)");
	size_prints("Max(Integer(1), Symbol('u0'))", "Max(1, u0)");
	size_prints("Riddle(Symbol('u0'), true)", "Riddle(u0, True)");
	size_prints("GreaterThan(Symbol('u0'), Integer(3))", "u0 >= 3");
	size_prints("~(u0 < 0.5)", "Not(u0 < 0.5)");
}

int
main(void)
{
	arguments();
	sizes();
	sizes_that_are_not();
	sizes_printed();
	types_by_number();
	types_by_name();
	targets();
	return 0;
}
