/* Claiming operator types by name. */
#include "ep/claim.h"

/* A type of ONNX as people call it. */
static struct sf_str
short_name(struct sf_str name)
{
	static const struct sf_str prefix = SF_STR_INIT("onnx.");

	if (sf_str_starts(name, prefix.p)) {
		name.p += prefix.n;
		name.n -= prefix.n;
	}
	return name;
}

bool
sf_claim_parse(struct sf_claim *claim, const char *text, struct sf_arena *arena,
    struct sf_error *error)
{
	sf_table_init(&claim->types, arena);
	for (const char *p = text;; p++) {
		size_t n = strcspn(p, ",");
		struct sf_str name = short_name((struct sf_str){ p, n });
		struct sf_entry *e;

		if (name.n == 0)
			return sf_fail(error,
			    "found an empty name in '%.100s', expected "
			    "operator types as in Conv,Gemm",
			    text);
		e = sf_table_add(&claim->types, name);
		if (e->ptr == NULL)
			e->ptr = sf_arena_calloc(
			    arena, 1, sizeof(struct sf_claimed));
		p += n;
		if (*p == '\0')
			return true;
	}
}

void
sf_claim_release(struct sf_claim *claim)
{
	sf_table_release(&claim->types);
}

void
sf_claim_begin(struct sf_claim *claim)
{
	for (size_t i = 0; i < claim->types.n; i++) {
		struct sf_claimed *claimed = claim->types.order[i]->ptr;

		claimed->in_trace = 0;
	}
}

void
sf_claim_texts(const struct sf_claim *claim, bool in_trace,
    struct sf_arena *arena, struct sf_texts *texts)
{
	texts->n = 0;
	texts->v = sf_arena_calloc(arena, claim->types.n + 1, sizeof *texts->v);
	for (size_t i = 0; i < claim->types.n; i++) {
		const struct sf_entry *e = claim->types.order[i];
		const struct sf_claimed *claimed = e->ptr;

		if ((claimed->in_trace != 0) == in_trace)
			texts->v[texts->n++] = e->name;
	}
}

bool
sf_claim_take(struct sf_claim *claim, struct sf_str name)
{
	struct sf_entry *e = sf_table_find(&claim->types, short_name(name));
	struct sf_claimed *claimed;

	if (e == NULL)
		return false;
	claimed = e->ptr;
	claimed->in_trace++;
	claimed->in_all++;
	return true;
}
