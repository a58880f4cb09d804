/* The partition: what sf-ep found, and whether its records agree. */
#include "report/ep-section.h"

#include "base/num.h"

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
	if (e->partitioned)
		sf_stream_die(s->stream, "a second partition record");
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

/* Subgraphs are numbered in the order of their first operators. */
static void
count_subgraph(struct sf_ep_report *e, struct sf_subject *s,
    const struct sf_op *op, int64_t subgraph)
{
	if (subgraph > e->subgraphs)
		sf_op_die(s->stream, op,
		    "ep: the subgraph is %lld, expected at most %lld: they are "
		    "numbered as they begin",
		    (long long)subgraph, (long long)e->subgraphs);
	if (subgraph == e->subgraphs)
		e->subgraphs++;
	if (subgraph >= 0)
		e->claimed++;
	sf_buf_put(&e->subgraph_of, &subgraph, sizeof subgraph);
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_ep_report *e = state;
	struct sf_ep_type *type;
	struct sf_ep_op ep;

	if (op->ep.n == 0)
		return;
	if (!op->counted)
		sf_op_die(
		    s->stream, op, "has its side, expected its counts, too");
	sf_ep_op_read(s->stream, op, &ep);
	e->ops++;
	count_subgraph(e, s, op, ep.subgraph);
	if (!sf_add(e->crossings, ep.crossings, &e->crossings) ||
	    !sf_add(e->crossing_bytes, ep.crossing_bytes, &e->crossing_bytes))
		sf_op_die(s->stream, op,
		    "the trace's sum of crossings passes 2^63 - 1");
	type = type_of(e, s, op->name);
	type->nodes++;
	type->claimed += ep.subgraph >= 0;
	count_side(type, op, ep.side);
}

static void
check_sum(struct sf_subject *s, const char *name, int64_t said, int64_t found)
{
	if (said != found)
		sf_stream_die(s->stream,
		    "the partition's '%s' is %lld, expected %lld as on the "
		    "operators",
		    name, (long long)said, (long long)found);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_ep_report *e = state;
	const struct sf_ep_result *r = &e->result;

	if (!e->partitioned && e->ops != 0)
		sf_stream_die(s->stream,
		    "%lld operators have a side, expected a partition record "
		    "after them",
		    (long long)e->ops);
	if (!e->partitioned)
		return;
	if (e->ops != s->totals.ops)
		sf_stream_die(s->stream,
		    "%lld of %lld operators have a side, expected all",
		    (long long)e->ops, (long long)s->totals.ops);
	check_sum(s, "claimed", r->claimed, e->claimed);
	check_sum(s, "subgraphs", r->subgraphs, e->subgraphs);
	check_sum(s, "crossings", r->crossings, e->crossings);
	check_sum(s, "crossing_bytes", r->crossing_bytes, e->crossing_bytes);
	sf_subject_time(s, sf_ep_total_s(r));
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
