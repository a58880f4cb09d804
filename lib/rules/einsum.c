/* Einstein summations: what they run over, and the products they are. */
#include "rules/einsum.h"

#include "base/num.h"
#include "rules/attr.h"

enum {
	LETTERS = 128,
	/* Behind the letters: dimensions of "...", from the last. */
	LABELS = LETTERS + SF_MAX_RANK,
	MAX_TERMS = SF_MAX_PRODUCTS + 1,
};

/* The labels of one term, or of the result. */
struct term {
	bool has[LABELS];
};

struct equation {
	struct sf_str text;
	int64_t size[LABELS]; /* -1: not met */
	int met[LABELS]; /* terms that a letter stands in, or twice in one */
	int n;
	struct term terms[MAX_TERMS];
	struct term result;
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
	if (*size == found || (found == 1 && *size != -1))
		return true;
	if (*size != -1 && *size != 1)
		return false;
	*size = found;
	return true;
}

/* The dimensions of "...", from the last. */
static bool
take_ellipsis(
    struct equation *q, struct term *term, const int64_t *shape, int n)
{
	for (int i = 0; i < n; i++) {
		if (!merge(&q->size[LETTERS + i], shape[n - 1 - i]))
			return false;
		term->has[LETTERS + i] = true;
	}
	return true;
}

static bool
is_ellipsis(struct sf_str text, size_t i)
{
	return text.n - i >= 3 && memcmp(text.p + i, "...", 3) == 0;
}

/* Takes in the labels and sizes of one tensor; TEXT is its part. */
static bool
take_term(struct equation *q, struct term *term, struct sf_str text,
    const struct sf_tensor *t)
{
	int letters = 0, at = 0;

	for (size_t i = 0; i < text.n; i++)
		letters += is_letter(text.p[i]);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == ' ')
			continue;
		if (is_ellipsis(text, i) && t->rank >= letters) {
			if (!take_ellipsis(
				q, term, t->shape + at, t->rank - letters))
				return false;
			at += t->rank - letters;
			i += 2;
		} else if (is_letter(c) && at < t->rank &&
		    merge(&q->size[(int)c], t->shape[at])) {
			term->has[(int)c] = true;
			q->met[(int)c]++;
			at++;
		} else {
			return false;
		}
	}
	return at == t->rank;
}

/* What stands behind the arrow; without one, the letters that are met once. */
static bool
take_result(struct equation *q, const char *arrow, const char *end)
{
	for (int c = LETTERS; c < LABELS; c++)
		q->result.has[c] = arrow == NULL && q->size[c] != -1;
	if (arrow == NULL) {
		for (int c = 0; c < LETTERS; c++)
			q->result.has[c] = q->met[c] == 1;
		return true;
	}
	for (const char *p = arrow + 2; p < end; p++) {
		struct sf_str rest = { p, (size_t)(end - p) };

		if (*p == ' ')
			continue;
		if (is_ellipsis(rest, 0)) {
			for (int c = LETTERS; c < LABELS; c++)
				q->result.has[c] = q->size[c] != -1;
			p += 2;
		} else if (is_letter(*p) && q->met[(int)*p] != 0) {
			q->result.has[(int)*p] = true;
		} else {
			return false;
		}
	}
	return true;
}

static bool
fail_input(const struct equation *q, struct sf_eval *e, int i)
{
	return sf_fail(e->error,
	    "the equation '%.*s' does not go with input %d",
	    SF_STR_ARG(q->text), i + 1);
}

static bool
take_terms(struct equation *q, struct sf_eval *e, const char *end)
{
	const char *p = q->text.p;

	for (;; q->n++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma != NULL ? comma : end;
		struct sf_str text = { p, (size_t)(stop - p) };

		if (q->n >= e->op->ninputs || e->op->inputs[q->n].absent)
			return fail_input(q, e, q->n);
		if (q->n == MAX_TERMS)
			return sf_fail(e->error,
			    "found more than %d operands, expected fewer",
			    MAX_TERMS);
		if (!take_term(q, &q->terms[q->n], text, &e->op->inputs[q->n]))
			return fail_input(q, e, q->n);
		if (comma == NULL)
			break;
		p = comma + 1;
	}
	q->n++;
	return true;
}

