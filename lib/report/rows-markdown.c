/* Rows for people: the largest, and one line for all others. */
#include "report/rows.h"
#include "text/human.h"
#include "text/markdown.h"

/* The units, which the sums choose, as in the other reports. */
struct page {
	const struct sf_rows *rows;
	const struct sf_scale *time, *flops, *bytes;
};

static double
spent_s(const struct sf_rows *rows, const struct sf_row *row)
{
	return rows->simulated || rows->costed || rows->measured
	    ? sf_row_weight(rows, row)
	    : 0;
}

static int64_t
bytes_of(const struct sf_row *row)
{
	return row->bytes_read + row->bytes_written;
}

static struct page
page_of(const struct sf_rows *rows)
{
	int64_t flops = 0, bytes = 0;
	double time_s = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct sf_row *row = &rows->v[i];

		flops += row->flops;
		bytes += bytes_of(row);
		time_s += spent_s(rows, row);
	}
	return (struct page){ rows, sf_scale_time(time_s),
		sf_scale_column_flops(flops), sf_scale_column_bytes(bytes) };
}

/* ---- what a row is ---- */

static void
put_name_heads(struct sf_grid *grid, enum sf_rows_by by)
{
	static const char *const heads[][4] = {
		[SF_ROWS_OP] = { "Op", "Node", "Type", "Result" },
		[SF_ROWS_NODE] = { "Calls", "Node", "Type", "Result" },
		[SF_ROWS_MODULE] = { "Calls", "Module" },
		[SF_ROWS_TYPE] = { "Calls", "Type", "Category" },
	};

	for (int i = 0; i < 4 && heads[by][i] != NULL; i++)
		sf_grid_label(grid, heads[by][i]);
}

static void
put_text(struct sf_grid *grid, struct sf_str text, const char *none)
{
	if (text.n != 0)
		sf_grid_text(grid, text);
	else
		sf_grid_label(grid, none);
}

static void
put_name(struct sf_grid *grid, enum sf_rows_by by, const struct sf_row *row)
{
	sf_grid_int(grid, by == SF_ROWS_OP ? row->i : row->calls);
	if (by == SF_ROWS_MODULE) {
		put_text(grid, row->module, "(of no named part)");
	} else if (by == SF_ROWS_TYPE) {
		put_text(grid, row->type, "");
		put_text(grid, row->category, "-");
	} else {
		put_text(grid, row->node, "-");
		put_text(grid, row->type, "several");
		put_text(grid, row->outputs, "-");
	}
}

/* The row of those that are not shown: as many cells as a name has. */
static void
put_others(struct sf_grid *grid, enum sf_rows_by by, size_t n)
{
	static const int cells[] = { [SF_ROWS_OP] = 4,
		[SF_ROWS_NODE] = 4,
		[SF_ROWS_MODULE] = 2,
		[SF_ROWS_TYPE] = 3 };

	sf_grid_label(grid, "");
	sf_buf_putc(sf_grid_cell(grid), '(');
	sf_human_int(&grid->text, (int64_t)n);
	SF_BUF_LIT(&grid->text, " more)");
	for (int i = 2; i < cells[by]; i++)
		sf_grid_label(grid, "");
}

/* ---- what it takes ---- */

enum {
	PARTS = 5
};

/* Of the makespan: all columns and rows of them sum to it. */
static const char *const parts[PARTS] = { "Computes", "Loads", "Buffer full",
	"Depends", "Tail" };

static void
put_parts(
    struct sf_grid *grid, const struct page *page, const struct sf_row *row)
{
	const struct sf_stalls *s = &row->stalls;
	const double times[PARTS] = { s->compute_s, s->load_s, s->buffer_s,
		s->dependency_s, row->store_tail_s };

	for (int i = 0; i < PARTS; i++)
		sf_human_scaled(sf_grid_cell(grid), times[i], page->time);
}

