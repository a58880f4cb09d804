/* What a trace adds up to. */
#include "trace/totals.h"

#include <stdlib.h>

void
sf_totals_init(struct sf_totals *totals, struct sf_arena *arena)
{
	*totals = (struct sf_totals){ .counted = true };
	sf_table_init(&totals->types, arena);
}

void
sf_totals_release(struct sf_totals *totals)
{
	sf_table_release(&totals->types);
}

void
sf_amount_add(struct sf_amount *a, const struct sf_amount *b)
{
	a->calls += b->calls;
	a->flops += b->flops;
	a->macs += b->macs;
	a->bytes += b->bytes;
	a->weight_bytes += b->weight_bytes;
}

static struct sf_type *
type_of(struct sf_totals *totals, struct sf_str name)
{
	struct sf_entry *entry = sf_table_add(&totals->types, name);
	struct sf_type *type = entry->ptr;

	if (type == NULL) {
		type = sf_arena_calloc(totals->types.arena, 1, sizeof *type);
		type->name = entry->name;
		entry->ptr = type;
	}
	return type;
}

/*
 * Files an operator that is not counted under its reason. When its shapes are
 * not known the stream does not tell whether there would be a rule.
 */
static void
add_unknown(
    struct sf_totals *totals, struct sf_type *type, const struct sf_op *op)
{
	totals->unknown_calls++;
	if (type->no_rule + type->unresolved == 0)
		totals->unknown_types++;
	if (op->unresolved.n == 0) {
		type->no_rule++;
		return;
	}
	if (type->unresolved++ == 0)
		type->reason.p = sf_arena_strndup(totals->types.arena,
		    op->unresolved.p, type->reason.n = op->unresolved.n);
	else if (!sf_str_eq(type->reason, op->unresolved))
		type->reasons_differ = true;
}

static void
add_counts(
    struct sf_totals *totals, struct sf_type *type, const struct sf_op *op)
{
	const struct sf_counts *c = &op->counts;
	const struct sf_amount one = { .calls = 1,
		.flops = c->flops,
		.macs = c->macs,
		.bytes = c->bytes_read + c->bytes_written,
		.weight_bytes = c->weight_bytes };

	sf_amount_add(&totals->all, &one);
	sf_amount_add(&totals->by_category[c->category], &one);
	sf_amount_add(&type->sum, &one);
	type->categories |= 1u << c->category;
	if (c->category == SF_CAT_UNKNOWN)
		add_unknown(totals, type, op);
}

void
sf_totals_add(struct sf_totals *totals, const struct sf_op *op)
{
	struct sf_type *type = type_of(totals, op->name);

	totals->counted = op->counted;
	totals->ops++;
	totals->folded += op->folded;
	totals->dead += op->dead;
	if (op->counted)
		add_counts(totals, type, op);
	else
		type->sum.calls++;
}

struct sf_type *
sf_totals_type(const struct sf_totals *totals, struct sf_str name)
{
	return sf_table_find(&totals->types, name)->ptr;
}

void
sf_type_categories(struct sf_buf *out, const struct sf_type *type)
{
	const char *comma = "";

	for (int c = 0; c < SF_CAT_COUNT; c++) {
		if ((type->categories >> c & 1) == 0)
			continue;
		sf_buf_printf(
		    out, "%s%s", comma, sf_category_name((enum sf_category)c));
		comma = ", ";
	}
}

/* -1, 0, 1: the larger first. */
static int
falling(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int
compare_types(const void *left, const void *right)
{
	const struct sf_type *a = *(struct sf_type *const *)left;
	const struct sf_type *b = *(struct sf_type *const *)right;
	int order = falling(a->sum.flops, b->sum.flops);

	if (order == 0)
		order = falling(a->sum.bytes, b->sum.bytes);
	if (order == 0)
		order = falling(a->sum.calls, b->sum.calls);
	return order != 0 ? order : strcmp(a->name.p, b->name.p);
}

struct sf_type **
sf_totals_sorted(const struct sf_totals *totals, struct sf_arena *arena)
{
	size_t n = totals->types.n;
	struct sf_type **all = sf_arena_calloc(arena, n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = totals->types.order[i]->ptr;
	qsort(all, n, sizeof(struct sf_type *), compare_types);
	return all;
}
