/* The symbols in sizes. */
#include "export/symbols.h"

#include "base/buf.h"
#include "base/near.h"
#include "base/num.h"
#include "export/part.h"
#include "trace/dtype.h"

/* An expression that was met, and what it comes to without hints. */
struct expression {
	struct sf_size *size;
	struct sf_size_value value;
	struct sf_str text; /* as people write it */
	bool has_given;     /* a symbol that --dim names is in it */
};

/* ---- symbols ---- */

static struct sf_export_symbol *
symbol_of(struct sf_export_symbols *s, struct sf_str name)
{
	struct sf_entry *e = sf_table_add(&s->names, name);
	struct sf_export_symbol *symbol = e->ptr;

	if (symbol == NULL) {
		symbol = e->ptr = sf_arena_calloc(s->arena, 1, sizeof *symbol);
		symbol->name = e->name;
	}
	return symbol;
}

static bool
lookup(void *context, struct sf_str name, int64_t *value)
{
	struct sf_export_symbol *symbol = symbol_of(context, name);

	symbol->declared = true;
	*value = symbol->value;
	return symbol->known;
}

/* "2 to 64", "at least 2". */
static const char *
range_text(const struct sf_export_symbol *symbol, struct sf_arena *arena)
{
	if (symbol->has_min && symbol->has_max)
		return sf_arena_printf(arena, "%lld to %lld",
		    (long long)symbol->min, (long long)symbol->max);
	if (symbol->has_max)
		return sf_arena_printf(
		    arena, "at most %lld", (long long)symbol->max);
	return sf_arena_printf(arena, "at least %lld", (long long)symbol->min);
}

static bool
check_range(struct sf_export_symbols *s, const struct sf_export_symbol *symbol,
    struct sf_error *error)
{
	if ((!symbol->has_min || symbol->value >= symbol->min) &&
	    (!symbol->has_max || symbol->value <= symbol->max))
		return true;
	s->blame = symbol->given;
	return sf_fail(error, "%s%.*s is %lld, and the program is for %s",
	    symbol->given ? "option '--dim': " : "", SF_STR_ARG(symbol->name),
	    (long long)symbol->value, range_text(symbol, s->arena));
}

static void
read_ranges(struct sf_export_symbols *s, struct sf_str ranges)
{
	struct sf_parts parts = sf_parts_of_object(ranges, s->arena);
	struct sf_str name, range;

	while (sf_parts_member(&parts, &name, &range)) {
		struct sf_export_symbol *symbol = symbol_of(s, name);

		symbol->declared = true;
		symbol->has_min = sf_part_int(
		    sf_part_of(range, "min_val", s->arena), &symbol->min);
		symbol->has_max = sf_part_int(
		    sf_part_of(range, "max_val", s->arena), &symbol->max);
	}
}

static bool
take_given(
    struct sf_export_symbols *s, const char *text, struct sf_error *error)
{
	struct sf_str name = { text, strcspn(text, "=") };
	struct sf_str value = sf_str_of(text + name.n);
	struct sf_export_symbol *symbol;
	int64_t n;

	s->blame = true;
	if (name.n == 0 || value.n < 2 ||
	    !sf_int_parse(value.p + 1, value.n - 1, &n) || n < 0)
		return sf_fail(error,
		    "option '--dim': found '%s', expected NAME=N with N >= 0",
		    text);
	symbol = symbol_of(s, name);
	if (symbol->given && symbol->value != n)
		return sf_fail(error,
		    "option '--dim': '%.*s' is given two sizes, %lld and %lld",
		    SF_STR_ARG(name), (long long)symbol->value, (long long)n);
	s->ngiven++;
	symbol->given = symbol->known = true;
	symbol->value = n;
	return check_range(s, symbol, error);
}

