/* The shape that a rule states for an output: reading it, and finding it. */
#include "rules/shape-rule.h"

#include "base/num.h"
#include "rules/attr.h"
#include "rules/cut.h"
#include "rules/node.h"

enum {
	MAX_PIECES = SF_MAX_RANK,
	MAX_TOGETHER = 16, /* that are broadcast */
};

/* Where sizes begin or end: an integer, which may be negative, or a formula. */
struct bound {
	bool given; /* otherwise from the first, or to the end */
	int64_t at;
	const struct sf_expr *expr; /* NULL: it is AT */
};

/* Sizes of tensors, one after the other; of several only in a broadcast. */
struct span {
	struct sf_ref ref;
	struct bound from, to;
};

/* One size, those of a span, or what several spans broadcast to. */
struct piece {
	const struct sf_expr *size;
	bool broadcast;
	int n;
	struct span *spans;
};

/* The type: one of a name, that of a tensor, or what an attribute says. */
struct type {
	bool given;
	enum sf_dtype dtype; /* of an attribute: when it is not there */
	bool of_tensor;
	struct sf_ref ref;
	struct sf_str attr;
};

struct sf_shape_rule {
	struct sf_str text;
	struct type type;
	int n;
	struct piece *pieces;
};

struct parser {
	struct sf_str where;
	struct sf_roles roles;
	struct sf_arena *arena;
	struct sf_error *error;
};

/* ---- reading ---- */

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
	const char *open = memchr(text.p, '[', text.n);
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
parse_bound(struct parser *p, struct sf_str text, struct bound *bound)
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
parse_span(struct parser *p, struct sf_str text, bool many, struct span *span)
{
	struct sf_str name = text, to = { "", 0 }, from;

	*span = (struct span){ .from.given = false };
	if (is_span(text, &name, &to)) {
		from = sf_cut_item(&to, ':');
		if (!parse_bound(p, from, &span->from) ||
		    !parse_bound(p, to, &span->to))
			return false;
	}
	return take_ref(p, name, many, &span->ref);
}

