/* The partition and its cost, for people. */
#include "report/ep-section.h"
#include "text/human.h"
#include "text/markdown.h"

/* The one row that splits are compared by. */
static void
put_row(struct sf_buf *out, const struct sf_ep_report *e,
    const struct sf_scale *scale)
{
	static const char *const times[] = { "Device", "Host", "Link",
		"Total" };
	const struct sf_ep_result *r = &e->result;
	const double times_s[] = { r->device_s, r->host_s, r->link_s,
		sf_ep_total_s(r) };
	const struct sf_scale *bytes = sf_scale_column_bytes(
	    r->crossing_bytes < 1000 ? 1000 : r->crossing_bytes);
	struct sf_buf *cell;
	struct sf_grid grid;

	sf_grid_init(&grid, "rrrrrrrr");
	sf_grid_label(&grid, "Claimed");
	sf_grid_label(&grid, "Subgraphs");
	sf_grid_label(&grid, "Crossings");
	sf_grid_label(&grid, bytes->unit);
	for (size_t i = 0; i < 4; i++)
		sf_buf_printf(
		    sf_grid_cell(&grid), "%s %s", times[i], scale->unit);
	cell = sf_grid_cell(&grid);
	sf_human_int(cell, r->claimed);
	sf_buf_putc(cell, '/');
	sf_human_int(cell, e->ops);
	sf_grid_int(&grid, r->subgraphs);
	sf_grid_int(&grid, r->crossings);
	sf_human_amount_int(sf_grid_cell(&grid), r->crossing_bytes, bytes);
	for (size_t i = 0; i < 4; i++)
		sf_human_amount(sf_grid_cell(&grid), times_s[i], scale);
	sf_grid_finish(&grid, out);
}

/* ---- what it rests on ---- */

/* "Conv, Gemm"; "-" for none. */
static void
put_texts(struct sf_grid *grid, const struct sf_texts *texts)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	for (int i = 0; i < texts->n; i++) {
		sf_buf_printf(cell, "%s", i == 0 ? "" : ", ");
		sf_md_text(cell, texts->v[i]);
	}
	if (texts->n == 0)
		sf_buf_putc(cell, '-');
}

static void
put_categories(struct sf_grid *grid, const struct sf_ep_result *r)
{
	struct sf_buf *cell = sf_grid_cell(grid);
	const char *between = "";

	if (r->by_node) {
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
	struct sf_buf *cell = sf_grid_cell(grid);

	sf_md_text(cell, r->preset);
	for (int i = 0; i < r->settings.n; i++) {
		SF_BUF_LIT(cell, ", ");
		sf_md_text(cell, r->settings.v[i]);
	}
	sf_buf_printf(cell, " (engine %s)", sf_engine_names[r->engine]);
}

static void
put_terms(struct sf_buf *out, const struct sf_ep_result *r)
{
	struct sf_grid grid;

	sf_grid_init(&grid, "ll");
	sf_grid_label(&grid, "Terms");
	sf_grid_label(&grid, "");
	sf_grid_label(&grid, "Claimed types");
	put_texts(&grid, &r->claim);
	sf_grid_label(&grid, "Not in the trace");
	put_texts(&grid, &r->not_in_trace);
	sf_grid_label(&grid, "The device runs");
	put_categories(&grid, r);
	sf_grid_label(&grid, "Device");
	put_device(&grid, r);
	sf_grid_label(&grid, "Host");
	sf_grid_text(&grid, r->host.name);
	sf_grid_label(&grid, "Link");
	sf_grid_text(&grid, r->link.name);
	sf_grid_label(&grid, "Edges between the sides");
	sf_grid_int(&grid, r->cut_edges);
	sf_grid_finish(&grid, out);
}

/* ---- types and subgraphs ---- */

static void
put_types(struct sf_buf *out, const struct sf_ep_report *e)
{
	static const char *const heads[] = { "Type", "Nodes", "Claimed",
		"On the device", "On the host", "Free", "Unknown" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "### By operator type\n\n");
	sf_grid_init(&grid, "lrrrrrr");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(&grid, heads[i]);
	for (size_t i = 0; i < e->types.n; i++) {
		const struct sf_ep_type *type = e->types.order[i]->ptr;

		sf_grid_text(&grid, type->name);
		sf_grid_int(&grid, type->nodes);
		sf_grid_int(&grid, type->claimed);
		sf_grid_int(&grid, type->device);
		sf_grid_int(&grid, type->host);
		sf_grid_int(&grid, type->free);
		sf_grid_int(&grid, type->unknown);
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
    struct sf_buf *out, const struct sf_ep_report *e, struct sf_arena *arena)
{
	const size_t *order = sf_ep_by_subgraph(e, arena);
	size_t n = (size_t)e->result.claimed;
	struct sf_grid grid;

	SF_BUF_LIT(out, "### Subgraphs\n\n");
	sf_grid_init(&grid, "rrl");
	sf_grid_label(&grid, "Subgraph");
	sf_grid_label(&grid, "Nodes");
	sf_grid_label(&grid, "Operators");
	for (size_t i = 0, end; i < n; i = end) {
		int64_t g = sf_ep_subgraph(e, order[i]);

		for (end = i + 1; end < n && sf_ep_subgraph(e, order[end]) == g;
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
put_warning(struct sf_buf *out, const struct sf_ep_report *e)
{
	int64_t unknown = 0;

	for (size_t i = 0; i < e->types.n; i++) {
		const struct sf_ep_type *type = e->types.order[i]->ptr;

		unknown += type->unknown;
	}
	if (unknown == 0)
		return;
	SF_BUF_LIT(out, "**Not all is costed**: ");
	sf_human_int(out, unknown);
	SF_BUF_LIT(out,
	    " of the nodes are not counted and take no time; they are named "
	    "below.\n\n");
}

void
sf_ep_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_ep_report *e = state;

	if (!e->partitioned)
		return;
	SF_BUF_LIT(out, "## Execution provider\n\n");
	put_row(out, e, sf_subject_scale(s));
	put_warning(out, e);
	put_terms(out, &e->result);
	if (e->types.n != 0)
		put_types(out, e);
	if (e->subgraphs != 0)
		put_subgraphs(out, e, s->arena);
}
