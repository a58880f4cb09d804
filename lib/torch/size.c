/* Reading and printing expressions of sizes. */
#include "torch/size.h"

#include <ctype.h>

#include "base/num.h"

enum {
	MAX_DEPTH = 128, /* of what is nested in an expression */
	MAX_TEXT = 65536
};

static const struct {
	const char *names;
	int fewest, most;
} functions[] = {
#define SF_SIZE_FN(id, names, fewest, most) { names, fewest, most },
#include "torch/size.def"
#undef SF_SIZE_FN
};

/* Operators of Python, weakest first; those of one level go left to right. */
static const struct {
	const char *text;
	int level;
	enum sf_size_fn fn;
} operators[] = {
	{ "==", 1, SF_SIZE_EQ },
	{ "!=", 1, SF_SIZE_NE },
	{ ">=", 1, SF_SIZE_GE },
	{ "<=", 1, SF_SIZE_LE },
	{ "<<", 4, SF_SIZE_LSHIFT },
	{ ">>", 4, SF_SIZE_RSHIFT },
	{ ">", 1, SF_SIZE_GT },
	{ "<", 1, SF_SIZE_LT },
	{ "|", 2, SF_SIZE_OR },
	{ "&", 3, SF_SIZE_AND },
	{ "+", 5, SF_SIZE_ADD },
	{ "-", 5, SF_SIZE_ADD },
	{ "**", 8, SF_SIZE_POW },
	{ "*", 6, SF_SIZE_MUL },
	{ "//", 6, SF_SIZE_FLOOR_DIV },
	{ "/", 6, SF_SIZE_QUOTIENT },
	{ "%", 6, SF_SIZE_MOD },
};

enum {
	NOPERATORS = sizeof operators / sizeof operators[0],
	UNARY_LEVEL = 7,
	POWER_LEVEL = 8,
};

struct parser {
	struct sf_str rest;
	const char *start;
	int depth;
	struct sf_arena *arena;
	struct sf_error *error;
	bool failed;
};

static struct sf_size *parse_level(struct parser *p, int level);

static struct sf_size *
fail(struct parser *p, const char *expected)
{
	if (!p->failed)
		sf_fail(p->error, "at byte %zu of '%.*s': expected %s",
		    (size_t)(p->rest.p - p->start) + 1,
		    (int)(p->rest.p - p->start + (ptrdiff_t)p->rest.n),
		    p->start, expected);
	p->failed = true;
	return NULL;
}

static void
skip_blanks(struct parser *p)
{
	while (p->rest.n != 0 && (*p->rest.p == ' ' || *p->rest.p == '\t')) {
		p->rest.p++;
		p->rest.n--;
	}
}

static bool
take(struct parser *p, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(p);
	if (!sf_str_starts(p->rest, text))
		return false;
	p->rest.p += n;
	p->rest.n -= n;
	return true;
}

static struct sf_size *
new_size(struct parser *p, enum sf_size_kind kind)
{
	struct sf_size *size = sf_arena_calloc(p->arena, 1, sizeof *size);

	size->kind = kind;
	return size;
}

static struct sf_size *
new_number(struct parser *p, int64_t number)
{
	struct sf_size *size = new_size(p, SF_SIZE_NUMBER);

	size->number = number;
	return size;
}

static struct sf_size *
new_call(
    struct parser *p, enum sf_size_fn fn, struct sf_size *a, struct sf_size *b)
{
	struct sf_size *size = new_size(p, SF_SIZE_CALL);

	size->fn = fn;
	size->n = b != NULL ? 2 : 1;
	size->args = sf_arena_calloc(p->arena, 2, sizeof *size->args);
	size->args[0] = a;
	size->args[1] = b;
	return size;
}

static struct sf_size *
negative(struct parser *p, struct sf_size *size)
{
	if (size == NULL)
		return NULL;
	if (size->kind == SF_SIZE_NUMBER && size->number != INT64_MIN) {
		size->number = -size->number;
		return size;
	}
	return new_call(p, SF_SIZE_MUL, new_number(p, -1), size);
}

/* ---- what stands alone ---- */