/* Reads the attribute, and the shapes of the inputs by it. */
static bool
read_equation(struct equation *q, struct sf_eval *e)
{
	const char *arrow, *end;

	*q = (struct equation){ .n = 0 };
	for (int c = 0; c < LABELS; c++)
		q->size[c] = -1;
	switch (sf_attr_text(e, SF_STR("equation"), &q->text)) {
	case SF_FOUND:
		break;
	case SF_FOUND_WRONG:
		return false;
	case SF_FOUND_NOT:
		return sf_fail(e->error, "attribute 'equation' is missing");
	}
	end = q->text.p + q->text.n;
	arrow = sf_str_find(q->text, "->");
	if (!take_terms(q, e, arrow != NULL ? arrow : end))
		return false;
	if (q->n != e->op->ninputs)
		return sf_fail(e->error,
		    "the equation '%.*s' is for %d inputs, found %d",
		    SF_STR_ARG(q->text), q->n, e->op->ninputs);
	if (!take_result(q, arrow, end))
		return sf_fail(e->error,
		    "the equation '%.*s' has a result that no input has",
		    SF_STR_ARG(q->text));
	return true;
}

static bool
too_large(const struct equation *q, struct sf_eval *e)
{
	sf_eval_too_large(e);
	return sf_fail(e->error,
	    "the index combinations of '%.*s' pass 2^63 - 1",
	    SF_STR_ARG(q->text));
}

bool
sf_einsum_combinations(struct sf_eval *e, int64_t *out)
{
	struct equation q;
	int64_t all[LABELS];
	size_t n = 0;

	if (!read_equation(&q, e))
		return false;
	for (int c = 0; c < LABELS; c++)
		if (q.size[c] != -1)
			all[n++] = q.size[c];
	return sf_mul_all(all, n, out) || too_large(&q, e);
}

/* True when a label is in the result or in a term from FROM on. */
static bool
is_needed(const struct equation *q, int label, int from)
{
	for (int i = from; i < q->n; i++)
		if (q->terms[i].has[label])
			return true;
	return q->result.has[label];
}

/* SUM becomes the product of itself and of term I. */
static bool
multiply(const struct equation *q, struct term *sum, int i, struct sf_eval *e,
    struct sf_products *out)
{
	struct sf_product p = { 1, 1, 1, 1, i == 1 ? 0 : -1, i, 0, 0 };
	const struct term *with = &q->terms[i];
	int parts = sf_dtype_parts(e->op->inputs[0].dtype);
	int64_t all[LABELS + 1], macs;
	size_t n = 0;

	for (int c = 0; c < LABELS; c++) {
		bool left = sum->has[c], right = with->has[c];
		int64_t *side = !is_needed(q, c, i + 1) ? &p.k
		    : left && right                     ? &p.batch
		    : left                              ? &p.m
							: &p.n;

		if (!left && !right)
			continue;
		all[n++] = q->size[c];
		if (!sf_mul(*side, q->size[c], side))
			return too_large(q, e);
		sum->has[c] = side != &p.k;
	}
	/* Of complex numbers as struct sf_product says. */
	all[n++] = parts * parts;
	if (!sf_mul(p.k, parts, &p.k) || !sf_mul(p.n, parts, &p.n) ||
	    !sf_mul_all(all, n, &macs) || !sf_add(out->macs, macs, &out->macs))
		return too_large(q, e);
	if (macs != 0)
		out->v[out->n++] = p;
	return true;
}

bool
sf_einsum_products(struct sf_eval *e, struct sf_products *out)
{
	struct equation q;
	struct term sum;

	if (!read_equation(&q, e))
		return false;
	sum = q.terms[0];
	for (int i = 1; i < q.n; i++)
		if (!multiply(&q, &sum, i, e, out))
			return false;
	return true;
}