static bool
parse_broadcast(struct parser *p, struct sf_str text, struct piece *piece)
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
parse_piece(struct parser *p, struct sf_str text, struct piece *piece)
{
	struct sf_str inside, name;

	if (is_call(text, "broadcast", &inside))
		return parse_broadcast(p, inside, piece);
	if (is_call(text, "shape", &inside) || is_span(text, &name, &inside)) {
		piece->n = 1;
		piece->spans =
		    sf_arena_calloc(p->arena, 1, sizeof *piece->spans);
		return parse_span(p, text.p[text.n - 1] == ')' ? inside : text,
		    false, piece->spans);
	}
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
parse_type(struct parser *p, struct sf_str text, struct type *type)
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

/* ---- finding the shape ---- */

/* Sizes as they come together. */
struct sizes {
	bool known; /* how many there are */
	int n;
	int64_t size[SF_MAX_RANK];
	struct sf_str name[SF_MAX_RANK];
};

static bool
push(struct sizes *all, int64_t size, struct sf_str name, struct sf_eval *e)
{
	if (all->n == SF_MAX_RANK)
		return sf_fail(
		    e->error, "found more than %d dimensions", SF_MAX_RANK);
	all->size[all->n] = size;
	all->name[all->n++] = name;
	return true;
}

static struct sf_str
name_of(const struct sf_tensor *t, int64_t i)
{
	return t->dim_names != NULL && t->shape[i] == SF_DIM_UNKNOWN
	    ? t->dim_names[i]
	    : SF_STR("");
}

static void
blame(struct sf_eval *e, const struct sf_tensor *t)
{
	if (e->open == NULL)
		e->open = t;
}

/*
 * A formula; *KNOWN is false where it asks for a size that is not known, and
 * what is to blame is noted.
 */
static bool
compute(
    const struct sf_expr *expr, struct sf_eval *e, int64_t *out, bool *known)
{
	struct sf_eval inner = *e;
	bool good;

	inner.open = NULL;
	good = sf_expr_eval(expr, &inner, out);
	*known = good;
	if (inner.open != NULL)
		blame(e, inner.open);
	return good || inner.open != NULL;
}

/* A size that is one of an input keeps the name that it has there. */
static struct sf_str
name_of_size(const struct sf_expr *expr, const struct sf_eval *e)
{
	const struct sf_node *node = expr->root;
	const struct sf_tensor *t;
	int64_t at;

	while (node->type == SF_NODE_NAME)
		node = node->a;
	if (node->type != SF_NODE_DIM)
		return SF_STR("");
	t = &e->op->inputs[node->ref.first];
	if (!t->rank_known)
		return SF_STR("");
	at = node->from < 0 ? node->from + t->rank : node->from;
	return name_of(t, at);
}

static bool
add_size(const struct sf_expr *expr, struct sf_eval *e, struct sizes *all)
{
	int64_t size;
	bool known;

	if (!compute(expr, e, &size, &known))
		return false;
	if (!known)
		return push(all, SF_DIM_UNKNOWN, name_of_size(expr, e), e);
	if (size < 0)
		return sf_fail(e->error,
		    "%.*s is %lld, expected a size of 0 or more",
		    SF_STR_ARG(expr->formula), (long long)size);
	return push(all, size, SF_STR(""), e);
}

/* A bound as a dimension from the front; *KNOWN as for compute. */
static bool
find_bound(const struct bound *bound, int64_t otherwise,
    const struct sf_tensor *t, struct sf_eval *e, int64_t *out, bool *known)
{
	*out = bound->given ? bound->at : otherwise;
	*known = true;
	if (bound->expr != NULL && !compute(bound->expr, e, out, known))
		return false;
	if (*known && *out < 0)
		*out += t->rank;
	return true;
}

/* The sizes of T that SPAN means. */
static bool
add_sizes(const struct span *span, const struct sf_tensor *t, struct sf_eval *e,
    struct sizes *all)
{
	bool from_known, to_known;
	int64_t from, to;

	if (!t->rank_known) {
		blame(e, t);
		all->known = false;
		return true;
	}
	if (!find_bound(&span->from, 0, t, e, &from, &from_known) ||
	    !find_bound(&span->to, t->rank, t, e, &to, &to_known))
		return false;
	if (!from_known || !to_known) {
		all->known = false;
		return true;
	}
	if (from < 0 || to < from || to > t->rank)
		return sf_fail(e->error,
		    "%.*s has rank %d, which has no sizes %lld up to %lld",
		    SF_STR_ARG(span->ref.name), t->rank, (long long)from,
		    (long long)to);
	for (int64_t i = from; i < to; i++) {
		if (t->shape[i] == SF_DIM_UNKNOWN)
			blame(e, t);
		if (!push(all, t->shape[i], name_of(t, i), e))
			return false;
	}
	return true;
}

/* Sizes A and B that meet, into A. */
static bool
meet(struct sizes *a, int i, const struct sizes *b, int k, struct sf_eval *e)
{
	int64_t x = a->size[i], y = b->size[k];

	if (x == 1 || (x == SF_DIM_UNKNOWN && y >= 0 && y != 1)) {
		a->size[i] = y;
		a->name[i] = b->name[k];
	} else if (x == SF_DIM_UNKNOWN && y == SF_DIM_UNKNOWN) {
		if (!sf_str_eq(a->name[i], b->name[k]))
			a->name[i] = SF_STR("");
	} else if (x >= 0 && y >= 0 && y != 1 && x != y) {
		return sf_fail(e->error,
		    "sizes %lld and %lld do not go together", (long long)x,
		    (long long)y);
	}
	return true;
}

static bool
join(struct sizes *all, struct sizes *more, struct sf_eval *e)
{
	all->known = all->known && more->known;
	if (!all->known)
		return true;
	if (more->n > all->n) {
		struct sizes swap = *all;

		*all = *more;
		*more = swap;
	}
	for (int k = 0; k < more->n; k++)
		if (!meet(all, all->n - more->n + k, more, k, e))
			return false;
	return true;
}

static bool
add_broadcast(const struct piece *piece, struct sf_eval *e, struct sizes *all)
{
	struct sizes together = { .known = true }, one;

	for (int i = 0; i < piece->n; i++) {
		const struct span *span = &piece->spans[i];
		int n = 1;
		const struct sf_tensor *t = span->ref.many
		    ? sf_ref_all(e->op, &span->ref, &n)
		    : sf_ref_need(e, &span->ref);

		if (t == NULL && !span->ref.many)
			return false;
		for (int k = 0; k < n; k++) {
			one = (struct sizes){ .known = true };
			if (!t[k].absent &&
			    (!add_sizes(span, &t[k], e, &one) ||
				!join(&together, &one, e)))
				return false;
		}
	}
	all->known = all->known && together.known;
	for (int i = 0; i < together.n && all->known; i++)
		if (!push(all, together.size[i], together.name[i], e))
			return false;
	return true;
}

static bool
add_piece(const struct piece *piece, struct sf_eval *e, struct sizes *all)
{
	const struct sf_tensor *t;

	if (piece->size != NULL)
		return add_size(piece->size, e, all);
	if (piece->broadcast)
		return add_broadcast(piece, e, all);
	t = sf_ref_need(e, &piece->spans->ref);
	return t != NULL && add_sizes(piece->spans, t, e, all);
}

static bool
find_type(const struct sf_shape_rule *rule, struct sf_eval *e,
    sf_dtype_numbered *numbered, enum sf_dtype *out)
{
	const struct type *type = &rule->type;
	const struct sf_tensor *t = NULL;
	int64_t number;

	*out = type->dtype;
	if (type->attr.n != 0) {
		switch (sf_attr_int(e, type->attr, NULL, &number)) {
		case SF_FOUND:
			*out = numbered(number);
			return *out != SF_DT_UNKNOWN ||
			    sf_fail(e->error,
				"attribute '%.*s' is %lld, expected the number "
				"of a type",
				SF_STR_ARG(type->attr), (long long)number);
		case SF_FOUND_WRONG:
			return false;
		case SF_FOUND_NOT:
			return *out != SF_DT_UNKNOWN ||
			    sf_fail(e->error, "attribute '%.*s' is missing",
				SF_STR_ARG(type->attr));
		}
	}
	if (type->of_tensor && (t = sf_ref_need(e, &type->ref)) == NULL)
		return false;
	for (int i = 0; i < e->op->ninputs && !type->given && t == NULL; i++)
		if (!e->op->inputs[i].absent)
			t = &e->op->inputs[i];
	if (t != NULL)
		*out = t->dtype;
	else if (!type->given)
		*out = SF_DT_UNKNOWN;
	if (t != NULL && t->dtype == SF_DT_UNKNOWN)
		blame(e, t);
	return true;
}

bool
sf_shape_rule_eval(const struct sf_shape_rule *rule, struct sf_eval *e,
    sf_dtype_numbered *numbered, struct sf_tensor *out)
{
	struct sizes all = { .known = true };
	struct sf_str *names;
	int64_t *shape;
	size_t n;

	e->open = NULL;
	if (!find_type(rule, e, numbered, &out->dtype))
		return false;
	for (int i = 0; i < rule->n; i++)
		if (!add_piece(&rule->pieces[i], e, &all))
			return false;
	out->rank_known = all.known;
	if (!all.known)
		return true;
	n = (size_t)all.n;
	shape = sf_arena_calloc(e->arena, n, sizeof *shape);
	names = sf_arena_calloc(e->arena, n, sizeof *names);
	memcpy(shape, all.size, n * sizeof *shape);
	memcpy(names, all.name, n * sizeof *names);
	out->rank = all.n;
	out->shape = shape;
	out->dim_names = names;
	return true;
}