static struct sf_size *
parse_number(struct parser *p)
{
	struct sf_size *size;
	size_t n = 0;
	int64_t whole;
	double real;

	while (n < p->rest.n &&
	    (isalnum((unsigned char)p->rest.p[n]) || p->rest.p[n] == '.' ||
		((p->rest.p[n] == '-' || p->rest.p[n] == '+') && n > 0 &&
		    (p->rest.p[n - 1] == 'e' || p->rest.p[n - 1] == 'E'))))
		n++;
	if (sf_int_parse(p->rest.p, n, &whole))
		size = new_number(p, whole);
	else if (memchr(p->rest.p, '.', n) == NULL &&
	    memchr(p->rest.p, 'e', n) == NULL)
		return fail(p, "a whole number of at most 2^63 - 1");
	else if (sf_double_parse(p->rest.p, n, &real)) {
		size = new_size(p, SF_SIZE_REAL);
		size->real = real;
	} else
		return fail(p, "a number");
	p->rest.p += n;
	p->rest.n -= n;
	return size;
}

/* 's0', which names a symbol, or a number as Float('1.5') has it. */
static bool
parse_quoted(struct parser *p, struct sf_str *text)
{
	char quote;
	const char *end;

	skip_blanks(p);
	if (p->rest.n == 0 || (*p->rest.p != '\'' && *p->rest.p != '"'))
		return false;
	quote = *p->rest.p;
	end = memchr(p->rest.p + 1, quote, p->rest.n - 1);
	if (end == NULL) {
		fail(p, "the end of a text in quotes");
		return false;
	}
	*text = (struct sf_str){ p->rest.p + 1, (size_t)(end - p->rest.p) - 1 };
	p->rest.n -= text->n + 2;
	p->rest.p = end + 1;
	return true;
}

static struct sf_str
parse_name(struct parser *p)
{
	struct sf_str name = { p->rest.p, 0 };

	while (name.n < p->rest.n &&
	    (isalnum((unsigned char)name.p[name.n]) || name.p[name.n] == '_' ||
		name.p[name.n] == '.'))
		name.n++;
	p->rest.p += name.n;
	p->rest.n -= name.n;
	return name;
}

static enum sf_size_fn
find_function(struct sf_str name)
{
	for (int i = 0; i < SF_SIZE_UNKNOWN_FN; i++) {
		struct sf_str names = sf_str_of(functions[i].names);

		while (names.n != 0)
			if (sf_str_eq(sf_str_cut(&names, ' '), name))
				return (enum sf_size_fn)i;
	}
	return SF_SIZE_UNKNOWN_FN;
}

/* name=value says something of a symbol or a number, and not what it is. */
static bool
skip_keyword(struct parser *p)
{
	struct sf_str rest = p->rest, name;

	skip_blanks(p);
	name = parse_name(p);
	if (name.n != 0 && p->rest.n > 1 && p->rest.p[0] == '=' &&
	    p->rest.p[1] != '=') {
		p->rest.p++;
		p->rest.n--;
		parse_level(p, 1);
		return true;
	}
	p->rest = rest;
	return false;
}

static void
add_arg(struct parser *p, struct sf_size *call, int *room, struct sf_size *arg)
{
	if (call->n == *room) {
		struct sf_size **old = call->args;

		*room = *room != 0 ? *room * 2 : 4;
		call->args = sf_arena_calloc(
		    p->arena, (size_t)*room, sizeof *call->args);
		if (call->n != 0)
			memcpy(call->args, old,
			    (size_t)call->n * sizeof *call->args);
	}
	call->args[call->n++] = arg;
}

static struct sf_size *
parse_arg(struct parser *p)
{
	struct sf_size *symbol;
	struct sf_str text;

	if (!parse_quoted(p, &text))
		return p->failed ? NULL : parse_level(p, 1);
	symbol = new_size(p, SF_SIZE_SYMBOL);
	symbol->name = text;
	return symbol;
}

static bool
parse_args(struct parser *p, struct sf_size *call)
{
	int room = 0;

	while (!take(p, ")")) {
		if (call->n != 0 && !take(p, ",")) {
			fail(p, "',' or ')'");
			return false;
		}
		if (!skip_keyword(p)) {
			struct sf_size *arg = parse_arg(p);

			if (arg == NULL)
				return false;
			add_arg(p, call, &room, arg);
		}
		if (p->failed)
			return false;
	}
	return true;
}

