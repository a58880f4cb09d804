/* The call whose results are derived: what it was given, what it gives. */
#include "dispatch/result.h"

#include <string.h>

#include "base/num.h"

const struct sf_tensor *
sf_result_tensor(const struct sf_result *w, int i)
{
	if (i >= w->nargs || w->args[i].tensor < 0)
		return NULL;
	return sf_call_tensor(&w->call->inputs, w->args[i].tensor);
}

void
sf_result_give(
    struct sf_result *w, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	int64_t *sizes =
	    sf_arena_calloc(w->call->arena, (size_t)rank + 1, sizeof *sizes);
	struct sf_tensor t = {
		.dtype = dtype, .rank = rank, .shape = sizes, .rank_known = true
	};

	if (rank != 0)
		memcpy(sizes, shape, (size_t)rank * sizeof *sizes);
	t.tid = sf_str_of("");
	w->fits &= sf_call_add(&w->call->outputs, t);
}

void
sf_result_give_unknown(struct sf_result *w)
{
	struct sf_tensor t = { .dtype = SF_DT_UNKNOWN };

	t.tid = sf_str_of("");
	sf_call_add(&w->call->outputs, t);
}

void
sf_result_give_like(
    struct sf_result *w, const struct sf_tensor *t, enum sf_dtype dtype)
{
	if (t != NULL)
		sf_result_give(w, dtype, t->rank, t->shape);
}

struct sf_str
sf_result_concrete(const struct sf_result *w, const char *name)
{
	struct sf_str rest = sf_str_of(w->names);

	for (int i = 0; rest.n != 0 && i < w->nargs; i++)
		if (sf_str_is(sf_str_cut(&rest, ' '), name))
			return w->args[i].concrete;
	return sf_str_of("");
}

int
sf_result_integers(struct sf_str text, int64_t *out, int most)
{
	int n = 0;

	if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
		text.p++;
		text.n -= 2;
	} else if (text.n == 0) {
		return -1;
	}
	while (text.n != 0) {
		struct sf_str part = sf_str_cut(&text, ',');

		if (n == most || !sf_int_parse(part.p, part.n, &out[n]))
			return -1;
		n++;
	}
	return n;
}
