/* Expressions: parsed by descent, evaluated on a stack. */
#include "sweep/formula.h"

#include <string.h>

#include "base/num.h"
#include "base/quantity.h"

enum {
	CONSTANT = 256,
	NAME,
	MIN,
	MAX,
	NEGATE,
	NOT,
	AND,
	OR,
	LESS,
	LESS_EQUAL,
	EQUAL,
	DIFFERENT
};

struct parser {
	struct sf_formula *f;
	const char *p;
	struct sf_arena *arena;
	struct sf_error *error;
	int room, names_room;
	int depth; /* of brackets */
	int stack; /* values that wait at this step */
};

static bool
fail(struct parser *p, const char *expected)
{
	size_t at = (size_t)(p->p - p->f->text) + 1;

	if (*p->p == '\0')
		return sf_fail(
		    p->error, "'%s' ends, expected %s", p->f->text, expected);
	return sf_fail(p->error, "'%s': column %zu: expected %s", p->f->text,
	    at, expected);
}

/* ---- steps ---- */

/* Adds a step that leaves MORE values on the stack than it found. */
static bool
emit(struct parser *p, struct sf_formula_step step, int more)
{
	struct sf_formula *f = p->f;

	p->stack += more;
	if (p->stack > SF_FORMULA_DEEPEST)
		return sf_fail(p->error,
		    "'%s' has more than %d values that wait, expected less",
		    f->text, SF_FORMULA_DEEPEST);
	if (f->nsteps == p->room) {
		int room = p->room != 0 ? 2 * p->room : 16;
		struct sf_formula_step *steps =
		    sf_arena_calloc(p->arena, (size_t)room, sizeof *steps);

		if (f->nsteps != 0)
			memcpy(
			    steps, f->steps, (size_t)f->nsteps * sizeof *steps);
		f->steps = steps;
		p->room = room;
	}
	f->steps[f->nsteps++] = step;
	return true;
}

static bool
emit_binary(struct parser *p, int what)
{
	return emit(p, (struct sf_formula_step){ .what = what }, -1);
}

static int
name_of(struct parser *p, struct sf_str name)
{
	struct sf_formula *f = p->f;

	for (int i = 0; i < f->nnames; i++)
		if (sf_str_eq(f->names[i], name))
			return i;
	if (f->nnames == p->names_room) {
		int room = p->names_room != 0 ? 2 * p->names_room : 8;
		struct sf_str *names =
		    sf_arena_calloc(p->arena, (size_t)room, sizeof *names);

		if (f->nnames != 0)
			memcpy(
			    names, f->names, (size_t)f->nnames * sizeof *names);
		f->names = names;
		p->names_room = room;
	}
	f->names[f->nnames] = name;
	return f->nnames++;
}

/* ---- tokens ---- */

static void
blanks(struct parser *p)
{
	while (*p->p == ' ' || *p->p == '\t')
		p->p++;
}