/* Symbol('s0', ...) and Float('1.5', ...) are what they hold. */
static struct sf_size *
parse_call(struct parser *p, struct sf_str name)
{
	struct sf_size *call = new_size(p, SF_SIZE_CALL);
	const char *at = name.p;

	if (!parse_args(p, call))
		return NULL;
	for (size_t i = name.n; i > 0; i--)
		if (name.p[i - 1] == '.') {
			name.p += i;
			name.n -= i;
			break;
		}
	if (name.n == 0)
		return fail(p, "a function's name behind the dot");
	if (call->n >= 1 && call->args[0]->kind == SF_SIZE_SYMBOL &&
	    (sf_str_is(name, "Symbol") || sf_str_is(name, "Dummy")))
		return call->args[0];
	if (call->n >= 1 && call->args[0]->kind == SF_SIZE_SYMBOL &&
	    sf_str_is(name, "Float")) {
		struct sf_size *real = new_size(p, SF_SIZE_REAL);
		struct sf_str text = call->args[0]->name;

		if (!sf_double_parse(text.p, text.n, &real->real))
			return fail(p, "a number in Float()");
		return real;
	}
	call->name = name;
	call->fn = find_function(name);
	if (call->fn != SF_SIZE_UNKNOWN_FN &&
	    (call->n < functions[call->fn].fewest ||
		(functions[call->fn].most >= 0 &&
		    call->n > functions[call->fn].most))) {
		p->rest.n += (size_t)(p->rest.p - at);
		p->rest.p = at;
		return fail(p, "the function's number of arguments");
	}
	return call;
}

static struct sf_size *
parse_word(struct parser *p)
{
	struct sf_str name = parse_name(p);
	struct sf_size *size;

	if (take(p, "("))
		return parse_call(p, name);
	if (sf_str_is(name, "true") || sf_str_is(name, "True") ||
	    sf_str_is(name, "false") || sf_str_is(name, "False")) {
		size = new_size(p, SF_SIZE_TRUTH);
		size->number = *name.p == 't' || *name.p == 'T';
		return size;
	}
	size = new_size(p, SF_SIZE_SYMBOL);
	size->name = name;
	return size;
}

static struct sf_size *
parse_primary(struct parser *p)
{
	struct sf_size *size;

	skip_blanks(p);
	if (p->rest.n == 0)
		return fail(p, "a size");
	if (take(p, "(")) {
		size = parse_level(p, 1);
		if (size != NULL && !take(p, ")"))
			return fail(p, "')'");
		return size;
	}
	if (isdigit((unsigned char)*p->rest.p))
		return parse_number(p);
	if (isalpha((unsigned char)*p->rest.p) || *p->rest.p == '_')
		return parse_word(p);
	return fail(p, "a size");
}

/* ---- operators ---- */

static struct sf_size *
parse_unary(struct parser *p)
{
	if (take(p, "-"))
		return negative(p, parse_level(p, UNARY_LEVEL));
	if (take(p, "+"))
		return parse_level(p, UNARY_LEVEL);
	if (take(p, "~")) {
		struct sf_size *size = parse_level(p, UNARY_LEVEL);

		if (size == NULL)
			return NULL;
		size = new_call(p, SF_SIZE_NOT, size, NULL);
		size->name = SF_STR("Not");
		return size;
	}
	return parse_level(p, POWER_LEVEL);
}

/* The operator of LEVEL that comes next, -1 when none does. */
static int
take_operator(struct parser *p, int level)
{
	skip_blanks(p);
	for (int i = 0; i < NOPERATORS; i++) {
		if (!sf_str_starts(p->rest, operators[i].text))
			continue;
		if (operators[i].level != level)
			return -1;
		take(p, operators[i].text);
		return i;
	}
	return -1;
}

