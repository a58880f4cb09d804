/* One rule: reading its text, and counting with it. */
#include "rules/rule.h"

#include <string.h>

#include "base/num.h"

enum {
	MAX_ROLES = 32,
};

static const char *const field_names[SF_FIELD_COUNT] = {
#define SF_FIELD(id, name) [SF_FIELD_##id] = name,
#include "rules/field.def"
#undef SF_FIELD
};

static const char *const defaults[SF_CAT_COUNT][SF_FIELD_COUNT] = {
#define SF_DEFAULT(category, flops, read, written, weight) \
	[SF_CAT_##category] = { flops, read, written, weight },
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

static enum sf_field
field_of(struct sf_str name)
{
	enum sf_field f = 0;

	while (f < SF_FIELD_COUNT && !sf_str_is(name, field_names[f]))
		f++;
	return f;
}

static bool
parse_field(struct sf_rule *rule, struct sf_str text, struct sf_arena *arena,
    struct sf_error *error)
{
	bool equals = memchr(text.p, '=', text.n) != NULL;
	struct sf_str name = sf_str_cut(&text, '=');
	enum sf_field f = field_of(name);

	if (f == SF_FIELD_COUNT || !equals)
		return sf_fail(error,
		    "found '%.*s', expected flops =, read =, written = or "
		    "weight =",
		    SF_STR_ARG(name));
	if (rule->fields[f] != NULL)
		return sf_fail(
		    error, "'%.*s' is there twice", SF_STR_ARG(name));
	rule->fields[f] =
	    sf_expr_parse(sf_str_trim(text), rule->roles, arena, error);
	return rule->fields[f] != NULL;
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
		if (text == NULL)
			return sf_fail(error,
			    "a rule of category %s needs flops = FORMULA",
			    sf_category_name(rule->category));
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
	if (!add_defaults(rule, arena, error))
		return NULL;
	rule->constant = true;
	for (enum sf_field f = 0; f < SF_FIELD_COUNT; f++)
		rule->constant &= sf_expr_constant(rule->fields[f]);
	return rule;
}

/* ---- counting ---- */

static bool
check_inputs(const struct sf_rule *rule, struct sf_eval *e)
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
	struct sf_eval inside = { e->op, e->arena, &inner };

	if (!sf_expr_eval(expr, &inside, out))
		return sf_fail(e->error, "%s = %.*s: %s", field_names[f],
		    SF_STR_ARG(expr->text), inner.text);
	if (*out < 0)
		return sf_fail(e->error,
		    "%s = %.*s: found %lld, expected no negative number",
		    field_names[f], SF_STR_ARG(expr->text), (long long)*out);
	return true;
}

bool
sf_rule_count(
    const struct sf_rule *rule, struct sf_eval *e, struct sf_counts *counts)
{
	counts->category = rule->category;
	if (!check_inputs(rule, e) ||
	    !count_field(rule, SF_FIELD_FLOPS, e, &counts->flops) ||
	    !count_field(rule, SF_FIELD_READ, e, &counts->bytes_read) ||
	    !count_field(rule, SF_FIELD_WRITTEN, e, &counts->bytes_written) ||
	    !count_field(rule, SF_FIELD_WEIGHT, e, &counts->weight_bytes))
		return false;
	if (counts->weight_bytes <= counts->bytes_read)
		return true;
	return sf_fail(e->error,
	    "weight = %.*s: found %lld bytes of parameters among %lld read; "
	    "state both read and weight",
	    SF_STR_ARG(rule->fields[SF_FIELD_WEIGHT]->text),
	    (long long)counts->weight_bytes, (long long)counts->bytes_read);
}
