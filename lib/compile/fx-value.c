/* Expressions, by recursive descent. */
#include "compile/fx-value.h"

#include <string.h>

enum {
	DEEPEST = 64, /* brackets in brackets, words in a chain */
};

struct reader {
	struct sf_fx_lexer *lexer;
	struct sf_arena *arena;
	struct sf_error *error;
	int depth;
};

/* Items that come one by one. */
struct items {
	struct sf_fx_value **v;
	int n, room;
	bool comma; /* one stood behind an item */
};

bool
sf_fx_expected(
    const struct sf_fx_lexer *l, const char *expected, struct sf_error *error)
{
	static const char *const ends[] = {
		[SF_FX_END] = "the end", [SF_FX_NEWLINE] = "the end of the line"
	};

	if (l->token.kind <= SF_FX_NEWLINE)
		return sf_fail(error, "found %s, expected %s",
		    ends[l->token.kind], expected);
	return sf_fail(error, "found '%.*s', expected %s",
	    SF_STR_ARG(l->token.text), expected);
}

bool
sf_fx_value_is(const struct sf_fx_value *value, const char *word)
{
	return value->kind == SF_FX_WORD && sf_str_is(value->text, word);
}

static struct sf_fx_value *
make(struct reader *r, enum sf_fx_kind kind, struct sf_str text)
{
	struct sf_fx_value *v = sf_arena_calloc(r->arena, 1, sizeof *v);

	v->kind = kind;
	v->text = text;
	return v;
}

static struct sf_fx_value *
expected(struct reader *r, const char *what)
{
	sf_fx_expected(r->lexer, what, r->error);
	return NULL;
}

static void
add_item(struct reader *r, struct items *items, struct sf_fx_value *v)
{
	if (items->n == items->room) {
		int room = items->room != 0 ? items->room * 2 : 4;
		struct sf_fx_value **wider =
		    sf_arena_calloc(r->arena, (size_t)room, sizeof(*wider));

		if (items->n != 0)
			memcpy(
			    wider, items->v, (size_t)items->n * sizeof(*wider));
		items->v = wider;
		items->room = room;
	}
	items->v[items->n++] = v;
}

static struct sf_fx_value *
with_items(struct sf_fx_value *v, const struct items *items)
{
	v->items = items->v;
	v->nitems = items->n;
	return v;
}

static struct sf_fx_value *read_value(struct reader *r);

/* NAME = VALUE, or a value. */
static struct sf_fx_value *
read_argument(struct reader *r)
{
	struct sf_fx_value *v = read_value(r), *named;

	if (v == NULL || v->kind != SF_FX_WORD || !sf_fx_is(r->lexer, "="))
		return v;
	sf_fx_next(r->lexer);
	named = read_value(r);
	if (named != NULL)
		named->key = v->text;
	return named;
}

/* A slice's "a:b" stands for itself only: what it takes is in its items. */
static struct sf_fx_value *
read_slice(struct reader *r, struct sf_fx_value *first)
{
	struct sf_fx_value *slice = make(r, SF_FX_TUPLE, SF_STR(":"));
	struct items items = { 0 };

	if (first != NULL)
		add_item(r, &items, first);
	while (sf_fx_take(r->lexer, ":")) {
		struct sf_fx_value *v;

		if (sf_fx_is(r->lexer, ":") || sf_fx_is(r->lexer, ",") ||
		    sf_fx_is(r->lexer, "]"))
			continue;
		if ((v = read_value(r)) == NULL)
			return NULL;
		add_item(r, &items, v);
	}
	return with_items(slice, &items);
}

