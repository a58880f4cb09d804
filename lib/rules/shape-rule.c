/* Reading the shape that a rule states for an output. */
#include "rules/shape-rule.h"

#include "base/num.h"
#include "rules/cut.h"
#include "rules/shape-parts.h"

enum {
	MAX_PIECES = SF_MAX_RANK,
	MAX_TOGETHER = 16, /* that are broadcast */
};

struct parser {
	struct sf_str where;
	struct sf_roles roles;
	struct sf_arena *arena;
	struct sf_error *error;
};

/*
 * What a shape can be made of: outputs have none yet, and which inputs are
 * parameters and what is computed is found out later.
 */
static bool
usable(const struct sf_node *node)
{
	switch (node->type) {
	case SF_NODE_MACS:
	case SF_NODE_TAPS:
	case SF_NODE_EINSUM:
	case SF_NODE_PARAM:
	case SF_NODE_WEIGHT:
		return false;
	case SF_NODE_COUNT:
		return true;
	default:
		break;
	}
	return !node->ref.output && (node->a == NULL || usable(node->a)) &&
	    (node->b == NULL || usable(node->b)) &&
	    (node->c == NULL || usable(node->c));
}

static const struct sf_expr *
formula(struct parser *p, struct sf_str text)
{
	const struct sf_expr *expr =
	    sf_cut_formula(text, p->where, p->roles, p->arena, p->error);

	if (expr == NULL || usable(expr->root))
		return expr;
	sf_fail(p->error,
	    "'%.*s' asks for what is not known before the shape, expected "
	    "sizes of inputs and attributes",
	    SF_STR_ARG(text));
	return NULL;
}

/* "WORD(...)" as a whole: what is inside. */
static bool
is_call(struct sf_str text, const char *word, struct sf_str *inside)
{
	size_t n = strlen(word);
	int depth = 0;

	if (!sf_str_starts(text, word) || text.n < n + 2 || text.p[n] != '(')
		return false;
	for (size_t i = n; i < text.n; i++) {
		depth += (text.p[i] == '(') - (text.p[i] == ')');
		if (depth == 0 && i + 1 < text.n)
			return false;
	}
	*inside =
	    sf_str_trim((struct sf_str){ text.p + n + 1, text.n - n - 2 });
	return depth == 0;
}

/* "T[FROM:TO]" as a whole: the tensor, and what is in the brackets. */
static bool
is_span(struct sf_str text, struct sf_str *name, struct sf_str *inside)
{
	const char *open = sf_str_chr(text, '[');
	struct sf_str rest;
	int depth = 0;

	if (open == NULL || text.p[text.n - 1] != ']')
		return false;
	*name = sf_str_trim((struct sf_str){ text.p, (size_t)(open - text.p) });
	rest = (struct sf_str){ open, text.n - (size_t)(open - text.p) };
	for (size_t i = 0; i + 1 < rest.n; i++) {
		depth += (rest.p[i] == '[') - (rest.p[i] == ']');
		if (depth == 0)
			return false;
	}
	*inside = rest = (struct sf_str){ rest.p + 1, rest.n - 2 };
	sf_cut_item(&rest, ':');
	return rest.p > inside->p && rest.p[-1] == ':';
}

static bool
take_ref(struct parser *p, struct sf_str name, bool many, struct sf_ref *ref)
{
	if (sf_ref_find(name, p->roles, ref) && !ref->output &&
	    (many || !ref->many))
		return true;
	return sf_fail(p->error, "found '%.*s', expected %s", SF_STR_ARG(name),
	    many ? "the name of an input, in0 or inputs"
		 : "the name of one input or in0");
}

static bool
parse_bound(struct parser *p, struct sf_str text, struct sf_shape_bound *bound)
{
	text = sf_str_trim(text);
	bound->given = text.n != 0;
	if (!bound->given || sf_int_parse(text.p, text.n, &bound->at))
		return true;
	bound->expr = formula(p, text);
	return bound->expr != NULL;
}

/* "x", or "x[1:-1]". */
static bool
parse_span(
    struct parser *p, struct sf_str text, bool many, struct sf_shape_span *span)
{
	struct sf_str name = text, to = { "", 0 }, from;

	*span = (struct sf_shape_span){ .from.given = false };
	if (is_span(text, &name, &to)) {
		from = sf_cut_item(&to, ':');
		if (!parse_bound(p, from, &span->from) ||
		    !parse_bound(p, to, &span->to))
			return false;
	}
	return take_ref(p, name, many, &span->ref);
}