static bool
take(struct parser *p, const char *text)
{
	size_t n = strlen(text);

	blanks(p);
	if (strncmp(p->p, text, n) != 0)
		return false;
	p->p += n;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "1.5e9", "4MiB", "25.6GB/s": the longest that is one. */
static bool
number(struct parser *p)
{
	static const enum sf_unit units[] = { SF_UNIT_NONE, SF_UNIT_BYTES,
		SF_UNIT_BYTES_PER_S, SF_UNIT_S, SF_UNIT_HZ, SF_UNIT_FLOPS };
	const char *end = p->p;
	struct sf_error why;
	char *text;
	double x;

	while (is_digit(*end) || *end == '.')
		end++;
	if ((*end == 'e' || *end == 'E') &&
	    (is_digit(end[1]) ||
		((end[1] == '-' || end[1] == '+') && is_digit(end[2]))))
		for (end += 2; is_digit(*end);)
			end++;
	if (is_letter(*end)) {
		while (is_letter(*end))
			end++;
		if (end[0] == '/' && end[1] == 's' && !is_letter(end[2]))
			end += 2;
	}
	text = sf_arena_strndup(p->arena, p->p, (size_t)(end - p->p));
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (sf_quantity_parse(text, units[i], &x, &why)) {
			p->p = end;
			return emit(
			    p, (struct sf_formula_step){ CONSTANT, x, 0 }, 1);
		}
	return fail(p, "a number, with or without a unit");
}

/* ---- grammar, from the tightest on ---- */

static bool expression(struct parser *p);

static bool
nested(struct parser *p)
{
	bool ok;

	if (++p->depth > SF_FORMULA_DEEPEST)
		return fail(p, "fewer brackets inside each other");
	ok = expression(p);
	p->depth--;
	return ok;
}

static bool
call(struct parser *p, int what)
{
	return (take(p, "(") || fail(p, "'('")) && nested(p) &&
	    (take(p, ",") || fail(p, "','")) && nested(p) &&
	    (take(p, ")") || fail(p, "')'")) && emit_binary(p, what);
}

static bool
name(struct parser *p)
{
	const char *end = p->p;
	struct sf_str word;

	while (is_letter(*end) || is_digit(*end) || *end == '.')
		end++;
	word = (struct sf_str){ p->p, (size_t)(end - p->p) };
	p->p = end;
	if (sf_str_is(word, "min"))
		return call(p, MIN);
	if (sf_str_is(word, "max"))
		return call(p, MAX);
	return emit(
	    p, (struct sf_formula_step){ NAME, 0, name_of(p, word) }, 1);
}

static bool
primary(struct parser *p)
{
	blanks(p);
	if (is_digit(*p->p) || *p->p == '.')
		return number(p);
	if (is_letter(*p->p))
		return name(p);
	if (take(p, "("))
		return nested(p) && (take(p, ")") || fail(p, "')'"));
	return fail(p, "a number, a name or '('");
}

static bool
unary(struct parser *p)
{
	int what = 0;

	blanks(p);
	if (*p->p == '-')
		what = NEGATE;
	else if (*p->p == '!' && p->p[1] != '=')
		what = NOT;
	if (what == 0)
		return primary(p);
	p->p++;
	if (++p->depth > SF_FORMULA_DEEPEST)
		return fail(p, "fewer signs behind each other");
	if (!unary(p))
		return false;
	p->depth--;
	return emit(p, (struct sf_formula_step){ .what = what }, 0);
}

/* Binary operators, the tightest first; the longer of two spellings first. */
static const struct {
	int level;
	const char *text;
	int what;
} operators[] = {
	{ 0, "*", '*' },
	{ 0, "/", '/' },
	{ 1, "+", '+' },
	{ 1, "-", '-' },
	{ 2, "<=", LESS_EQUAL },
	{ 2, ">=", '>' + LESS_EQUAL },
	{ 2, "<", LESS },
	{ 2, ">", '>' + LESS },
	{ 2, "==", EQUAL },
	{ 2, "!=", DIFFERENT },
	{ 3, "&&", AND },
	{ 4, "||", OR },
};

enum {
	LOOSEST = 4
};

static int
operator_of(struct parser *p, int level)
{
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (operators[i].level == level && take(p, operators[i].text))
			return operators[i].what;
	return 0;
}

static bool
binary(struct parser *p, int level)
{
	int what;

	if (level < 0)
		return unary(p);
	if (!binary(p, level - 1))
		return false;
	while ((what = operator_of(p, level)) != 0)
		if (!binary(p, level - 1) || !emit_binary(p, what))
			return false;
	return true;
}

static bool
expression(struct parser *p)
{
	return binary(p, LOOSEST);
}

bool
sf_formula_parse(struct sf_formula *f, const char *text, struct sf_arena *arena,
    struct sf_error *error)
{
	struct parser p = { .f = f, .p = text, .arena = arena, .error = error };

	*f = (struct sf_formula){ .text = text };
	if (!expression(&p))
		return false;
	blanks(&p);
	return *p.p == '\0' || fail(&p, "an operator or the end");
}

/* ---- evaluation ---- */

static double
apply(int what, double a, double b)
{
	switch (what) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case '>' + LESS:
		return a > b;
	case '>' + LESS_EQUAL:
		return a >= b;
	case EQUAL:
		return a == b;
	case DIFFERENT:
		return a != b;
	case AND:
		return a != 0 && b != 0;
	default:
		return a != 0 || b != 0; /* OR */
	}
}

double
sf_formula_eval(const struct sf_formula *f, const double *values)
{
	double stack[SF_FORMULA_DEEPEST + 1];
	int n = 0;

	for (int i = 0; i < f->nsteps; i++) {
		const struct sf_formula_step *s = &f->steps[i];

		if (s->what == CONSTANT)
			stack[n++] = s->x;
		else if (s->what == NAME)
			stack[n++] = values[s->name];
		else if (s->what == NEGATE)
			stack[n - 1] = -stack[n - 1];
		else if (s->what == NOT)
			stack[n - 1] = stack[n - 1] == 0;
		else {
			stack[n - 2] =
			    apply(s->what, stack[n - 2], stack[n - 1]);
			n--;
		}
	}
	return stack[0];
}
