/* How many index combinations an Einstein summation runs over. */
#include "rules/einsum.h"

#include "base/num.h"

enum {
	MAX_ELLIPSIS = 64, /* dimensions behind "..." */
};

struct sizes {
	int64_t label[128];             /* by letter; -1: not met */
	int64_t ellipsis[MAX_ELLIPSIS]; /* from the last dimension */
	int nellipsis;
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A dimension of one stretches to whatever the others have. */
static bool
merge(int64_t *size, int64_t found)
{
	if (*size == found || found == 1)
		return true;
	if (*size != -1 && *size != 1)
		return false;
	*size = found;
	return true;
}

static bool
take_ellipsis(struct sizes *sizes, const int64_t *shape, int n)
{
	if (n > MAX_ELLIPSIS)
		return false;
	for (int i = 0; i < n; i++) {
		if (i >= sizes->nellipsis)
			sizes->ellipsis[sizes->nellipsis++] = 1;
		if (!merge(&sizes->ellipsis[i], shape[n - 1 - i]))
			return false;
	}
	return true;
}

/* Takes the sizes of one tensor in; TERM is its part of the equation. */
static bool
take_term(struct sizes *sizes, struct sf_str term, const struct sf_tensor *t)
{
	int letters = 0, at = 0;

	for (size_t i = 0; i < term.n; i++)
		letters += is_letter(term.p[i]);
	for (size_t i = 0; i < term.n; i++) {
		char c = term.p[i];

		if (c == ' ')
			continue;
		if (c == '.' && term.n - i >= 3 &&
		    memcmp(term.p + i, "...", 3) == 0) {
			if (t->rank < letters ||
			    !take_ellipsis(
				sizes, t->shape + at, t->rank - letters))
				return false;
			at += t->rank - letters;
			i += 2;
		} else if (is_letter(c)) {
			int64_t *size = &sizes->label[(int)c];

			if (at >= t->rank || !merge(size, t->shape[at]))
				return false;
			if (*size == -1)
				*size = 1;
			at++;
		} else {
			return false;
		}
	}
	return at == t->rank;
}

static bool
product(const struct sizes *sizes, int64_t *out)
{
	int64_t all[128 + MAX_ELLIPSIS];
	size_t n = 0;

	for (int c = 0; c < 128; c++)
		if (sizes->label[c] != -1)
			all[n++] = sizes->label[c];
	for (int i = 0; i < sizes->nellipsis; i++)
		all[n++] = sizes->ellipsis[i];
	return sf_product(all, n, out);
}

bool
sf_einsum_combinations(struct sf_str equation, const struct sf_op *op,
    int64_t *out, struct sf_error *error)
{
	const char *arrow = memmem(equation.p, equation.n, "->", 2);
	const char *end = arrow != NULL ? arrow : equation.p + equation.n;
	const char *p = equation.p;
	struct sizes sizes = { .nellipsis = 0 };
	int i = 0;

	for (int c = 0; c < 128; c++)
		sizes.label[c] = -1;
	for (;; i++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma != NULL ? comma : end;
		struct sf_str term = { p, (size_t)(stop - p) };

		if (i >= op->ninputs || op->inputs[i].absent ||
		    !take_term(&sizes, term, &op->inputs[i]))
			return sf_fail(error,
			    "the equation '%.*s' does not go with input %d",
			    SF_STR_ARG(equation), i + 1);
		if (comma == NULL)
			break;
		p = comma + 1;
	}
	if (i + 1 != op->ninputs)
		return sf_fail(error,
		    "the equation '%.*s' is for %d inputs, found %d",
		    SF_STR_ARG(equation), i + 1, op->ninputs);
	if (!product(&sizes, out))
		return sf_fail(error,
		    "the index combinations of '%.*s' pass 2^63 - 1",
		    SF_STR_ARG(equation));
	return true;
}
