/* The sizes of results. */
#include "dispatch/result.h"

#include <string.h>

struct sizes {
	int rank;
	int64_t v[SF_MAX_RANK];
};

/* Widens S to hold the sizes of T, too; false when they do not go together. */
static bool
broadcast(struct sizes *s, int rank, const int64_t *shape)
{
	int shift;

	if (rank > s->rank) {
		memmove(s->v + (rank - s->rank), s->v,
		    (size_t)s->rank * sizeof *s->v);
		for (int i = 0; i < rank - s->rank; i++)
			s->v[i] = 1;
		s->rank = rank;
	}
	shift = s->rank - rank;
	for (int i = 0; i < rank; i++) {
		if (shape[i] == 1 || shape[i] == s->v[shift + i])
			continue;
		if (s->v[shift + i] != 1)
			return false;
		s->v[shift + i] = shape[i];
	}
	return true;
}

void
sf_result_join(struct sf_result *w, int from, enum sf_dtype dtype)
{
	struct sizes s = { 0 };
	int seen = 0;

	for (int i = from == 0 ? 0 : from - 1; i < w->nargs; i++) {
		const struct sf_tensor *t = sf_result_tensor(w, i);

		if (t == NULL)
			continue;
		if (!t->rank_known || !broadcast(&s, t->rank, t->shape))
			return;
		seen++;
	}
	if (seen != 0)
		sf_result_give(w, dtype, s.rank, s.v);
}

void
sf_result_product(struct sf_result *w, const struct sf_tensor *a,
    const struct sf_tensor *b, bool all)
{
	struct sizes s = { 0 };

	if (a == NULL || b == NULL || a->rank < 2 || b->rank < 2 ||
	    (!all && a->rank != b->rank))
		return;
	if (!broadcast(&s, a->rank - 2, a->shape) ||
	    !broadcast(&s, b->rank - 2, b->shape) ||
	    a->shape[a->rank - 1] != b->shape[b->rank - 2])
		return;
	s.v[s.rank] = a->shape[a->rank - 2];
	s.v[s.rank + 1] = b->shape[b->rank - 1];
	sf_result_give(w, a->dtype == b->dtype ? a->dtype : SF_DT_UNKNOWN,
	    s.rank + 2, s.v);
}

void
sf_result_relast(struct sf_result *w, const struct sf_tensor *a,
    enum sf_dtype dtype, int64_t last)
{
	struct sizes s = { .rank = a->rank };

	if (a->rank == 0)
		return;
	memcpy(s.v, a->shape, (size_t)a->rank * sizeof *s.v);
	s.v[s.rank - 1] = last;
	sf_result_give(w, dtype, s.rank, s.v);
}

/* The places that a window has: rounded up where CEIL. */
static int64_t
places(int64_t size, int64_t kernel, int64_t stride, int64_t pad,
    int64_t dilation, bool ceil)
{
	int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1, n;

	if (room < 0)
		return -1;
	n = (room + (ceil ? stride - 1 : 0)) / stride + 1;
	/* A window that begins in the padding behind does not count. */
	if (ceil && (n - 1) * stride >= size + pad)
		n--;
	return n;
}

/* A window's numbers, one a dimension; false when one is not known. */
static bool
window(const struct sf_result *w, const char *name, int n, int64_t *out)
{
	int got = sf_result_integers(sf_result_concrete(w, name), out, n);

	for (int i = 1; got == 1 && i < n; i++)
		out[i] = out[0];
	for (int i = 0; got > 0 && i < n; i++)
		if (out[i] < 0 || out[i] > 1 << 30)
			return false;
	return got == n || got == 1;
}

void
sf_result_convolution(struct sf_result *w)
{
	const struct sf_tensor *x = sf_result_tensor(w, 0),
			       *k = sf_result_tensor(w, 1);
	struct sf_str transposed = sf_result_concrete(w, "transposed");
	int64_t stride[3], pad[3], dilation[3];
	struct sizes s = { 0 };
	int n, at;

	if (x == NULL || k == NULL || k->rank < 3 || k->rank > 5 ||
	    (x->rank != k->rank && x->rank != k->rank - 1))
		return;
	n = k->rank - 2;
	at = x->rank - n;
	if (sf_str_is(transposed, "True") || !window(w, "stride", n, stride) ||
	    !window(w, "padding", n, pad) ||
	    !window(w, "dilation", n, dilation))
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	s.v[at - 1] = k->shape[0];
	for (int i = 0; i < n; i++) {
		if (stride[i] == 0 || k->shape[2 + i] > 1 << 30 ||
		    s.v[at + i] > INT64_C(1) << 40)
			return;
		s.v[at + i] = places(s.v[at + i], k->shape[2 + i], stride[i],
		    pad[i], dilation[i], false);
		if (s.v[at + i] < 0)
			return;
	}
	sf_result_give(w, x->dtype, s.rank, s.v);
}

