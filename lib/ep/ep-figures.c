/* The partition and its cost, for programs. */
#include "ep/ep-report.h"

/* The claimed types that the trace has, or has not. */
static void
fig_claimed(struct sf_figures *f, const char *key, const struct sf_claim *claim,
    bool met)
{
	sf_fig_open(f, key, '[');
	for (size_t i = 0; i < claim->types.n; i++) {
		const struct sf_entry *e = claim->types.order[i];
		const struct sf_claimed *claimed = e->ptr;

		if ((claimed->in_trace != 0) == met)
			sf_fig_str(f, NULL, e->name);
	}
	sf_fig_close(f);
}

static void
fig_categories(struct sf_figures *f, const struct sf_ep_result *r)
{
	if (r->request->by_node) {
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
	const struct sf_list *settings = &r->request->settings;

	sf_fig_str(f, "preset", sf_str_of(r->accel->preset));
	sf_fig_open(f, "settings", '[');
	for (size_t i = 0; i < settings->n; i++)
		sf_fig_str(f, NULL, sf_str_of(settings->v[i]));
	sf_fig_close(f);
	sf_fig_str(f, "engine", sf_str_of(r->split->type->name));
	sf_fig_open(f, "host", '{');
	sf_fig_str(f, "name", sf_str_of(r->host->name));
	sf_fig_double(f, "flops_per_s", r->split->host.flops_per_s, "FLOP/s");
	sf_fig_double(f, "bytes_per_s", r->split->host.bytes_per_s, "bytes/s");
	sf_fig_close(f);
	sf_fig_open(f, "link", '{');
	sf_fig_str(f, "name", sf_str_of(r->link->name));
	sf_fig_double(f, "bytes_per_s", r->split->link_bytes_per_s, "bytes/s");
	sf_fig_double(f, "latency_s", r->split->link_latency_s, "s");
	sf_fig_close(f);
}

static void
fig_cost(struct sf_figures *f, const struct sf_split_cost *cost)
{
	sf_fig_int(f, "crossings", cost->crossings, "");
	sf_fig_int(f, "crossing_bytes", cost->crossing_bytes, "bytes");
	sf_fig_int(f, "tiles", cost->tiles, "");
	sf_fig_double(f, "device_s", cost->device_s, "s");
	sf_fig_double(f, "host_s", cost->host_s, "s");
	sf_fig_double(f, "link_s", cost->link_s, "s");
	sf_fig_double(
	    f, "total_s", cost->device_s + cost->host_s + cost->link_s, "s");
}

/* The nodes of each subgraph, and those of the host. */
static void
fig_nodes(
    struct sf_figures *f, const struct sf_partition *p, struct sf_arena *arena)
{
	const size_t *order = sf_ep_by_subgraph(p, arena);
	size_t i = 0, n = sf_partition_count(p);

	sf_fig_open(f, "subgraph_ops", '[');
	for (int64_t g = 0; g < p->subgraphs; g++) {
		sf_fig_open(f, NULL, '[');
		for (; i < n && sf_partition_node(p, order[i])->subgraph == g;
		     i++)
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
fig_types(
    struct sf_figures *f, const struct sf_ep_result *r, struct sf_arena *arena)
{
	size_t n;
	const struct sf_ep_type *types = sf_ep_types(r, arena, &n);

	sf_fig_open(f, "types", '[');
	for (size_t i = 0; i < n; i++) {
		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "name", types[i].name);
		sf_fig_int(f, "nodes", types[i].nodes, "");
		sf_fig_int(f, "claimed", types[i].claimed, "");
		sf_fig_int(f, "device", types[i].device, "");
		sf_fig_int(f, "host", types[i].host, "");
		sf_fig_int(f, "free", types[i].free, "");
		sf_fig_int(f, "unknown", types[i].unknown, "");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

void
sf_ep_figures(
    const struct sf_ep_result *r, struct sf_arena *arena, struct sf_figures *f)
{
	const struct sf_partition *p = r->partition;

	sf_fig_trace(f, &r->trace);
	fig_claimed(f, "claim", r->claim, true);
	fig_claimed(f, "not_in_trace", r->claim, false);
	fig_categories(f, r);
	fig_machine(f, r);
	sf_fig_int(f, "ops", (int64_t)sf_partition_count(p), "");
	sf_fig_int(f, "claimed", p->claimed, "");
	sf_fig_int(f, "subgraphs", p->subgraphs, "");
	sf_fig_int(f, "cut_edges", p->cut, "");
	fig_cost(f, &r->split->cost);
	fig_types(f, r, arena);
	fig_nodes(f, p, arena);
}
