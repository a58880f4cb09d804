/* The partition and its cost, for people. */
#include "ep/ep-report.h"
#include "text/human.h"
#include "text/markdown.h"

static void
put_us(struct sf_grid *grid, double seconds)
{
	sf_human_double(sf_grid_cell(grid), seconds * 1e6, 2);
}

/* The one row that splits are compared by. */
static void
put_row(struct sf_buf *out, const struct sf_ep_result *r)
{
	static const char *const heads[] = { "Claimed", "Subgraphs",
		"Crossings", "kB", "Device us", "Host us", "Link us",
		"Total us" };
	const struct sf_split_cost *cost = &r->split->cost;
	struct sf_buf *cell;
	struct sf_grid grid;

	sf_grid_init(&grid, "rrrrrrrr");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(&grid, heads[i]);
	cell = sf_grid_cell(&grid);
	sf_human_int(cell, r->partition->claimed);
	sf_buf_putc(cell, '/');
	sf_human_int(cell, (int64_t)sf_partition_count(r->partition));
	sf_grid_int(&grid, r->partition->subgraphs);
	sf_grid_int(&grid, cost->crossings);
	sf_human_ratio(sf_grid_cell(&grid), cost->crossing_bytes, 1000, 1);
	put_us(&grid, cost->device_s);
	put_us(&grid, cost->host_s);
	put_us(&grid, cost->link_s);
	put_us(&grid, cost->device_s + cost->host_s + cost->link_s);
	sf_grid_finish(&grid, out);
}

/* ---- what it rests on ---- */

/* The claimed types that the trace has, or has not; "-" for none. */
static void
put_claimed(struct sf_grid *grid, const struct sf_claim *claim, bool met)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	const char *between = "";

	for (size_t i = 0; i < claim->types.n; i++) {
		const struct sf_entry *e = claim->types.order[i];
		const struct sf_claimed *claimed = e->ptr;

		if ((claimed->in_trace != 0) != met)
			continue;
		sf_buf_printf(cell, "%s", between);
		sf_md_text(cell, e->name);
		between = ", ";
	}
	if (between[0] == '\0')
		sf_buf_putc(cell, '-');
}

static void
put_categories(struct sf_grid *grid, const struct sf_ep_result *r)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	const char *between = "";

	if (r->request->by_node) {
		SF_BUF_LIT(cell, "the claimed nodes");
		return;
	}
	for (int c = 0; c < SF_CAT_COUNT; c++) {
		if ((r->categories >> c & 1) == 0)
			continue;
		sf_buf_printf(cell, "%s%s", between,
		    sf_category_name((enum sf_category)c));
		between = ", ";
	}
	if (between[0] == '\0')
		sf_buf_putc(cell, '-');
}

static void
put_device(struct sf_grid *grid, const struct sf_ep_result *r)
{
	const struct sf_list *settings = &r->request->settings;
	struct sf_buf *cell = sf_grid_cell(grid);

	sf_md_text(cell, sf_str_of(r->accel->preset));
	for (size_t i = 0; i < settings->n; i++) {
		SF_BUF_LIT(cell, ", ");
		sf_md_text(cell, sf_str_of(settings->v[i]));
	}
	sf_buf_printf(cell, " (engine %s)", r->split->type->name);
}

static void
put_terms(struct sf_buf *out, const struct sf_ep_result *r)
{
	struct sf_grid grid;

	sf_grid_init(&grid, "ll");
	sf_grid_label(&grid, "Terms");
	sf_grid_label(&grid, "");
	sf_grid_label(&grid, "Claimed types");
	put_claimed(&grid, r->claim, true);
	sf_grid_label(&grid, "Not in the trace");
	put_claimed(&grid, r->claim, false);
	sf_grid_label(&grid, "The device runs");
	put_categories(&grid, r);
	sf_grid_label(&grid, "Device");
	put_device(&grid, r);
	sf_grid_label(&grid, "Host");
	sf_grid_text(&grid, sf_str_of(r->host->name));
	sf_grid_label(&grid, "Link");
	sf_grid_text(&grid, sf_str_of(r->link->name));
	sf_grid_label(&grid, "Edges between the sides");
	sf_grid_int(&grid, r->partition->cut);
	sf_grid_finish(&grid, out);
}

