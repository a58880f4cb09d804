/* Names of operators, from those in a graph. */
#include "compile/fx-callee.h"

static const struct {
	const char *names, *op, *order, *parameters;
} callees[] = {
#define SF_FX_CALLEE(names, op, order, parameters) \
	{ names, op, order, parameters },
#include "compile/fx-callee.def"
#undef SF_FX_CALLEE
};

static const struct {
	const char *ops, *arguments;
} arguments[] = {
#define SF_FX_ARGUMENTS(ops, arguments) { ops, arguments },
#include "compile/fx-argument.def"
#undef SF_FX_ARGUMENTS
};

struct sf_str
sf_fx_word_at(struct sf_str list, int place)
{
	struct sf_str word = SF_STR("");

	for (int i = 0; i <= place; i++) {
		if (list.n == 0)
			return SF_STR("");
		word = sf_str_cut(&list, ' ');
	}
	return word;
}

int
sf_fx_place_of(struct sf_str list, struct sf_str word)
{
	for (int place = 0; list.n != 0; place++)
		if (sf_str_eq(sf_str_cut(&list, ' '), word))
			return place;
	return -1;
}

struct sf_str
sf_fx_argument_name(struct sf_str op, int place)
{
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
		if (sf_fx_place_of(sf_str_of(arguments[i].ops), op) >= 0)
			return sf_fx_word_at(
			    sf_str_of(arguments[i].arguments), place);
	return SF_STR("");
}

/* Modules of torch's whose functions are ATen's of that name... */
static const char *const plain[] = { "nn.functional.", "_C._nn.", "_C._linalg.",
	"_C._fft.", "_C._special.", "_C._VariableFunctions.", "_VF.", "Tensor.",
	"_C.TensorBase.", "_C._TensorBase." };

/* ...and those of which it has the module's name, too. */
static const char *const named[] = { "linalg.", "fft.", "special.", "sparse.",
	"nested." };

/* The operator that a function, without "torch.", has by its name. */
static struct sf_str
op_of(struct sf_str function, struct sf_arena *arena)
{
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (sf_str_take(&function, plain[i]))
			return function;
	for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
		if (sf_str_take(&function, named[i]))
			return sf_str_of(sf_arena_printf(arena, "%.*s_%.*s",
			    (int)strlen(named[i]) - 1, named[i],
			    SF_STR_ARG(function)));
	return function;
}

/* True when ATen has OP, or nearly so: there is a rule for it. */
static bool
is_aten(struct sf_fx_callee *callee, struct sf_str op,
    struct sf_rulebook *rules, struct sf_arena *arena)
{
	struct sf_str name =
	    sf_str_of(sf_arena_printf(arena, "aten.%.*s", SF_STR_ARG(op)));

	if (op.n == 0 || sf_str_chr(op, '.') != NULL ||
	    sf_rulebook_find(rules, name) == NULL)
		return false;
	callee->name = name;
	callee->op = op;
	return true;
}

static struct sf_fx_callee
python(struct sf_str text, struct sf_rulebook *rules, struct sf_arena *arena)
{
	struct sf_fx_callee callee = {
		.kind = SF_TORCH_OP, .python = true, .name = text, .op = text
	};
	struct sf_str function = text, bare;

	sf_str_take(&function, "torch.");
	bare = function;
	sf_str_take(&bare, "Tensor.");
	for (size_t i = 0; i < sizeof callees / sizeof callees[0]; i++) {
		if (sf_fx_place_of(sf_str_of(callees[i].names), bare) < 0)
			continue;
		callee.order = sf_str_of(callees[i].order);
		callee.parameters = sf_str_of(callees[i].parameters);
		is_aten(&callee, sf_str_of(callees[i].op), rules, arena);
		return callee;
	}
	is_aten(&callee, op_of(function, arena), rules, arena);
	return callee;
}

struct sf_fx_callee
sf_fx_callee_of(
    struct sf_str text, struct sf_rulebook *rules, struct sf_arena *arena)
{
	struct sf_torch_target target;
	struct sf_fx_callee callee;

	if (!sf_str_starts(text, "torch.ops.") ||
	    !sf_torch_target_parse(text, &target)) {
		callee = python(text, rules, arena);
		if (sf_torch_target_parse(text, &target) &&
		    target.callee == SF_TORCH_PYTHON)
			callee.kind = SF_TORCH_PYTHON;
		return callee;
	}
	return (struct sf_fx_callee){ .kind = target.callee,
		.name = sf_torch_target_name(&target, arena),
		.op = target.op,
		.overload = target.overload };
}