/* Items up to CLOSE; with PAIRS each is "key: value". */
static bool
read_items(struct reader *r, const char *close, bool pairs, struct items *items)
{
	while (!sf_fx_take(r->lexer, close)) {
		struct sf_fx_value *v = !pairs && sf_fx_is(r->lexer, ":")
		    ? read_slice(r, NULL)
		    : read_argument(r);

		if (v == NULL)
			return false;
		if (!pairs && sf_fx_is(r->lexer, ":") && *close == ']' &&
		    (v = read_slice(r, v)) == NULL)
			return false;
		add_item(r, items, v);
		if (pairs && sf_fx_take(r->lexer, ":")) {
			if ((v = read_value(r)) == NULL)
				return false;
			add_item(r, items, v);
		} else if (pairs) {
			add_item(r, items, v); /* of a set */
		}
		if (sf_fx_take(r->lexer, ","))
			items->comma = true;
		else if (!sf_fx_is(r->lexer, close))
			return expected(r, close) != NULL;
	}
	return true;
}

/* "(a)" is a; "(a,)", "()" and "(a, b)" are tuples. */
static struct sf_fx_value *
read_brackets(struct reader *r)
{
	bool round = sf_fx_is(r->lexer, "("), square = sf_fx_is(r->lexer, "[");
	struct sf_fx_value *v = make(r,
	    round        ? SF_FX_TUPLE
		: square ? SF_FX_LIST
			 : SF_FX_DICT,
	    SF_STR(""));
	struct items items = { 0 };

	sf_fx_next(r->lexer);
	if (!read_items(r,
		round        ? ")"
		    : square ? "]"
			     : "}",
		!round && !square, &items))
		return NULL;
	if (round && items.n == 1 && !items.comma)
		return items.v[0];
	return with_items(v, &items);
}

/* <function f at 0x7f...>: up to the bracket that closes it, in its line. */
static struct sf_fx_value *
read_object(struct reader *r)
{
	struct sf_str start = r->lexer->token.text;
	int64_t line = r->lexer->token.line;
	int depth = 0;

	do {
		depth += sf_fx_is(r->lexer, "<");
		depth -= sf_fx_is(r->lexer, ">");
		if (r->lexer->token.kind <= SF_FX_NEWLINE ||
		    r->lexer->token.line != line)
			return expected(r, "'>'");
		sf_fx_next(r->lexer);
	} while (depth > 0);
	return make(r, SF_FX_OBJECT, start);
}

static struct sf_fx_value *
read_number(struct reader *r)
{
	struct sf_str text = r->lexer->token.text;
	bool whole = true;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			whole = false;
	sf_fx_next(r->lexer);
	return make(r, whole ? SF_FX_INT : SF_FX_FLOAT, text);
}

static struct sf_fx_value *
read_string(struct reader *r)
{
	struct sf_fx_value *v = make(r, SF_FX_TEXT, r->lexer->token.text);

	do
		sf_fx_next(r->lexer);
	while (r->lexer->token.kind == SF_FX_STRING);
	return v;
}

static struct sf_fx_value *
read_atom(struct reader *r)
{
	struct sf_fx_lexer *l = r->lexer;
	struct sf_fx_value *v;

	switch (l->token.kind) {
	case SF_FX_NAME:
		v = make(r, SF_FX_WORD, l->token.text);
		sf_fx_next(l);
		/* b'...' and r'...' are strings all the same. */
		return l->token.kind == SF_FX_STRING && v->text.n == 1
		    ? read_string(r)
		    : v;
	case SF_FX_NUMBER:
		return read_number(r);
	case SF_FX_STRING:
		return read_string(r);
	case SF_FX_MARK:
		if (sf_fx_is(l, "(") || sf_fx_is(l, "[") || sf_fx_is(l, "{"))
			return read_brackets(r);
		if (sf_fx_is(l, "<"))
			return read_object(r);
		if (sf_fx_take(l, "..."))
			return make(r, SF_FX_OBJECT, SF_STR("..."));
		break;
	default:
		break;
	}
	return expected(r, "a value");
}