static void
put_heads(struct sf_grid *grid, const struct page *page)
{
	const struct sf_rows *rows = page->rows;

	put_name_heads(grid, rows->by);
	if (rows->counted) {
		sf_grid_label(grid, page->flops->unit);
		sf_grid_label(grid, page->bytes->unit);
	}
	if (rows->simulated || rows->costed || rows->measured)
		sf_grid_label(grid,
		    rows->simulated    ? "Adds"
			: rows->costed ? "Time"
				       : "Measured");
	if (rows->stalled)
		for (int i = 0; i < PARTS; i++)
			sf_grid_label(grid, parts[i]);
	if (rows->simulated || rows->costed)
		sf_grid_label(grid, "Bound");
	sf_grid_label(grid, "Share");
}

static void
put_figures(
    struct sf_grid *grid, const struct page *page, const struct sf_row *row)
{
	const struct sf_rows *rows = page->rows;

	if (rows->counted) {
		sf_human_amount_int(
		    sf_grid_cell(grid), row->flops, page->flops);
		sf_human_amount_int(
		    sf_grid_cell(grid), bytes_of(row), page->bytes);
	}
	if (rows->simulated || rows->costed || rows->measured)
		sf_human_scaled(
		    sf_grid_cell(grid), spent_s(rows, row), page->time);
	if (rows->stalled)
		put_parts(grid, page, row);
	if (rows->simulated || rows->costed)
		put_text(grid, row->bound, "-");
	sf_grid_share(grid, row->share);
}

/* Integers do not pass 2^63 - 1, as the sums of the trace do not. */
static void
add(struct sf_row *to, const struct sf_row *row)
{
	to->flops += row->flops;
	to->bytes_read += row->bytes_read;
	to->bytes_written += row->bytes_written;
	to->time_s += row->time_s;
	to->transfer_s += row->transfer_s;
	to->added_s += row->added_s;
	to->stalls.compute_s += row->stalls.compute_s;
	to->stalls.load_s += row->stalls.load_s;
	to->stalls.buffer_s += row->stalls.buffer_s;
	to->stalls.dependency_s += row->stalls.dependency_s;
	to->store_tail_s += row->store_tail_s;
	to->measured_s += row->measured_s;
	to->share += row->share;
}

static const char *
align_of(const struct sf_rows *rows)
{
	static const char *const names[] = { [SF_ROWS_OP] = "rlll",
		[SF_ROWS_NODE] = "rlll",
		[SF_ROWS_MODULE] = "rl",
		[SF_ROWS_TYPE] = "rll" };

	return sf_arena_printf(rows->arena, "%s%s%s%s%sr", names[rows->by],
	    rows->counted ? "rr" : "",
	    rows->simulated || rows->costed || rows->measured ? "r" : "",
	    rows->stalled ? "rrrrr" : "",
	    rows->simulated || rows->costed ? "l" : "");
}

static void
put_title(const struct sf_rows *rows, struct sf_buf *out)
{
	const struct sf_trace *trace = &rows->trace;

	SF_BUF_LIT(out, "# ");
	sf_md_text(out, trace->model);
	sf_buf_printf(out, " by %s\n\n", sf_rows_words[rows->by]);
	SF_BUF_LIT(out, "Route ");
	sf_md_text(out, trace->route);
	for (int i = 0; i < trace->nworkload; i++) {
		SF_BUF_LIT(out, ", ");
		sf_md_text(out, sf_str_of(trace->workload[i].name));
		sf_buf_putc(out, ' ');
		sf_human_int(out, trace->workload[i].value);
	}
	SF_BUF_LIT(out, ".\n\n");
}

void
sf_rows_markdown(const struct sf_rows *rows, int64_t top, struct sf_buf *out)
{
	struct page page = page_of(rows);
	struct sf_row others = { 0 };
	struct sf_grid grid;
	size_t all, shown;
	const struct sf_row **v = sf_rows_shown(rows, INT64_MAX, &all);

	put_title(rows, out);
	shown = top >= 0 && (uint64_t)top < all ? (size_t)top : all;
	sf_grid_init(&grid, align_of(rows));
	put_heads(&grid, &page);
	for (size_t i = 0; i < shown; i++) {
		put_name(&grid, rows->by, v[i]);
		put_figures(&grid, &page, v[i]);
	}
	for (size_t i = shown; i < all; i++)
		add(&others, v[i]);
	if (shown < all) {
		put_others(&grid, rows->by, all - shown);
		put_figures(&grid, &page, &others);
	}
	sf_grid_finish(&grid, out);
}