static bool
parse_broadcast(
    struct parser *p, struct sf_str text, struct sf_shape_piece *piece)
{
	if (!sf_cut_closed(text, ',', p->error))
		return false;
	piece->broadcast = true;
	piece->spans =
	    sf_arena_calloc(p->arena, MAX_TOGETHER, sizeof *piece->spans);
	while (text.n != 0) {
		if (piece->n == MAX_TOGETHER)
			return sf_fail(p->error,
			    "found more than %d tensors that are broadcast",
			    MAX_TOGETHER);
		if (!parse_span(p, sf_cut_item(&text, ','), true,
			&piece->spans[piece->n++]))
			return false;
	}
	return piece->n != 0 ||
	    sf_fail(p->error, "found 'broadcast()', expected tensors");
}

static bool
parse_piece(struct parser *p, struct sf_str text, struct sf_shape_piece *piece)
{
	struct sf_str inside, name;
	struct sf_ref whole;

	if (is_call(text, "broadcast", &inside))
		return parse_broadcast(p, inside, piece);
	if (is_call(text, "shape", &inside) || is_span(text, &name, &inside)) {
		piece->n = 1;
		piece->spans =
		    sf_arena_calloc(p->arena, 1, sizeof *piece->spans);
		return parse_span(p, text.p[text.n - 1] == ')' ? inside : text,
		    false, piece->spans);
	}
	if (sf_ref_find(text, p->roles, &whole))
		return sf_fail(p->error,
		    "found '%.*s', expected shape(%.*s), a part of it such as "
		    "%.*s[1:], or a formula",
		    SF_STR_ARG(text), SF_STR_ARG(text), SF_STR_ARG(text));
	piece->size = formula(p, text);
	return piece->size != NULL;
}

static bool
parse_dtype(struct parser *p, struct sf_str name, enum sf_dtype *out)
{
	*out = sf_dtype_parse(name);
	return *out != SF_DT_UNKNOWN ||
	    sf_fail(p->error,
		"found the type '%.*s', expected that of an input by its "
		"name, attr(NAME), or one of: %s",
		SF_STR_ARG(name), sf_dtype_list());
}

/* What stands behind "as". */
static bool
parse_type(struct parser *p, struct sf_str text, struct sf_shape_type *type)
{
	struct sf_str inside;

	type->given = true;
	type->dtype = SF_DT_UNKNOWN;
	if (is_call(text, "attr", &inside)) {
		type->attr = sf_str_cut(&inside, ',');
		if (!sf_expr_word(type->attr))
			return sf_fail(p->error,
			    "found '%.*s', expected attr(NAME) or attr(NAME, "
			    "TYPE)",
			    SF_STR_ARG(text));
		return inside.n == 0 ||
		    parse_dtype(p, sf_str_trim(inside), &type->dtype);
	}
	type->of_tensor = sf_ref_find(text, p->roles, &type->ref) &&
	    !type->ref.output && !type->ref.many;
	return type->of_tensor || parse_dtype(p, text, &type->dtype);
}

static bool
parse_pieces(struct parser *p, struct sf_str text, struct sf_shape_rule *rule)
{
	if (sf_str_is(text, "scalar"))
		return true;
	if (!sf_cut_closed(text, ',', p->error))
		return false;
	if (text.n == 0)
		return sf_fail(p->error,
		    "found no sizes, expected such as shape(x), x[1:] or "
		    "numbers, or 'scalar'");
	rule->pieces =
	    sf_arena_calloc(p->arena, MAX_PIECES, sizeof *rule->pieces);
	while (text.n != 0) {
		if (rule->n == MAX_PIECES)
			return sf_fail(
			    p->error, "found more than %d sizes", MAX_PIECES);
		if (!parse_piece(
			p, sf_cut_item(&text, ','), &rule->pieces[rule->n++]))
			return false;
	}
	return true;
}

const struct sf_shape_rule *
sf_shape_rule_parse(struct sf_str text, struct sf_roles roles,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_shape_rule *rule = sf_arena_calloc(arena, 1, sizeof *rule);
	struct parser p = { .roles = roles, .arena = arena, .error = error };
	struct sf_str type;

	rule->text = text = sf_str_trim(text);
	p.where = sf_cut_where(&text);
	type = sf_cut_word(&text, "as");
	if (!parse_pieces(&p, sf_str_trim(text), rule) ||
	    (type.p != NULL && !parse_type(&p, type, &rule->type)))
		return NULL;
	return rule;
}

struct sf_str
sf_shape_rule_text(const struct sf_shape_rule *rule)
{
	return rule->text;
}