/* V.NAME: of a name, a longer name. */
static struct sf_fx_value *
read_attr(struct reader *r, struct sf_fx_value *v)
{
	struct sf_str name = r->lexer->token.text;
	struct items items = { 0 };
	struct sf_fx_value *attr;

	if (r->lexer->token.kind != SF_FX_NAME)
		return expected(r, "a name");
	sf_fx_next(r->lexer);
	if (v->kind == SF_FX_WORD && name.p == v->text.p + v->text.n + 1) {
		v->text.n += 1 + name.n;
		return v;
	}
	attr = make(r, SF_FX_ATTR, name);
	add_item(r, &items, v);
	return with_items(attr, &items);
}

static struct sf_fx_value *
read_behind(struct reader *r, struct sf_fx_value *v)
{
	for (int chain = 0; v != NULL; chain++) {
		struct items items = { 0 };

		if (chain == DEEPEST)
			return expected(r, "a shorter chain");
		if (sf_fx_take(r->lexer, ".")) {
			v = read_attr(r, v);
		} else if (sf_fx_take(r->lexer, "(")) {
			add_item(r, &items, v);
			if (!read_items(r, ")", false, &items))
				return NULL;
			v = with_items(make(r, SF_FX_CALL, SF_STR("")), &items);
		} else if (sf_fx_take(r->lexer, "[")) {
			struct sf_fx_value *index =
			    make(r, SF_FX_TUPLE, SF_STR(""));
			struct items parts = { 0 };

			if (!read_items(r, "]", false, &parts))
				return NULL;
			with_items(index, &parts);
			add_item(r, &items, v);
			add_item(r, &items, parts.n == 1 ? parts.v[0] : index);
			v = with_items(
			    make(r, SF_FX_INDEX, SF_STR("")), &items);
		} else {
			return v;
		}
	}
	return NULL;
}

static struct sf_fx_value *
read_operand(struct reader *r)
{
	static const char *const marks[] = { "-", "+", "~", "not" };
	struct sf_fx_value *v = NULL;
	struct items items = { 0 };

	if (r->depth == DEEPEST)
		return expected(r, "brackets less deep");
	r->depth++;
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		struct sf_str mark = r->lexer->token.text;

		if (!sf_fx_is(r->lexer, marks[i]))
			continue;
		sf_fx_next(r->lexer);
		v = read_operand(r);
		r->depth--;
		if (v == NULL)
			return NULL;
		/* A number has its sign. */
		if ((v->kind == SF_FX_INT || v->kind == SF_FX_FLOAT) &&
		    v->text.p == mark.p + 1) {
			v->text.p--;
			v->text.n++;
			return v;
		}
		add_item(r, &items, v);
		return with_items(make(r, SF_FX_UNARY, mark), &items);
	}
	v = read_behind(r, read_atom(r));
	r->depth--;
	return v;
}

/* Python's binary operators; in a graph there is one at a time. */
static bool
is_operator(const struct sf_fx_lexer *l)
{
	static const char *const marks[] = { "+", "-", "*", "/", "//", "%", "@",
		"**", "&", "|", "^", "<<", ">>", "==", "!=", "<", ">",
		"<=", ">=", "and", "or", "is", "in" };

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (sf_fx_is(l, marks[i]))
			return true;
	return false;
}

static struct sf_fx_value *
read_value(struct reader *r)
{
	struct sf_fx_value *v = read_operand(r);

	for (int chain = 0; v != NULL && is_operator(r->lexer); chain++) {
		struct sf_fx_value *binary =
		    make(r, SF_FX_BINARY, r->lexer->token.text);
		struct items items = { 0 };

		if (chain == DEEPEST)
			return expected(r, "a shorter chain");
		sf_fx_next(r->lexer);
		add_item(r, &items, v);
		if ((v = read_operand(r)) == NULL)
			return NULL;
		add_item(r, &items, v);
		v = with_items(binary, &items);
	}
	return v;
}

struct sf_fx_value *
sf_fx_value_parse(
    struct sf_fx_lexer *lexer, struct sf_arena *arena, struct sf_error *error)
{
	struct reader r = { lexer, arena, error, 0 };

	return read_value(&r);
}
