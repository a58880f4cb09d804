/* What a node of a PyTorch graph calls. */
#include "torch/target.h"

/* What is before the first SEPARATOR; all, and *S is empty, when it has none.
 */
static struct sf_str
part(struct sf_str *s, const char *separator)
{
	const char *at = sf_str_find(*s, separator);
	struct sf_str head = *s;

	if (at == NULL) {
		*s = SF_STR("");
		return head;
	}
	head.n = (size_t)(at - s->p);
	s->p += head.n + strlen(separator);
	s->n -= head.n + strlen(separator);
	return head;
}

static bool
is_name(struct sf_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c == '"' || c == '\\' || c == 0x7f)
			return false;
	}
	return s.n != 0;
}

/* Modules whose functions compute sizes. */
static bool
is_python(struct sf_str text, struct sf_torch_target *target)
{
	static const char *const modules[] = { "_operator.", "operator.",
		"math.", "builtins.", "torch.utils._sympy.functions." };

	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
		struct sf_str op = text;

		if (!sf_str_take(&op, modules[i]))
			continue;
		target->op = op;
		target->ns = (struct sf_str){ text.p, text.n - op.n - 1 };
		return true;
	}
	/* torch.sym_max, torch._sym_sqrt: of torch itself. */
	if (sf_str_starts(text, "torch.sym_") ||
	    sf_str_starts(text, "torch._sym_")) {
		target->ns = part(&text, ".");
		target->op = text;
		return true;
	}
	return false;
}

bool
sf_torch_target_parse(struct sf_str text, struct sf_torch_target *target)
{
	struct sf_str rest = text;
	const char *colon;

	*target = (struct sf_torch_target){ .callee = SF_TORCH_OP };
	if (is_python(text, target)) {
		target->callee = SF_TORCH_PYTHON;
		return is_name(target->op);
	}
	sf_str_take(
	    &rest, "#"); /* "#ns:op" is one that was registered beside */
	sf_str_take(&rest, "torch.ops.");
	colon = sf_str_chr(rest, ':');
	target->ns = part(&rest, colon == NULL ? "." : ":");
	if (colon != NULL)
		sf_str_take(&rest, ":");
	target->op = part(&rest, ".");
	target->overload = rest;
	if (sf_str_is(target->overload, "default"))
		target->overload = SF_STR("");
	if (sf_str_is(target->ns, "higher_order"))
		target->callee = SF_TORCH_HIGHER_ORDER;
	return is_name(target->ns) && is_name(target->op) &&
	    (target->overload.n == 0 || is_name(target->overload));
}

struct sf_str
sf_torch_target_name(
    const struct sf_torch_target *target, struct sf_arena *arena)
{
	return sf_str_of(sf_arena_printf(arena, "%.*s.%.*s",
	    SF_STR_ARG(target->ns), SF_STR_ARG(target->op)));
}
