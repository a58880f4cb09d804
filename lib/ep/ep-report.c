/* What both forms of the report want to know of a result. */
#include "ep/ep-report.h"

#include <stdlib.h>

enum sf_side
sf_ep_side(const struct sf_ep_result *r, const struct sf_ep_node *node)
{
	bool device = r->request->by_node
	    ? node->claimed
	    : (r->categories >> node->op.counts.category & 1) != 0;

	return device ? SF_SIDE_ACCEL : SF_SIDE_HOST;
}

static void
count_node(struct sf_ep_type *type, const struct sf_ep_result *r,
    const struct sf_ep_node *node)
{
	type->nodes++;
	type->claimed += node->claimed;
	if (node->op.counts.category == SF_CAT_UNKNOWN)
		type->unknown++;
	else if (sf_cost_is_free(&node->op.counts))
		type->free++;
	else if (sf_ep_side(r, node) == SF_SIDE_ACCEL)
		type->device++;
	else
		type->host++;
}

const struct sf_ep_type *
sf_ep_types(const struct sf_ep_result *r, struct sf_arena *arena, size_t *n)
{
	struct sf_ep_type *types;
	struct sf_table index;

	sf_table_init(&index, arena);
	for (size_t i = 0; i < sf_partition_count(r->partition); i++) {
		const struct sf_ep_node *node =
		    sf_partition_node(r->partition, i);
		struct sf_entry *e = sf_table_add(&index, node->op.name);

		if (e->ptr == NULL)
			e->ptr = sf_arena_calloc(arena, 1, sizeof *types);
		count_node(e->ptr, r, node);
	}
	*n = index.n;
	types = sf_arena_calloc(arena, index.n + 1, sizeof *types);
	for (size_t i = 0; i < index.n; i++) {
		types[i] = *(const struct sf_ep_type *)index.order[i]->ptr;
		types[i].name = index.order[i]->name;
	}
	sf_table_release(&index);
	return types;
}

const size_t *
sf_ep_by_subgraph(const struct sf_partition *p, struct sf_arena *arena)
{
	size_t nodes = sf_partition_count(p), groups = (size_t)p->subgraphs;
	size_t *order = sf_arena_calloc(arena, nodes + 1, sizeof *order);
	/* Where each group goes on; the last one is the host's. */
	size_t *next = sf_arena_calloc(arena, groups + 2, sizeof *next);

	for (size_t i = 0; i < nodes; i++) {
		int64_t group = sf_partition_node(p, i)->subgraph;

		next[group < 0 ? groups + 1 : (size_t)group + 1]++;
	}
	for (size_t g = 1; g <= groups; g++)
		next[g] += next[g - 1];
	for (size_t i = 0; i < nodes; i++) {
		int64_t group = sf_partition_node(p, i)->subgraph;

		order[next[group < 0 ? groups : (size_t)group]++] = i;
	}
	return order;
}

/* ---- the writer ---- */

struct sf_ep_writer {
	struct sf_buf *out;
	enum sf_format format;
	struct sf_figures figures;
	struct sf_arena *arena; /* of one trace */
};

struct sf_ep_writer *
sf_ep_writer_new(struct sf_buf *out, enum sf_format format)
{
	struct sf_ep_writer *w = sf_malloc(sizeof *w);

	*w = (struct sf_ep_writer){
		.out = out, .format = format, .arena = sf_arena_new()
	};
	sf_figures_init(&w->figures, out, format == SF_FORMAT_CSV);
	if (format == SF_FORMAT_CSV)
		sf_figures_csv_header(out);
	return w;
}

void
sf_ep_writer_free(struct sf_ep_writer *w)
{
	sf_figures_release(&w->figures);
	sf_arena_free(w->arena);
	free(w);
}

void
sf_ep_write(struct sf_ep_writer *w, const struct sf_ep_result *r)
{
	struct sf_figures_of of = { r->number, r->trace.model, r->trace.route,
		sf_trace_workload(&r->trace, w->arena) };

	if (w->format == SF_FORMAT_MD) {
		sf_ep_markdown(r, w->arena, w->out);
	} else {
		sf_figures_begin(&w->figures, &of);
		sf_ep_figures(r, w->arena, &w->figures);
		sf_figures_end(&w->figures);
	}
	sf_arena_reset(w->arena);
}
