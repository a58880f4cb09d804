/* Comparisons, for people: a row a trace, and what moved. */
#include "compare/part.h"
#include "text/human.h"
#include "text/markdown.h"

/* The units of the columns. */
struct page {
	const struct sf_comparison *c;
	const struct sf_scale *time, *flops, *bytes, *memory;
	bool timed, counted;
};

static struct page
page_of(const struct sf_comparison *c)
{
	struct page page = { .c = c };
	int64_t flops = 0, bytes = 0, memory = 0;
	double time_s = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct sf_compared *t = c->traces[i];

		if (t->flops > flops)
			flops = t->flops;
		if (t->bytes > bytes)
			bytes = t->bytes;
		if (t->memory > memory)
			memory = t->memory;
		if (t->latency_s > time_s)
			time_s = t->latency_s;
		page.timed = page.timed || t->latency_s >= 0;
		page.counted = page.counted || t->flops >= 0;
	}
	page.time = sf_scale_time(time_s);
	page.flops = sf_scale_flops(flops);
	page.bytes = sf_scale_bytes(bytes);
	page.memory = sf_scale_bytes(memory);
	return page;
}

static void
put_text(struct sf_grid *grid, struct sf_str text)
{
	if (text.n != 0)
		sf_grid_text(grid, text);
	else
		sf_grid_label(grid, "-");
}

static void
put_amount(struct sf_grid *grid, int64_t x, const struct sf_scale *scale)
{
	if (x < 0)
		sf_grid_label(grid, "-");
	else
		sf_human_amount_int(sf_grid_cell(grid), x, scale);
}

/* "x 2.00" of what the first trace takes. */
static void
put_factor(struct sf_grid *grid, double was, double is)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	if (!(was > 0) || is < 0 || !(is / was < 1e15)) {
		sf_buf_putc(cell, '-');
		return;
	}
	SF_BUF_LIT(cell, "x ");
	sf_human_double(cell, is / was, is / was < 0.1 ? 4 : 2);
}

static void
put_bound(struct sf_grid *grid, const struct sf_compared *t)
{
	struct sf_buf *cell = sf_grid_cell(grid);

	if (t->bound.n == 0)
		sf_buf_putc(cell, '-');
	sf_md_text(cell, t->bound);
	if (t->bound_share < 0)
		return;
	sf_buf_putc(cell, ' ');
	sf_human_share(cell, t->bound_share);
}

static void
put_fits(struct sf_grid *grid, const struct sf_compared *t)
{
	if (t->memory < 0 || !(t->has > 0))
		sf_grid_label(grid, "-");
	else
		sf_grid_label(grid, (double)t->memory <= t->has ? "yes" : "no");
}

static void
put_heads(struct sf_grid *grid, const struct page *page)
{
	const char *const heads[] = { "#", "Model", "Route", "Workload", "On",
		"Latency", "", "Bound", page->flops->unit, page->bytes->unit,
		"Memory", "Fits" };

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		sf_grid_label(grid, heads[i]);
}

static void
put_trace(struct sf_grid *grid, const struct page *page, size_t i)
{
	const struct sf_compared *t = page->c->traces[i];

	sf_grid_int(grid, (int64_t)i + 1);
	put_text(grid, t->model);
	put_text(grid, t->route);
	put_text(grid, t->workload);
	put_text(grid, t->on);
	if (t->latency_s >= 0)
		sf_human_scaled(sf_grid_cell(grid), t->latency_s, page->time);
	else
		sf_grid_label(grid, "-");
	put_factor(grid, page->c->traces[0]->latency_s, t->latency_s);
	put_bound(grid, t);
	put_amount(grid, t->flops, page->flops);
	put_amount(grid, t->bytes, page->bytes);
	if (t->memory < 0)
		sf_grid_label(grid, "-");
	else
		sf_human_scaled_int(
		    sf_grid_cell(grid), t->memory, page->memory);
	put_fits(grid, t);
}

/* What looks whole and is not would be the wrong answer. */
static void
put_left_out(struct sf_buf *out, const struct sf_comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct sf_compared *t = c->traces[i];

		if (t->uncounted == 0)
			continue;
		sf_buf_printf(out, "%zu leaves out **", i + 1);
		sf_human_int(out, t->uncounted);
		SF_BUF_LIT(out, " of ");
		sf_human_int(out, t->ops);
		SF_BUF_LIT(out, " operators**, which are not counted.\n\n");
	}
}

/* ---- where the time of simulated ones went ---- */

static void
put_stalls(struct sf_buf *out, const struct sf_comparison *c)
{
	static const struct {
		const char *head;
		enum sf_summary_id id;
	} columns[] = { { "Computing", SF_SUM_STALL_COMPUTE },
		{ "Load bandwidth", SF_SUM_STALL_LOAD },
		{ "Buffer full", SF_SUM_STALL_BUFFER },
		{ "Dependencies", SF_SUM_STALL_DEPENDENCY },
		{ "Last stores", SF_SUM_STALL_STORE } };
	struct sf_grid grid;
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		any = any || c->traces[i]->simulated;
	if (!any)
		return;
	SF_BUF_LIT(out, "## Where the time of the compute units went\n\n");
	sf_grid_init(&grid, "rrrrrr");
	sf_grid_label(&grid, "#");
	for (int k = 0; k < 5; k++)
		sf_grid_label(&grid, columns[k].head);
	for (size_t i = 0; i < c->n; i++) {
		const struct sf_compared *t = c->traces[i];

		if (!t->simulated)
			continue;
		sf_grid_int(&grid, (int64_t)i + 1);
		for (int k = 0; k < 5; k++)
			if (t->latency_s > 0)
				sf_grid_share(&grid,
				    t->summary.v[columns[k].id].d /
					t->latency_s);
			else
				sf_grid_label(&grid, "-");
	}
	sf_grid_finish(&grid, out);
}

