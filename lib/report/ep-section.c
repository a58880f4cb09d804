/* The partition: what sf-ep found. */
#include "report/ep-section.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_ep_report *e = sf_arena_calloc(s->arena, 1, sizeof *e);

	sf_table_init(&e->types, s->arena);
	return e;
}

static void
release(void *state)
{
	struct sf_ep_report *e = state;

	sf_buf_release(&e->subgraph_of);
	sf_table_release(&e->types);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_ep_report *e = state;

	if (kind != SF_K_PARTITION)
		return;
	e->partitioned = true;
	sf_ep_result_read(s->stream, s->arena, &e->result);
}

/* ---- operators ---- */

static struct sf_ep_type *
type_of(struct sf_ep_report *e, struct sf_subject *s, struct sf_str name)
{
	struct sf_entry *entry = sf_table_add(&e->types, name);
	struct sf_ep_type *type = entry->ptr;

	if (type == NULL) {
		type = sf_arena_calloc(s->arena, 1, sizeof *type);
		type->name = entry->name;
		entry->ptr = type;
	}
	return type;
}

static void
count_side(
    struct sf_ep_type *type, const struct sf_op *op, enum sf_ep_side side)
{
	if (side == SF_EP_DEVICE)
		type->device++;
	else if (side == SF_EP_HOST)
		type->host++;
	else if (op->counts.category == SF_CAT_UNKNOWN)
		type->unknown++;
	else
		type->free++;
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_ep_report *e = state;
	struct sf_ep_type *type;
	struct sf_ep_op ep;

	if (op->ep.n == 0)
		return;
	sf_ep_op_read(s->stream, op, &ep);
	e->ops++;
	if (ep.subgraph == e->subgraphs)
		e->subgraphs++;
	sf_buf_put(&e->subgraph_of, &ep.subgraph, sizeof ep.subgraph);
	type = type_of(e, s, op->name);
	type->nodes++;
	type->claimed += ep.subgraph >= 0;
	count_side(type, op, ep.side);
}

static void
check(void *state, struct sf_subject *s)
{
	const struct sf_ep_report *e = state;

	if (e->partitioned)
		sf_subject_time(s, sf_ep_total_s(&e->result));
}

/* ---- what follows from it ---- */

int64_t
sf_ep_subgraph(const struct sf_ep_report *e, size_t i)
{
	return ((const int64_t *)(const void *)e->subgraph_of.p)[i];
}

const size_t *
sf_ep_by_subgraph(const struct sf_ep_report *e, struct sf_arena *arena)
{
	size_t nodes = (size_t)e->ops, groups = (size_t)e->subgraphs;
	size_t *order = sf_arena_calloc(arena, nodes + 1, sizeof *order);
	/* Where each group goes on; the last one is the host's. */
	size_t *next = sf_arena_calloc(arena, groups + 2, sizeof *next);

	for (size_t i = 0; i < nodes; i++) {
		int64_t group = sf_ep_subgraph(e, i);

		next[group < 0 ? groups + 1 : (size_t)group + 1]++;
	}
	for (size_t g = 1; g <= groups; g++)
		next[g] += next[g - 1];
	for (size_t i = 0; i < nodes; i++) {
		int64_t group = sf_ep_subgraph(e, i);

		order[next[group < 0 ? groups : (size_t)group]++] = i;
	}
	return order;
}

const struct sf_section sf_section_ep = {
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = sf_ep_markdown,
	.figures = sf_ep_figures,
	.release = release,
};