bool
sf_export_symbols_init(struct sf_export_symbols *s, struct sf_str ranges,
    const struct sf_list *given, struct sf_arena *arena, struct sf_error *error)
{
	*s = (struct sf_export_symbols){ .arena = arena };
	sf_table_init(&s->names, arena);
	sf_table_init(&s->sizes, arena);
	read_ranges(s, ranges);
	for (size_t i = 0; i < given->n; i++)
		if (!take_given(s, given->v[i], error))
			return false;
	s->blame = false;
	return true;
}

void
sf_export_symbols_release(struct sf_export_symbols *s)
{
	sf_table_release(&s->names);
	sf_table_release(&s->sizes);
}

bool
sf_export_symbols_check(
    const struct sf_export_symbols *s, struct sf_error *error)
{
	struct sf_buf list = { 0 };

	for (size_t i = 0; i < s->names.n; i++) {
		const struct sf_export_symbol *symbol = s->names.order[i]->ptr;

		if (symbol->declared)
			sf_buf_printf(&list, "%s%.*s", list.n != 0 ? ", " : "",
			    SF_STR_ARG(symbol->name));
	}
	for (size_t i = 0; i < s->names.n; i++) {
		const struct sf_export_symbol *symbol = s->names.order[i]->ptr;

		if (symbol->declared)
			continue;
		sf_near_put_of(&list, symbol->name);
		sf_fail(error,
		    "option '--dim': no size is named '%.*s'; %s%.*s",
		    SF_STR_ARG(symbol->name),
		    list.n != 0 ? "expected " : "all are fixed", (int)list.n,
		    list.n != 0 ? list.p : "");
		sf_buf_release(&list);
		return false;
	}
	sf_buf_release(&list);
	return true;
}

/* ---- expressions ---- */

static bool
has_given(const struct sf_export_symbols *s, const struct sf_size *size)
{
	for (size_t i = 0; s->ngiven != 0 && i < s->names.n; i++) {
		const struct sf_export_symbol *symbol = s->names.order[i]->ptr;

		if (symbol->given && sf_size_has(size, symbol->name))
			return true;
	}
	return false;
}

static struct sf_str
printed(struct sf_export_symbols *s, const struct sf_size *size)
{
	struct sf_buf buf = { 0 };
	char *text;
	size_t n;

	sf_size_print(size, &buf);
	n = buf.n;
	text = sf_arena_strndup(s->arena, n != 0 ? buf.p : "", n);
	sf_buf_release(&buf);
	return (struct sf_str){ text, n };
}

/* The expression TEXT, evaluated when it is first met. */
static const struct expression *
expression_of(
    struct sf_export_symbols *s, struct sf_str text, struct sf_error *error)
{
	struct sf_entry *e = sf_table_add(&s->sizes, text);
	struct expression *x = e->ptr;
	struct sf_error why;

	if (x != NULL)
		return x;
	x = sf_arena_calloc(s->arena, 1, sizeof *x);
	x->size = sf_size_parse(e->name, s->arena, &why);
	if (x->size == NULL) {
		sf_fail(error, "a size cannot be read: %s", why.text);
		return NULL;
	}
	x->text = printed(s, x->size);
	x->has_given = has_given(s, x->size);
	if (!sf_size_eval(x->size, lookup, s, &x->value, &why)) {
		s->blame = x->has_given;
		sf_fail(error, "%.*s: %s", SF_STR_ARG(x->text), why.text);
		return NULL;
	}
	e->ptr = x;
	return x;
}

/* The text of an expression in a union, its hint beside it. */
static bool
split_size(struct sf_export_symbols *s, struct sf_str size, struct sf_str *text,
    struct sf_str *hint)
{
	struct sf_str tag, value;

	if (!sf_part_union(size, s->arena, &tag, &value) ||
	    !SF_KEY(tag, "as_expr"))
		return false;
	*hint = sf_part_of(value, "hint", s->arena);
	*text = sf_part_name(value, "expr_str", s->arena);
	return text->n != 0;
}