static struct sf_size *
parse_operands(struct parser *p, int level)
{
	struct sf_size *left =
	    level == POWER_LEVEL ? parse_primary(p) : parse_level(p, level + 1);
	int i;

	while (left != NULL && (i = take_operator(p, level)) >= 0) {
		/* 2**-s is a power, and 2**3**2 is 2**(3**2). */
		struct sf_size *right = parse_level(
		    p, level == POWER_LEVEL ? UNARY_LEVEL : level + 1);

		if (operators[i].text[0] == '-')
			right = negative(p, right);
		if (right == NULL)
			return NULL;
		left = new_call(p, operators[i].fn, left, right);
		left->name = sf_str_of(operators[i].text);
	}
	return left;
}

static struct sf_size *
parse_level(struct parser *p, int level)
{
	struct sf_size *size;

	if (p->failed)
		return NULL;
	if (p->depth == MAX_DEPTH * POWER_LEVEL)
		return fail(p, "an expression that is nested less deeply");
	p->depth++;
	size = level == UNARY_LEVEL ? parse_unary(p) : parse_operands(p, level);
	p->depth--;
	return size;
}

struct sf_size *
sf_size_parse(
    struct sf_str text, struct sf_arena *arena, struct sf_error *error)
{
	struct parser p = {
		.rest = text, .start = text.p, .arena = arena, .error = error
	};
	struct sf_size *size;

	if (text.n > MAX_TEXT) {
		sf_fail(error,
		    "an expression of %zu bytes, expected at most %d", text.n,
		    MAX_TEXT);
		return NULL;
	}
	size = parse_level(&p, 1);
	skip_blanks(&p);
	if (size != NULL && p.rest.n != 0)
		return fail(&p, "the end of the expression");
	return size;
}

/* ---- printing ---- */

static const char *
operator_of(enum sf_size_fn fn, int *level)
{
	for (int i = 0; i < NOPERATORS; i++)
		if (operators[i].fn == fn) {
			*level = operators[i].level;
			return operators[i].text;
		}
	return NULL;
}

static void print(const struct sf_size *size, int level, struct sf_buf *out);

static void
print_call(const struct sf_size *size, int level, struct sf_buf *out)
{
	int own = 0;
	const char *op = size->n >= 2 ? operator_of(size->fn, &own) : NULL;
	const char *open = op == NULL ? "(" : own < level ? "(" : "";

	if (op == NULL)
		sf_buf_printf(out, "%.*s", SF_STR_ARG(size->name));
	sf_buf_printf(out, "%s", open);
	for (int i = 0; i < size->n; i++) {
		if (i != 0 && op == NULL)
			sf_buf_printf(out, ", ");
		else if (i != 0)
			sf_buf_printf(out, own >= 6 ? "%s" : " %s ", op);
		print(size->args[i], op == NULL ? 0 : own + (i != 0), out);
	}
	if (*open != '\0')
		sf_buf_putc(out, ')');
}

/* A double that is a whole number shows that it is none of the integers. */
static void
print_real(double real, struct sf_buf *out)
{
	char text[SF_DOUBLE_MAX];
	size_t n = sf_double_format(real, text), whole = 0;

	while (whole < n && strchr("-0123456789", text[whole]) != NULL)
		whole++;
	sf_buf_put(out, text, n);
	if (whole == n)
		sf_buf_printf(out, ".0");
}

static void
print(const struct sf_size *size, int level, struct sf_buf *out)
{
	switch (size->kind) {
	case SF_SIZE_NUMBER:
		sf_buf_printf(out, "%lld", (long long)size->number);
		break;
	case SF_SIZE_REAL:
		print_real(size->real, out);
		break;
	case SF_SIZE_TRUTH:
		sf_buf_printf(out, size->number != 0 ? "True" : "False");
		break;
	case SF_SIZE_SYMBOL:
		sf_buf_put(out, size->name.p, size->name.n);
		break;
	case SF_SIZE_CALL:
		if (size->fn == SF_SIZE_SAME && size->n > 0)
			print(size->args[0], level, out);
		else
			print_call(size, level, out);
	}
}

void
sf_size_print(const struct sf_size *size, struct sf_buf *out)
{
	print(size, 0, out);
}

bool
sf_size_has(const struct sf_size *size, struct sf_str name)
{
	if (size->kind == SF_SIZE_SYMBOL)
		return sf_str_eq(size->name, name);
	for (int i = 0; i < size->n; i++)
		if (sf_size_has(size->args[i], name))
			return true;
	return false;
}
