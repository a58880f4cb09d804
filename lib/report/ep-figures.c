/* The partition and its cost, for programs. */
#include "report/ep-section.h"

static void
fig_texts(struct sf_figures *f, const char *key, const struct sf_texts *texts)
{
	sf_fig_open(f, key, '[');
	for (int i = 0; i < texts->n; i++)
		sf_fig_str(f, NULL, texts->v[i]);
	sf_fig_close(f);
}

static void
fig_categories(struct sf_figures *f, const struct sf_ep_result *r)
{
	if (r->by_node) {
		sf_fig_null(f, "categories", "");
		return;
	}
	sf_fig_open(f, "categories", '[');
	for (int c = 0; c < SF_CAT_COUNT; c++)
		if ((r->categories >> c & 1) != 0)
			sf_fig_str(f, NULL,
			    sf_str_of(sf_category_name((enum sf_category)c)));
	sf_fig_close(f);
}

/* What the cost rests on. */
static void
fig_machine(struct sf_figures *f, const struct sf_ep_result *r)
{
	sf_fig_str(f, "preset", r->preset);
	fig_texts(f, "settings", &r->settings);
	sf_fig_str(f, "engine", sf_str_of(sf_engine_names[r->engine]));
	sf_fig_open(f, "host", '{');
	sf_fig_str(f, "name", r->host.name);
	sf_fig_double(f, "flops_per_s", r->host.flops_per_s, "FLOP/s");
	sf_fig_double(f, "bytes_per_s", r->host.bytes_per_s, "bytes/s");
	sf_fig_close(f);
	sf_fig_open(f, "link", '{');
	sf_fig_str(f, "name", r->link.name);
	sf_fig_double(f, "bytes_per_s", r->link.bytes_per_s, "bytes/s");
	sf_fig_double(f, "latency_s", r->link.latency_s, "s");
	sf_fig_close(f);
}

static void
fig_cost(struct sf_figures *f, const struct sf_ep_result *r)
{
	sf_fig_int(f, "crossings", r->crossings, "");
	sf_fig_int(f, "crossing_bytes", r->crossing_bytes, "bytes");
	sf_fig_int(f, "tiles", r->tiles, "");
	sf_fig_double(f, "device_s", r->device_s, "s");
	sf_fig_double(f, "host_s", r->host_s, "s");
	sf_fig_double(f, "link_s", r->link_s, "s");
	sf_fig_double(f, "total_s", sf_ep_total_s(r), "s");
}

/* The nodes of each subgraph, and those of the host. */
static void
fig_nodes(
    struct sf_figures *f, const struct sf_ep_report *e, struct sf_arena *arena)
{
	const size_t *order = sf_ep_by_subgraph(e, arena);
	size_t i = 0, n = (size_t)e->ops;

	sf_fig_open(f, "subgraph_ops", '[');
	for (int64_t g = 0; g < e->subgraphs; g++) {
		sf_fig_open(f, NULL, '[');
		for (; i < n && sf_ep_subgraph(e, order[i]) == g; i++)
			sf_fig_int(f, NULL, (int64_t)order[i], "");
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_fig_open(f, "host_ops", '[');
	for (; i < n; i++)
		sf_fig_int(f, NULL, (int64_t)order[i], "");
	sf_fig_close(f);
}

static void
fig_types(struct sf_figures *f, const struct sf_ep_report *e)
{
	sf_fig_open(f, "types", '[');
	for (size_t i = 0; i < e->types.n; i++) {
		const struct sf_ep_type *type = e->types.order[i]->ptr;

		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "name", type->name);
		sf_fig_int(f, "nodes", type->nodes, "");
		sf_fig_int(f, "claimed", type->claimed, "");
		sf_fig_int(f, "device", type->device, "");
		sf_fig_int(f, "host", type->host, "");
		sf_fig_int(f, "free", type->free, "");
		sf_fig_int(f, "unknown", type->unknown, "");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

void
sf_ep_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_ep_report *e = state;
	const struct sf_ep_result *r = &e->result;

	if (!e->partitioned)
		return;
	sf_fig_open(f, "ep", '{');
	fig_texts(f, "claim", &r->claim);
	fig_texts(f, "not_in_trace", &r->not_in_trace);
	fig_categories(f, r);
	fig_machine(f, r);
	sf_fig_int(f, "ops", e->ops, "");
	sf_fig_int(f, "claimed", r->claimed, "");
	sf_fig_int(f, "subgraphs", r->subgraphs, "");
	sf_fig_int(f, "cut_edges", r->cut_edges, "");
	fig_cost(f, r);
	fig_types(f, e);
	fig_nodes(f, e, s->arena);
	sf_fig_close(f);
}
