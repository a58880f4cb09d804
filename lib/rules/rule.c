/* One rule: reading its text, and counting with it. */
#include "rules/rule.h"

#include <string.h>

#include "base/num.h"

enum {
	MAX_ROLES = 32,
	MAX_OUTS = 33, /* of outputs by their number, and of all others */
};

static const char *const field_names[SF_FIELD_COUNT] = {
#define SF_FIELD(id, name) [SF_FIELD_##id] = name,
#include "rules/field.def"
#undef SF_FIELD
};

static const char *const defaults[SF_CAT_COUNT][SF_FIELD_COUNT] = {
#define SF_DEFAULT(category, flops, read, written, weight) \
	[SF_CAT_##category] = { flops, read, written, weight, "0" },
#include "rules/default.def"
#undef SF_DEFAULT
};

/* ---- roles ---- */

static bool
parse_role(struct sf_role *role, struct sf_str text, struct sf_error *error)
{
	char mark = text.n != 0 ? text.p[text.n - 1] : '\0';

	role->optional = mark == '?';
	role->rest = mark == '*';
	role->name = text;
	if (role->optional || role->rest)
		role->name.n--;
	if (sf_expr_name_valid(role->name))
		return true;
	return sf_fail(error,
	    "found '%.*s', expected a name for an input that means nothing yet",
	    SF_STR_ARG(text));
}

static bool
fits_behind(const struct sf_role *v, int n, struct sf_error *error)
{
	for (int i = 0; i < n; i++)
		if (sf_str_eq(v[i].name, v[n].name))
			return sf_fail(error, "two inputs are called '%.*s'",
			    SF_STR_ARG(v[n].name));
	if (n > 0 && v[n - 1].rest)
		return sf_fail(error,
		    "'%.*s*' takes all inputs that follow, "
		    "expected no '%.*s' behind it",
		    SF_STR_ARG(v[n - 1].name), SF_STR_ARG(v[n].name));
	return true;
}

static bool
parse_roles(struct sf_rule *rule, struct sf_str text, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_role *v = sf_arena_calloc(arena, MAX_ROLES, sizeof *v);
	int n = 0;

	rule->roles_text = sf_str_trim(text);
	for (text = rule->roles_text; text.n != 0; n++) {
		if (n == MAX_ROLES)
			return sf_fail(
			    error, "found more than %d inputs", MAX_ROLES);
		if (!parse_role(&v[n], sf_str_cut(&text, ','), error) ||
		    !fits_behind(v, n, error))
			return false;
		if (!v[n].optional && !v[n].rest)
			rule->required = n + 1;
	}
	rule->roles = (struct sf_roles){ v, n };
	return true;
}

/* ---- fields ---- */

/* Where CALL stands in TEXT, NULL when it does not. */
static const char *
find_call(struct sf_str text, const char *call)
{
	return sf_str_find(text, call);
}

static enum sf_field
field_of(struct sf_str name)
{
	enum sf_field f = 0;

	while (f < SF_FIELD_COUNT && !sf_str_is(name, field_names[f]))
		f++;
	return f;
}

/* A field that is no formula: products or a window. True when it was one. */
static bool
parse_list(struct sf_rule *rule, struct sf_str name, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error, bool *good)
{
	if (sf_str_is(name, "gemm") && rule->gemm == NULL)
		*good = (rule->gemm = sf_gemm_rule_parse(
			     text, rule->roles, arena, error)) != NULL;
	else if (sf_str_is(name, "window") && rule->window == NULL)
		*good = (rule->window = sf_window_rule_parse(
			     text, rule->roles, arena, error)) != NULL;
	else if (sf_str_is(name, "gemm") || sf_str_is(name, "window"))
		*good =
		    sf_fail(error, "'%.*s' is there twice", SF_STR_ARG(name));
	else
		return false;
	return true;
}

/* "out", "out1" or "outputs". */
static bool
is_out(struct sf_str name, int *output)
{
	*output = sf_str_is(name, "out") ? 0 : sf_expr_numbered(name, "out");
	return *output >= 0 || sf_str_is(name, "outputs");
}

static bool
parse_out(struct sf_rule *rule, struct sf_str name, int output,
    struct sf_str text, struct sf_arena *arena, struct sf_error *error)
{
	struct sf_out_rule *outs = rule->nouts == 0
	    ? sf_arena_calloc(arena, MAX_OUTS, sizeof *outs)
	    : (struct sf_out_rule *)rule->outs;

	for (int i = 0; i < rule->nouts; i++)
		if (outs[i].output == output)
			return sf_fail(
			    error, "'%.*s' is there twice", SF_STR_ARG(name));
	if (rule->nouts == MAX_OUTS)
		return sf_fail(error, "found more than %d outputs", MAX_OUTS);
	rule->outs = outs;
	outs[rule->nouts].output = output;
	outs[rule->nouts].shape =
	    sf_shape_rule_parse(text, rule->roles, arena, error);
	return outs[rule->nouts++].shape != NULL;
}

static bool
parse_field(struct sf_rule *rule, struct sf_str text, struct sf_arena *arena,
    struct sf_error *error)
{
	bool equals = sf_str_chr(text, '=') != NULL, good;
	struct sf_str name = sf_str_cut(&text, '=');
	enum sf_field f = field_of(name);
	int output;

	text = sf_str_trim(text);
	if (equals && is_out(name, &output))
		return parse_out(rule, name, output, text, arena, error);
	if (equals && parse_list(rule, name, text, arena, error, &good))
		return good;
	if (f == SF_FIELD_COUNT || !equals)
		return sf_fail(error,
		    "found '%.*s', expected gemm =, window =, flops =, "
		    "read =, written =, weight =, masked =, out = or "
		    "outputs =",
		    SF_STR_ARG(name));
	if (rule->fields[f] != NULL)
		return sf_fail(
		    error, "'%.*s' is there twice", SF_STR_ARG(name));
	rule->fields[f] = sf_expr_parse(text, rule->roles, arena, error);
	return rule->fields[f] != NULL;
}

/* Products are what the array multiplies, which other categories do not. */
static bool
check_category(const struct sf_rule *rule, struct sf_error *error)
{
	if (rule->gemm == NULL || sf_category_multiplies(rule->category))
		return true;
	return sf_fail(error,
	    "a rule of category %s has gemm =, expected that of matmul or "
	    "attention only",
	    sf_category_name(rule->category));
}

/* Whether what a formula asks for is stated. */
static bool
check_stated(const struct sf_rule *rule, struct sf_error *error)
{
	for (enum sf_field f = 0; f < SF_FIELD_COUNT; f++) {
		struct sf_str text = rule->fields[f]->text;

		if (rule->gemm == NULL && find_call(text, "macs()") != NULL)
			return sf_fail(error,
			    "'%.*s' asks for macs(), expected gemm = too",
			    SF_STR_ARG(text));
		if (rule->window == NULL && find_call(text, "taps()") != NULL)
			return sf_fail(error,
			    "'%.*s' asks for taps(), expected window = too",
			    SF_STR_ARG(text));
	}
	return true;
}

static bool
add_defaults(
    struct sf_rule *rule, struct sf_arena *arena, struct sf_error *error)
{
	static const struct sf_roles none = { NULL, 0 };

	for (enum sf_field f = 0; f < SF_FIELD_COUNT; f++) {
		const char *text = defaults[rule->category][f];

		if (rule->fields[f] != NULL)
			continue;
		if (text == NULL ||
		    (rule->gemm == NULL && strstr(text, "macs()") != NULL))
			return sf_fail(error,
			    "a rule of category %s needs %sflops = FORMULA",
			    sf_category_name(rule->category),
			    text != NULL ? "gemm = BATCH, M, K, N or " : "");
		rule->fields[f] =
		    sf_expr_parse(sf_str_of(text), none, arena, error);
		if (rule->fields[f] == NULL)
			return false;
	}
	return true;
}

struct sf_rule *
sf_rule_new(enum sf_category category, struct sf_str roles,
    struct sf_str fields, struct sf_arena *arena, struct sf_error *error)
{
	struct sf_rule *rule = sf_arena_calloc(arena, 1, sizeof *rule);

	rule->category = category;
	rule->aliases = category == SF_CAT_VIEW;
	if (!parse_roles(rule, roles, arena, error))
		return NULL;
	for (fields = sf_str_trim(fields); fields.n != 0;)
		if (!parse_field(rule, sf_str_cut(&fields, ';'), arena, error))
			return NULL;
	if (!check_category(rule, error) || !add_defaults(rule, arena, error) ||
	    !check_stated(rule, error))
		return NULL;
	rule->constant = rule->gemm == NULL && rule->window == NULL;
	for (enum sf_field f = 0; f < SF_FIELD_COUNT; f++) {
		struct sf_eval nothing = { .op = NULL };

		rule->fixed[f] = -1;
		if (!sf_expr_constant(rule->fields[f]))
			rule->constant = false;
		else
			sf_expr_eval(
			    rule->fields[f], &nothing, &rule->fixed[f]);
	}
	return rule;
}

struct sf_str
sf_rule_formula(const struct sf_rule *rule, struct sf_arena *arena)
{
	static const char call[] = "macs()";
	struct sf_str text = rule->fields[SF_FIELD_FLOPS]->formula, rest = text;
	struct sf_str macs, kept;
	struct sf_buf out = { 0 };
	const char *at;

	if (rule->gemm == NULL)
		return text;
	macs = sf_gemm_rule_macs(rule->gemm);
	while ((at = find_call(rest, call)) != NULL) {
		sf_buf_put(&out, rest.p, (size_t)(at - rest.p));
		sf_buf_put(&out, macs.p, macs.n);
		at += strlen(call);
		rest.n -= (size_t)(at - rest.p);
		rest.p = at;
	}
	sf_buf_put(&out, rest.p, rest.n);
	kept = (struct sf_str){ sf_arena_strndup(arena, out.p, out.n), out.n };
	sf_buf_release(&out);
	return kept;
}

const struct sf_shape_rule *
sf_rule_out(const struct sf_rule *rule, int i)
{
	const struct sf_shape_rule *others = NULL;

	for (int k = 0; k < rule->nouts; k++) {
		if (rule->outs[k].output == i)
			return rule->outs[k].shape;
		if (rule->outs[k].output < 0)
			others = rule->outs[k].shape;
	}
	return others;
}

/* ---- counting ---- */

bool
sf_rule_check_inputs(const struct sf_rule *rule, struct sf_eval *e)
{
	for (int i = 0; i < rule->required; i++) {
		const struct sf_role *role = &rule->roles.v[i];

		if (role->optional ||
		    (i < e->op->ninputs && !e->op->inputs[i].absent))
			continue;
		return sf_fail(e->error,
		    "input %d (%.*s) is missing, expected inputs: %.*s", i + 1,
		    SF_STR_ARG(role->name), SF_STR_ARG(rule->roles_text));
	}
	return true;
}

static bool
count_field(const struct sf_rule *rule, enum sf_field f, struct sf_eval *e,
    int64_t *out)
{
	const struct sf_expr *expr = rule->fields[f];
	struct sf_error inner;
	struct sf_eval inside;

	if (rule->fixed[f] >= 0) {
		*out = rule->fixed[f];
		return true;
	}
	inside = *e;
	inside.error = &inner;
	if (!sf_expr_eval(expr, &inside, out))
		return sf_fail(e->error, "%s = %.*s: %s", field_names[f],
		    SF_STR_ARG(expr->text), inner.text);
	if (*out < 0)
		return sf_fail(e->error,
		    "%s = %.*s: found %lld, expected no negative number",
		    field_names[f], SF_STR_ARG(expr->text), (long long)*out);
	return true;
}

/* Of a rule that says how many FLOPs and not of which products. */
static const struct sf_products unstated = { .stated = false };

/* Products and the window, which formulas ask for. */
static bool
state(const struct sf_rule *rule, struct sf_eval *e, struct sf_counts *counts)
{
	struct sf_error inner;
	struct sf_eval inside;
	struct sf_products *products;

	if (rule->gemm == NULL && sf_category_multiplies(rule->category))
		counts->products = &unstated;
	if (rule->gemm == NULL && rule->window == NULL)
		return true;
	inside = *e;
	inside.error = &inner;
	e->window = rule->window != NULL ? &counts->window : NULL;
	if (rule->window != NULL &&
	    !sf_window_rule_eval(rule->window, &inside, &counts->window))
		return sf_fail(e->error, "window = %.*s: %s",
		    SF_STR_ARG(sf_window_rule_text(rule->window)), inner.text);
	if (rule->gemm == NULL)
		return true;
	products = sf_arena_alloc(e->arena, sizeof *products);
	if (!sf_gemm_rule_eval(rule->gemm, &inside, products))
		return sf_fail(e->error, "gemm = %.*s: %s",
		    SF_STR_ARG(sf_gemm_rule_text(rule->gemm)), inner.text);
	e->products = counts->products = products;
	counts->macs = products->macs;
	return true;
}

static bool
check_masked(const struct sf_rule *rule, struct sf_eval *e,
    const struct sf_counts *counts)
{
	return counts->masked_flops <= counts->flops ||
	    sf_fail(e->error,
		"masked = %.*s: found %lld FLOPs that are not run among %lld",
		SF_STR_ARG(rule->fields[SF_FIELD_MASKED]->text),
		(long long)counts->masked_flops, (long long)counts->flops);
}

bool
sf_rule_count(
    const struct sf_rule *rule, struct sf_eval *e, struct sf_counts *counts)
{
	counts->category = rule->category;
	if (!sf_rule_check_inputs(rule, e) || !state(rule, e, counts) ||
	    !count_field(rule, SF_FIELD_FLOPS, e, &counts->flops) ||
	    !count_field(rule, SF_FIELD_READ, e, &counts->bytes_read) ||
	    !count_field(rule, SF_FIELD_WRITTEN, e, &counts->bytes_written) ||
	    !count_field(rule, SF_FIELD_WEIGHT, e, &counts->weight_bytes) ||
	    !count_field(rule, SF_FIELD_MASKED, e, &counts->masked_flops) ||
	    !check_masked(rule, e, counts))
		return false;
	if (counts->weight_bytes <= counts->bytes_read)
		return true;
	if (e->wrong != NULL)
		*e->wrong = true;
	return sf_fail(e->error,
	    "weight = %.*s: found %lld bytes of parameters among %lld read; "
	    "state both read and weight",
	    SF_STR_ARG(rule->fields[SF_FIELD_WEIGHT]->text),
	    (long long)counts->weight_bytes, (long long)counts->bytes_read);
}