/* ---- what moved ---- */

/* " x 2.00", or " 100 to 0" where a factor says little. */
static void
put_change(struct sf_buf *out, int64_t was, int64_t is)
{
	sf_buf_putc(out, ' ');
	if (was == 0 || (double)is / (double)was < 0.01) {
		sf_human_int(out, was);
		SF_BUF_LIT(out, " to ");
		sf_human_int(out, is);
	} else {
		SF_BUF_LIT(out, "x ");
		sf_human_double(out, (double)is / (double)was, 2);
	}
}

/* "load bandwidth +12.30 us". */
static void
put_wait(
    struct sf_buf *out, const struct page *page, const struct sf_move *move)
{
	double by_s =
	    move->is.waits_s[move->wait] - move->was.waits_s[move->wait];

	for (const char *p = sf_waiting_name(move->wait); *p != '\0'; p++)
		sf_buf_putc(out, *p == '_' ? ' ' : *p);
	sf_buf_printf(out, by_s > 0 ? " +" : " ");
	sf_human_scaled(out, by_s, page->time);
}

/* "FLOPs x 2.00", "unit array to vector". */
static void
put_cause(struct sf_buf *out, const struct page *page, enum sf_cause cause,
    const struct sf_move *move)
{
	const struct sf_beside_first *was = &move->was, *is = &move->is;

	if (cause == SF_CAUSE_STALL) {
		put_wait(out, page, move);
		return;
	}
	sf_buf_printf(out, "%s", sf_cause_name(cause));
	if (cause == SF_CAUSE_CALLS)
		put_change(out, was->calls, is->calls);
	else if (cause == SF_CAUSE_FLOPS)
		put_change(out, was->flops, is->flops);
	else if (cause == SF_CAUSE_BYTES)
		put_change(out, was->bytes, is->bytes);
	else if (cause == SF_CAUSE_TYPE)
		sf_buf_printf(out, " %.*s to %.*s", SF_STR_ARG(was->dtype),
		    SF_STR_ARG(is->dtype));
	else if (cause == SF_CAUSE_UNIT)
		sf_buf_printf(out, " %.*s to %.*s", SF_STR_ARG(was->unit),
		    SF_STR_ARG(is->unit));
	else if (cause == SF_CAUSE_BOUND)
		sf_buf_printf(out, " %.*s to %.*s", SF_STR_ARG(was->bound),
		    SF_STR_ARG(is->bound));
}

static void
put_move(
    struct sf_grid *grid, const struct page *page, const struct sf_move *move)
{
	double by_s = move->is.time_s - move->was.time_s;
	const char *comma = "";
	struct sf_buf *cell;

	put_text(grid, move->name);
	sf_human_scaled(sf_grid_cell(grid), move->was.time_s, page->time);
	sf_human_scaled(sf_grid_cell(grid), move->is.time_s, page->time);
	cell = sf_grid_cell(grid);
	if (by_s > 0)
		sf_buf_putc(cell, '+');
	sf_human_scaled(cell, by_s, page->time);
	cell = sf_grid_cell(grid);
	for (int i = 0; i < SF_CAUSE_COUNT; i++) {
		if ((move->causes >> i & 1) == 0)
			continue;
		sf_buf_printf(cell, "%s", comma);
		put_cause(cell, page, (enum sf_cause)i, move);
		comma = ", ";
	}
}

static void
put_moves(struct sf_buf *out, const struct page *page, size_t i)
{
	static const char *const heads[] = { "#1", "This", "By", "Why" };
	const struct sf_compared *t = page->c->traces[i];
	struct sf_grid grid;

	if (t->beside && t->moved == 0)
		sf_buf_printf(out, "Nothing moved from 1 to %zu.\n\n", i + 1);
	if (t->nmoves == 0)
		return;
	sf_buf_printf(out, "## What moved from 1 to %zu\n\n", i + 1);
	sf_grid_init(&grid, "lrrrl");
	sf_grid_label(&grid,
	    page->c->by == SF_ROWS_MODULE     ? "Module"
		: page->c->by == SF_ROWS_NODE ? "Node"
					      : "Type");
	for (int k = 0; k < 4; k++)
		sf_grid_label(&grid, heads[k]);
	for (size_t k = 0; k < t->nmoves; k++)
		put_move(&grid, page, &t->moves[k]);
	sf_grid_finish(&grid, out);
	if (t->nmoves < t->moved) {
		sf_human_int(out, (int64_t)(t->moved - t->nmoves));
		SF_BUF_LIT(out, " more moved less.\n\n");
	}
}

void
sf_comparison_markdown(const struct sf_comparison *c, struct sf_buf *out)
{
	struct page page = page_of(c);
	struct sf_grid grid;

	SF_BUF_LIT(out, "# Comparison\n\n");
	sf_grid_init(&grid, "rllllrrlrrrl");
	put_heads(&grid, &page);
	for (size_t i = 0; i < c->n; i++)
		put_trace(&grid, &page, i);
	sf_grid_finish(&grid, out);
	put_left_out(out, c);
	put_stalls(out, c);
	for (size_t i = 1; i < c->n; i++)
		put_moves(out, &page, i);
}
