/* Types of values. */
#include "compile/fx-type.h"

#include "torch/dtype.h"

static bool
fail(struct sf_error *error, struct sf_str text, const char *expected)
{
	return sf_fail(error, "found type '%.*s', expected %s",
	    SF_STR_ARG(text), expected);
}

/* The bracket that closes the one TEXT begins with; NULL: none does. */
static const char *
closing(struct sf_str text)
{
	int depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		depth += c == '[' || c == '(';
		depth -= c == ']' || c == ')';
		if (depth == 0)
			return text.p + i;
	}
	return NULL;
}

/* Cuts the first size off *S: up to a comma outside of brackets. */
static struct sf_str
cut_size(struct sf_str *s)
{
	struct sf_str size = *s;
	size_t i;
	int depth = 0;

	for (i = 0; i < s->n && (s->p[i] != ',' || depth > 0); i++) {
		depth += s->p[i] == '(';
		depth -= s->p[i] == ')';
	}
	size.n = i;
	i += i < s->n;
	s->p += i;
	s->n -= i;
	return sf_str_trim(size);
}

static bool
read_shape(struct sf_tensor *t, struct sf_str sizes, struct sf_str text,
    struct sf_fx_symbols *symbols, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_str rest = sf_str_trim(sizes), names[SF_MAX_RANK];
	int64_t dims[SF_MAX_RANK];
	bool open = false;

	t->rank_known = true;
	while (rest.n != 0) {
		struct sf_str size = cut_size(&rest);
		enum sf_fx_size found;

		if (t->rank == SF_MAX_RANK)
			return fail(error, text, "64 sizes or fewer");
		found = sf_fx_size_eval(size, symbols, arena, &dims[t->rank]);
		if (found == SF_FX_SIZE_WRONG)
			return fail(error, text, "sizes of a tensor");
		names[t->rank] = SF_STR("");
		if (found == SF_FX_SIZE_OPEN) {
			names[t->rank] = size;
			dims[t->rank] = SF_DIM_UNKNOWN;
			open = true;
		}
		t->rank++;
	}
	t->shape =
	    memcpy(sf_arena_calloc(arena, (size_t)t->rank + 1, sizeof dims[0]),
		dims, (size_t)t->rank * sizeof dims[0]);
	if (open)
		t->dim_names = memcpy(
		    sf_arena_calloc(arena, (size_t)t->rank, sizeof names[0]),
		    names, (size_t)t->rank * sizeof names[0]);
	return sf_tensor_measure(t) ||
	    fail(error, text, "fewer than 2^63 bytes");
}

static bool
in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* A subclass prints the tensor that it wraps: "DTensor(f32[8, 8], ...)". */
static struct sf_str
without_class(struct sf_str text)
{
	for (;;) {
		size_t n = 0;

		while (n < text.n && in_word(text.p[n]))
			n++;
		if (n == 0 || n == text.n || text.p[n] != '(' ||
		    sf_str_starts(text, "Sym(") ||
		    memchr(text.p + n, '[', text.n - n) == NULL)
			return text;
		text.p += n + 1;
		text.n -= n + 1;
	}
}

bool
sf_fx_type_parse(struct sf_fx_type *type, struct sf_str text,
    struct sf_fx_symbols *symbols, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_str word, rest;
	const char *end;

	text = without_class(text);

	*type = (struct sf_fx_type){ .kind = SF_FX_OPAQUE,
		.tensor = { .dtype = SF_DT_UNKNOWN } };
	if (text.n == 0) {
		type->kind = SF_FX_UNTYPED;
		return true;
	}
	word = (struct sf_str){ text.p, 0 };
	while (word.n < text.n && in_word(text.p[word.n]))
		word.n++;
	rest = (struct sf_str){ text.p + word.n, text.n - word.n };
	if (word.n == 0 || rest.n == 0)
		return word.n != 0 || fail(error, text, "a type");
	if ((end = closing(rest)) == NULL)
		return fail(error, text, "a bracket that closes");
	if (sf_str_is(word, "Sym")) {
		type->kind = SF_FX_SCALAR;
		return true;
	}
	if (rest.p[0] == '(')
		return true;
	if (rest.p[0] != '[')
		return fail(error, text, "a type");
	type->kind = SF_FX_TENSOR;
	type->core = (struct sf_str){ text.p, (size_t)(end + 1 - text.p) };
	type->tensor.dtype = sf_torch_dtype_of_readable(word);
	return read_shape(&type->tensor,
	    (struct sf_str){ rest.p + 1, (size_t)(end - rest.p - 1) }, text,
	    symbols, arena, error);
}