void
sf_result_pool(struct sf_result *w)
{
	const struct sf_tensor *x = sf_result_tensor(w, 0);
	int64_t kernel[2], stride[2], pad[2], dilation[2] = { 1, 1 };
	bool ceil = sf_str_is(sf_result_concrete(w, "ceil_mode"), "True");
	struct sizes s = { 0 };

	if (x == NULL || x->rank < 3 || x->rank > 4 ||
	    !window(w, "kernel_size", 2, kernel) ||
	    !window(w, "padding", 2, pad))
		return;
	if (!window(w, "stride", 2, stride))
		memcpy(stride, kernel, sizeof stride);
	if (sf_result_concrete(w, "dilation").n != 0 &&
	    !window(w, "dilation", 2, dilation))
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	for (int i = 0; i < 2; i++) {
		int64_t *size = &s.v[s.rank - 2 + i];

		if (stride[i] == 0 || *size > INT64_C(1) << 40)
			return;
		*size = places(
		    *size, kernel[i], stride[i], pad[i], dilation[i], ceil);
		if (*size < 0)
			return;
	}
	sf_result_give(w, x->dtype, s.rank, s.v);
	if (sf_str_find(w->call->name, "indices") != NULL)
		sf_result_give(w, SF_DT_I64, s.rank, s.v);
}

void
sf_result_create(struct sf_result *w)
{
	struct sf_str size = sf_result_concrete(w, "size");
	struct sizes s = { 0 };

	s.rank = sf_str_is(size, "[]")
	    ? 0
	    : sf_result_integers(size, s.v, SF_MAX_RANK);
	for (int i = 0; i < s.rank; i++)
		if (s.v[i] < 0)
			return;
	if (s.rank >= 0)
		sf_result_give(w, sf_result_said_type(w, NULL), s.rank, s.v);
}

void
sf_result_reduce(struct sf_result *w)
{
	const struct sf_tensor *x = sf_result_tensor(w, 0);
	bool keep = sf_str_is(sf_result_concrete(w, "keepdim"), "True");
	bool gone[SF_MAX_RANK] = { false };
	int64_t dims[SF_MAX_RANK];
	struct sizes s = { 0 };
	int n =
	    sf_result_integers(sf_result_concrete(w, "dim"), dims, SF_MAX_RANK);

	if (x == NULL || !sf_result_is_real(x->dtype) || !w->concrete)
		return;
	if (w->nargs == 2) {
		/* Of all elements: the argument is a type. */
		if (w->args[1].concrete.n == 0)
			sf_result_give(w, x->dtype, 0, NULL);
		return;
	}
	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		int64_t at = dims[i] < 0 ? dims[i] + x->rank : dims[i];

		if (at < 0 || at >= x->rank)
			return;
		gone[at] = true;
	}
	for (int i = 0; i < x->rank; i++)
		if (!gone[i] && n != 0)
			s.v[s.rank++] = x->shape[i];
		else if (keep)
			s.v[s.rank++] = 1;
	sf_result_give(w, x->dtype, s.rank, s.v);
}

void
sf_result_pick(struct sf_result *w)
{
	const struct sf_tensor *x = sf_result_tensor(w, 0),
			       *rows_of = sf_result_tensor(w, 2);
	struct sizes s = { 0 };
	int64_t at;

	if (x == NULL || rows_of == NULL || rows_of->rank != 1 ||
	    sf_result_integers(sf_result_concrete(w, "dim"), &at, 1) != 1)
		return;
	at += at < 0 ? x->rank : 0;
	if (at < 0 || at >= x->rank)
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	s.v[at] = rows_of->shape[0];
	sf_result_give(w, x->dtype, s.rank, s.v);
}

void
sf_result_rows(struct sf_result *w)
{
	const struct sf_tensor *table = sf_result_tensor(w, 0),
			       *at = sf_result_tensor(w, 1);
	struct sizes s = { 0 };

	if (table == NULL || at == NULL || table->rank != 2 ||
	    at->rank == SF_MAX_RANK)
		return;
	s.rank = at->rank + 1;
	if (at->rank != 0)
		memcpy(s.v, at->shape, (size_t)at->rank * sizeof *s.v);
	s.v[at->rank] = table->shape[1];
	sf_result_give(w, table->dtype, s.rank, s.v);
}
