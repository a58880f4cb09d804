/* What PyTorch's files call types and operators, against what they are. */
#include <string.h>

#include "check.h"
#include "torch/dtype.h"
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

int
main(void)
{
	types_by_number();
	types_by_name();
	targets();
	return 0;
}