/* ---- types and subgraphs ---- */

static void
put_types(struct sf_buf *out, const struct sf_ep_type *types, size_t n)
{
	static const char *const heads[] = { "Type", "Nodes", "Claimed",
		"On the device", "On the host", "Free", "Unknown" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "### By operator type\n\n");
	sf_grid_init(&grid, "lrrrrrr");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(&grid, heads[i]);
	for (size_t i = 0; i < n; i++) {
		sf_grid_text(&grid, types[i].name);
		sf_grid_int(&grid, types[i].nodes);
		sf_grid_int(&grid, types[i].claimed);
		sf_grid_int(&grid, types[i].device);
		sf_grid_int(&grid, types[i].host);
		sf_grid_int(&grid, types[i].free);
		sf_grid_int(&grid, types[i].unknown);
	}
	sf_grid_finish(&grid, out);
}

/* "0, 4-7": rising numbers, runs of them drawn together. */
static void
put_runs(struct sf_buf *cell, const size_t *v, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end] == v[end - 1] + 1; end++)
			;
		sf_buf_printf(cell, "%s%zu", i == 0 ? "" : ", ", v[i]);
		if (end - i > 1)
			sf_buf_printf(cell, "-%zu", v[end - 1]);
	}
}

static void
put_subgraphs(
    struct sf_buf *out, const struct sf_partition *p, struct sf_arena *arena)
{
	const size_t *order = sf_ep_by_subgraph(p, arena);
	size_t n = (size_t)p->claimed;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Subgraphs\n\n");
	sf_grid_init(&grid, "rrl");
	sf_grid_label(&grid, "Subgraph");
	sf_grid_label(&grid, "Nodes");
	sf_grid_label(&grid, "Operators");
	for (size_t i = 0, end; i < n; i = end) {
		int64_t g = sf_partition_node(p, order[i])->subgraph;

		for (end = i + 1;
		     end < n && sf_partition_node(p, order[end])->subgraph == g;
		     end++)
			;
		sf_grid_int(&grid, g);
		sf_grid_int(&grid, (int64_t)(end - i));
		put_runs(sf_grid_cell(&grid), order + i, end - i);
	}
	sf_grid_finish(&grid, out);
}

/* Sums that leave something out must not look as if they did not. */
static void
put_warning(struct sf_buf *out, const struct sf_ep_type *types, size_t n)
{
	int64_t unknown = 0;

	for (size_t i = 0; i < n; i++)
		unknown += types[i].unknown;
	if (unknown == 0)
		return;
	SF_BUF_LIT(out, "**Not all is costed**: ");
	sf_human_int(out, unknown);
	SF_BUF_LIT(out,
	    " of the nodes are not counted and take no time; they are named "
	    "below.\n\n");
}

void
sf_ep_markdown(
    const struct sf_ep_result *r, struct sf_arena *arena, struct sf_buf *out)
{
	size_t n;
	const struct sf_ep_type *types = sf_ep_types(r, arena, &n);

	if (r->number > 1)
		sf_buf_putc(out, '\n');
	SF_BUF_LIT(out, "# ");
	sf_md_text(
	    out, r->trace.model.n != 0 ? r->trace.model : SF_STR("(no name)"));
	SF_BUF_LIT(out, "\n\n## Execution provider\n\n");
	put_row(out, r);
	put_warning(out, types, n);
	put_terms(out, r);
	if (n != 0)
		put_types(out, types, n);
	if (r->partition->subgraphs != 0)
		put_subgraphs(out, r->partition, arena);
}