/* A hint is a union of numbers, or a bare one. */
static bool
hint_value(
    struct sf_export_symbols *s, struct sf_str hint, struct sf_size_value *v)
{
	struct sf_str tag, inside = hint;
	bool truth;

	*v = (struct sf_size_value){ .is = SF_SIZE_IS_EXACT, .den = 1 };
	if (hint.n != 0 && *hint.p == '{' &&
	    !sf_part_union(hint, s->arena, &tag, &inside))
		return false;
	if (sf_part_int(inside, &v->num))
		return true;
	if (sf_part_bool(inside, &truth)) {
		v->is = SF_SIZE_IS_TRUTH;
		v->num = truth;
		return true;
	}
	v->is = SF_SIZE_IS_REAL;
	return sf_part_double(inside, &v->real);
}

bool
sf_export_symbols_hint(
    struct sf_export_symbols *s, struct sf_str size, struct sf_error *error)
{
	struct sf_str text, hint;
	struct sf_export_symbol *symbol;
	struct sf_size_value v;
	struct sf_arena *arena;
	struct sf_size *bare;
	struct sf_error why;

	if (!split_size(s, size, &text, &hint) || !hint_value(s, hint, &v) ||
	    v.is != SF_SIZE_IS_EXACT)
		return true;
	arena = sf_arena_new();
	bare = sf_size_parse(text, arena, &why);
	symbol = bare != NULL && bare->kind == SF_SIZE_SYMBOL
	    ? symbol_of(s, bare->name)
	    : NULL;
	sf_arena_free(arena);
	if (symbol == NULL || symbol->known)
		return true;
	symbol->declared = symbol->known = true;
	symbol->value = v.num;
	return check_range(s, symbol, error);
}

/*
 * The hint stands for what cannot be computed, unless --dim made it another
 * program's; and what can be computed is what the hint says.
 */
static bool
with_hint(struct sf_export_symbols *s, const struct expression *x,
    struct sf_str hint, struct sf_export_size *out, struct sf_error *error)
{
	struct sf_size_value v;

	out->value = x->value;
	out->text = x->text;
	if (x->has_given || !hint_value(s, hint, &v))
		return true;
	if (x->value.is == SF_SIZE_IS_OPEN)
		out->value = v;
	else if (x->value.is == v.is && v.is != SF_SIZE_IS_REAL &&
	    (x->value.num != v.num || x->value.den != 1))
		return sf_fail(error,
		    "%.*s comes to %lld, and the file has the hint %lld",
		    SF_STR_ARG(x->text), (long long)x->value.num,
		    (long long)v.num);
	return true;
}

bool
sf_export_size(struct sf_export_symbols *s, struct sf_str size,
    struct sf_export_size *out, struct sf_error *error)
{
	const struct expression *x;
	struct sf_str text, hint;

	*out = (struct sf_export_size){ .text = SF_STR("") };
	if (split_size(s, size, &text, &hint)) {
		x = expression_of(s, text, error);
		return x != NULL && with_hint(s, x, hint, out, error);
	}
	/* as_int, or a bare number; what is neither stays open. */
	if (!hint_value(s, size, &out->value))
		out->value.is = SF_SIZE_IS_OPEN;
	return true;
}

bool
sf_export_dim(struct sf_export_symbols *s, struct sf_str size, int64_t *out,
    struct sf_str *text, struct sf_error *error)
{
	struct sf_export_size got;

	if (!sf_export_size(s, size, &got, error))
		return false;
	*out = SF_DIM_UNKNOWN;
	*text = got.text;
	if (got.value.is == SF_SIZE_IS_OPEN)
		return true;
	if (got.value.is != SF_SIZE_IS_EXACT || got.value.den != 1 ||
	    got.value.num < 0) {
		s->blame = s->ngiven != 0;
		return sf_fail(error, "%.*s is no count",
		    SF_STR_ARG(got.text.n != 0 ? got.text : size));
	}
	*out = got.value.num;
	*text = SF_STR("");
	return true;
}
