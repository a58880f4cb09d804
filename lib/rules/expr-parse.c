/* The parser of formulas: recursive descent over a table of operators. */
#include <string.h>

#include "base/num.h"
#include "rules/node.h"

enum {
	MAX_DEPTH = 64,    /* of parentheses */
	MAX_SIZE = 1000,   /* nodes visited to compute a formula */
	MAX_BINDINGS = 32, /* behind "where" */
};

enum takes {
	TENSOR,
	TENSORS,
	SLICE,
	ATTR,
	ALONG,
	ONE,
	PAIR,
	NOTHING,
};

static const struct function {
	const char *name;
	enum sf_node_type type;
	enum takes takes;
} functions[] = {
#define SF_FUNCTION(id, name, takes) { name, SF_NODE_##id, takes },
#include "rules/function.def"
#undef SF_FUNCTION
};

static const struct operator
{
	const char *text;
	enum sf_node_type type;
	int precedence;
}
operators[] = {
#define SF_OPERATOR(id, text, precedence) { text, SF_NODE_##id, precedence },
#include "rules/operator.def"
#undef SF_OPERATOR
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct binding {
	struct sf_str name;
	const struct sf_node *node;
};

struct parser {
	struct sf_str text;
	const char *p, *end;
	struct sf_roles roles;
	struct sf_arena *arena;
	struct sf_error *error;
	int depth;
	struct binding bound[MAX_BINDINGS];
	int nbound;
};

/* ---- words ---- */

static bool
is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
peek(struct parser *p)
{
	while (p->p < p->end && (*p->p == ' ' || *p->p == '\t'))
		p->p++;
	return p->p < p->end ? *p->p : '\0';
}

/* What is next, for an error. */
static struct sf_str
found(struct parser *p)
{
	const char *at = p->p;

	if (peek(p) == '\0')
		return SF_STR("the end");
	at = p->p;
	while (at < p->end && (is_name_start(*at) || is_digit(*at)))
		at++;
	if (at == p->p)
		at++;
	return (struct sf_str){ p->p, (size_t)(at - p->p) };
}

static void *
expected(struct parser *p, const char *what)
{
	struct sf_str next = found(p);

	sf_fail(p->error, "formula '%.*s': found '%.*s', expected %s",
	    SF_STR_ARG(p->text), SF_STR_ARG(next), what);
	return NULL;
}

static bool
take(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	peek(p);
	if ((size_t)(p->end - p->p) < n || memcmp(p->p, word, n) != 0)
		return false;
	p->p += n;
	return true;
}

static bool
need(struct parser *p, const char *word, const char *what)
{
	if (take(p, word))
		return true;
	expected(p, what);
	return false;
}

static struct sf_str
take_name(struct parser *p)
{
	const char *start;

	if (!is_name_start(peek(p)))
		return (struct sf_str){ NULL, 0 };
	start = p->p;
	while (p->p < p->end && (is_name_start(*p->p) || is_digit(*p->p)))
		p->p++;
	return (struct sf_str){ start, (size_t)(p->p - start) };
}

/* Digits, with a minus before them where SIGNED. */
static bool
take_int(struct parser *p, bool is_signed, int64_t *out)
{
	const char *start;

	peek(p);
	start = p->p;
	if (is_signed && p->p < p->end && *p->p == '-')
		p->p++;
	while (p->p < p->end && is_digit(*p->p))
		p->p++;
	if (sf_int_parse(start, (size_t)(p->p - start), out))
		return true;
	p->p = start;
	expected(p, "an integer");
	return false;
}

/* ---- nodes ---- */

static struct sf_node *
new_node(struct parser *p, enum sf_node_type type)
{
	struct sf_node *node = sf_arena_calloc(p->arena, 1, sizeof *node);

	node->type = type;
	node->size = 1;
	return node;
}

static const struct sf_node *
join(struct parser *p, struct sf_node *node, const struct sf_node *a,
    const struct sf_node *b, const struct sf_node *c)
{
	if (a == NULL || b == NULL)
		return NULL;
	node->a = a;
	node->b = b;
	node->c = c;
	node->size += a->size + b->size + (c != NULL ? c->size : 0);
	if (node->size > MAX_SIZE)
		return expected(p, "a shorter formula");
	return node;
}

int
sf_expr_numbered(struct sf_str name, const char *word)
{
	size_t n = strlen(word);
	int64_t number;

	if (!sf_str_starts(name, word) || name.n > n + 3 ||
	    !sf_int_parse(name.p + n, name.n - n, &number))
		return -1;
	return (int)number;
}

static bool
is_word(struct sf_str text)
{
	if (text.n == 0 || !is_name_start(text.p[0]))
		return false;
	for (size_t i = 1; i < text.n; i++)
		if (!is_name_start(text.p[i]) && !is_digit(text.p[i]))
			return false;
	return true;
}

bool
sf_expr_name_valid(struct sf_str text)
{
	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (sf_str_is(text, functions[i].name))
			return false;
	return is_word(text) && !sf_str_is(text, "inputs") &&
	    !sf_str_is(text, "outputs") && !sf_str_is(text, "out") &&
	    !sf_str_is(text, "where") && sf_expr_numbered(text, "in") < 0 &&
	    sf_expr_numbered(text, "out") < 0;
}

bool
sf_expr_word(struct sf_str text)
{
	return is_word(text);
}

bool
sf_ref_find(struct sf_str name, struct sf_roles roles, struct sf_ref *ref)
{
	*ref = (struct sf_ref){ .name = name };
	for (int i = 0; i < roles.n; i++) {
		const struct sf_role *role = &roles.v[i];

		if (!sf_str_eq(name, role->name))
			continue;
		ref->first = i;
		ref->many = role->rest;
		ref->optional = role->optional;
		return true;
	}
	ref->output = sf_str_starts(name, "out");
	ref->many = sf_str_is(name, "inputs") || sf_str_is(name, "outputs");
	if (ref->many || sf_str_is(name, "out"))
		return true;
	ref->first = sf_expr_numbered(name, ref->output ? "out" : "in");
	return ref->first >= 0;
}

static bool
take_ref(struct parser *p, bool many, struct sf_ref *ref)
{
	const char *start;
	struct sf_str name;

	peek(p);
	start = p->p;
	name = take_name(p);
	if (name.n != 0 && sf_ref_find(name, p->roles, ref) &&
	    (many || !ref->many))
		return true;
	p->p = start;
	expected(p,
	    many ? "a tensor: the name of an input, in0, out0, inputs, outputs"
		 : "one tensor: the name of an input, in0, out0");
	return false;
}

/* "[from:to]" behind a tensor. */
static bool
take_slice(struct parser *p, struct sf_node *node)
{
	if (!need(p, "[", "'['"))
		return false;
	node->has_from = peek(p) != ':';
	if (node->has_from && !take_int(p, true, &node->from))
		return false;
	if (!need(p, ":", "':'"))
		return false;
	node->has_to = peek(p) != ']';
	if (node->has_to && !take_int(p, true, &node->to))
		return false;
	return need(p, "]", "']'");
}

static bool
take_index(struct parser *p, struct sf_node *node)
{
	return need(p, "[", "'['") && take_int(p, true, &node->from) &&
	    need(p, "]", "']'");
}

static const struct sf_node *parse_expr(struct parser *p);

static bool
take_attr(struct parser *p, struct sf_node *node)
{
	node->attr = take_name(p);
	if (node->attr.n == 0) {
		expected(p, "the name of an attribute");
		return false;
	}
	node->indexed = peek(p) == '[';
	if (node->indexed && !take_index(p, node))
		return false;
	if (!take(p, ","))
		return true;
	node->a = parse_expr(p);
	if (node->a == NULL)
		return false;
	node->size += node->a->size;
	return true;
}

/* ", RANK": of those tensors, only the ones of that rank. */
static bool
take_rank(struct parser *p, struct sf_node *node)
{
	node->ranked = take(p, ",");
	return !node->ranked || take_int(p, false, &node->number);
}

static const struct sf_node *
parse_pair(struct parser *p, struct sf_node *node)
{
	const struct sf_node *a = parse_expr(p);

	if (a == NULL || !need(p, ",", "','"))
		return NULL;
	return join(p, node, a, parse_expr(p), NULL);
}

static const struct sf_node *
parse_call(struct parser *p, const struct function *function)
{
	struct sf_node *node = new_node(p, function->type);
	bool good = need(p, "(", "'('");

	switch (function->takes) {
	case TENSOR:
		good = good && take_ref(p, false, &node->ref);
		break;
	case TENSORS:
		good =
		    good && take_ref(p, true, &node->ref) && take_rank(p, node);
		break;
	case SLICE:
		good = good && take_ref(p, false, &node->ref) &&
		    take_slice(p, node);
		break;
	case ALONG:
		good = good && take_ref(p, false, &node->ref) &&
		    need(p, ",", "','") && take_attr(p, node);
		break;
	case ATTR:
		good = good && take_attr(p, node);
		break;
	case ONE:
		good = good && (node->a = parse_expr(p)) != NULL;
		node->size += good ? node->a->size : 0;
		break;
	case PAIR:
		good = good && parse_pair(p, node) != NULL;
		break;
	case NOTHING:
		break;
	}
	return good && need(p, ")", "')'") ? node : NULL;
}

static const struct sf_node *
parse_dim(struct parser *p)
{
	struct sf_node *node = new_node(p, SF_NODE_DIM);

	return take_ref(p, false, &node->ref) && take_index(p, node) ? node
								     : NULL;
}

/* A name: a function, a binding, or a tensor whose size is asked for. */
static const struct sf_node *
parse_name(struct parser *p)
{
	const char *start = p->p;
	struct sf_str name = take_name(p);

	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (sf_str_is(name, functions[i].name))
			return parse_call(p, &functions[i]);
	for (int i = 0; i < p->nbound; i++)
		if (sf_str_eq(name, p->bound[i].name)) {
			struct sf_node *node = new_node(p, SF_NODE_NAME);

			node->a = p->bound[i].node;
			node->size += node->a->size;
			return node;
		}
	p->p = start;
	return parse_dim(p);
}

static const struct sf_node *
parse_primary(struct parser *p)
{
	char c = peek(p);

	if (is_digit(c)) {
		struct sf_node *node = new_node(p, SF_NODE_NUMBER);

		return take_int(p, false, &node->number) ? node : NULL;
	}
	if (c == '(') {
		const struct sf_node *inner;

		p->p++;
		inner = parse_expr(p);
		return inner != NULL && need(p, ")", "')'") ? inner : NULL;
	}
	if (is_name_start(c))
		return parse_name(p);
	return expected(p, "a number, a name or '('");
}

static const struct operator* take_operator(struct parser *p, int lowest)
{
	const char *start;

	peek(p);
	start = p->p;
	for (size_t i = 0; i < COUNT_OF(operators); i++)
		if (take(p, operators[i].text)) {
			if (operators[i].precedence >= lowest)
				return &operators[i];
			p->p = start;
			return NULL;
		}
	return NULL;
}

/* Operators that bind at least as tight as LOWEST. */
static const struct sf_node *
parse_binary(struct parser *p, int lowest)
{
	const struct sf_node *left = parse_primary(p);
	const struct operator* op;

	while (left != NULL && (op = take_operator(p, lowest)) != NULL)
		left = join(p, new_node(p, op->type), left,
		    parse_binary(p, op->precedence + 1), NULL);
	return left;
}

static const struct sf_node *
parse_condition(struct parser *p)
{
	const struct sf_node *a = parse_binary(p, 1), *b;

	if (a == NULL || !take(p, "?"))
		return a;
	b = parse_expr(p);
	if (b == NULL || !need(p, ":", "':'"))
		return NULL;
	/* join takes a missing third operand for one that is not wanted. */
	const struct sf_node *c = parse_expr(p);

	return c != NULL ? join(p, new_node(p, SF_NODE_IF), a, b, c) : NULL;
}

static const struct sf_node *
parse_expr(struct parser *p)
{
	const struct sf_node *node;

	if (++p->depth > MAX_DEPTH)
		return expected(p, "less nesting");
	node = parse_condition(p);
	p->depth--;
	return node;
}

/* ---- the whole ---- */

static bool
is_taken(struct parser *p, struct sf_str name)
{
	for (int i = 0; i < p->roles.n; i++)
		if (sf_str_eq(name, p->roles.v[i].name))
			return true;
	for (int i = 0; i < p->nbound; i++)
		if (sf_str_eq(name, p->bound[i].name))
			return true;
	return false;
}

static bool
parse_binding(struct parser *p)
{
	struct binding bound;
	const char *start;

	if (p->nbound == MAX_BINDINGS) {
		expected(p, "at most 32 names behind 'where'");
		return false;
	}
	peek(p);
	start = p->p;
	bound.name = take_name(p);
	if (!sf_expr_name_valid(bound.name) || is_taken(p, bound.name)) {
		p->p = start;
		expected(p, "a name that means nothing yet");
		return false;
	}
	if (!need(p, "=", "'='"))
		return false;
	bound.node = parse_expr(p);
	if (bound.node == NULL)
		return false;
	p->bound[p->nbound++] = bound;
	return true;
}

/* What stands behind "where": NAME = FORMULA, each may use those before. */
static bool
parse_bindings(struct parser *p)
{
	do {
		if (!parse_binding(p))
			return false;
	} while (take(p, ","));
	if (peek(p) != '\0') {
		expected(p, "',' or the end");
		return false;
	}
	return true;
}

/* Where the word "where" begins, or the end. */
static const char *
find_where(struct sf_str text)
{
	const char *at = text.p, *end = text.p + text.n;

	while ((at = memmem(at, (size_t)(end - at), "where", 5)) != NULL) {
		bool alone_before =
		    at > text.p && (at[-1] == ' ' || at[-1] == '\t');
		bool alone_behind =
		    at + 5 < end && (at[5] == ' ' || at[5] == '\t');

		if (alone_before && alone_behind)
			return at;
		at += 5;
	}
	return end;
}

const struct sf_expr *
sf_expr_parse(struct sf_str text, struct sf_roles roles, struct sf_arena *arena,
    struct sf_error *error)
{
	const char *where = find_where(text), *end = text.p + text.n;
	struct parser p = {
		.text = text, .roles = roles, .arena = arena, .error = error
	};
	struct sf_expr *expr = sf_arena_calloc(arena, 1, sizeof *expr);

	if (where != end) {
		p.p = where + strlen("where");
		p.end = end;
		if (!parse_bindings(&p))
			return NULL;
	}
	p.p = text.p;
	p.end = where;
	expr->text = text;
	expr->formula =
	    sf_str_trim((struct sf_str){ text.p, (size_t)(where - text.p) });
	expr->root = parse_expr(&p);
	if (expr->root == NULL)
		return NULL;
	if (peek(&p) != '\0')
		return expected(&p, "an operator or the end");
	return expr;
}

bool
sf_expr_constant(const struct sf_expr *expr)
{
	return expr->root->type == SF_NODE_NUMBER;
}
