/* Windows, for people and for programs. */
#include "stream/jsonw.h"
#include "text/csv.h"
#include "text/human.h"
#include "text/markdown.h"
#include "timeline/windows.h"

static const char *const names[] = {
#define SF_WINDOW_PART(id, name, head) name,
#include "timeline/window.def"
#undef SF_WINDOW_PART
};

static const char *const heads[] = {
#define SF_WINDOW_PART(id, name, head) head,
#include "timeline/window.def"
#undef SF_WINDOW_PART
};

/* ---- CSV ---- */

void
sf_windows_csv_header(struct sf_buf *out)
{
	SF_BUF_LIT(out,
	    "trace,model,route,workload,window,from_s,until_s,first_op,"
	    "last_op");
	for (int p = 0; p < SF_WINDOW_PARTS; p++)
		sf_buf_printf(out, ",%s", names[p]);
	sf_buf_putc(out, '\n');
}

static void
put_op(struct sf_buf *out, int64_t op)
{
	sf_buf_putc(out, ',');
	if (op >= 0)
		sf_buf_int(out, op);
}

static void
write_csv(const struct sf_windows_table *t, struct sf_buf *out)
{
	const struct sf_trace *trace = &t->of->trace;
	struct sf_str workload = sf_trace_workload(trace, t->arena);

	for (int64_t i = 0; i < t->n; i++) {
		sf_buf_int(out, t->number);
		sf_buf_putc(out, ',');
		sf_csv_field(out, trace->model);
		sf_buf_putc(out, ',');
		sf_csv_field(out, trace->route);
		sf_buf_putc(out, ',');
		sf_csv_field(out, workload);
		sf_buf_putc(out, ',');
		sf_buf_int(out, i);
		sf_buf_putc(out, ',');
		sf_buf_double(out, t->v[i].from_s);
		sf_buf_putc(out, ',');
		sf_buf_double(out, t->v[i].until_s);
		put_op(out, t->v[i].first_op);
		put_op(out, t->v[i].last_op);
		for (int p = 0; p < SF_WINDOW_PARTS; p++) {
			sf_buf_putc(out, ',');
			sf_buf_double(out, t->v[i].share[p]);
		}
		sf_buf_putc(out, '\n');
	}
}

/* ---- JSON ---- */

static void
put_kop(struct sf_jsonw *w, const char *key, int64_t op)
{
	sf_jsonw_key(w, key);
	if (op >= 0)
		sf_jsonw_int(w, op);
	else
		sf_jsonw_null(w);
}

static void
put_window(struct sf_jsonw *w, int64_t i, const struct sf_window *window)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "window", i);
	sf_jsonw_kdouble(w, "from_s", window->from_s);
	sf_jsonw_kdouble(w, "until_s", window->until_s);
	put_kop(w, "first_op", window->first_op);
	put_kop(w, "last_op", window->last_op);
	for (int p = 0; p < SF_WINDOW_PARTS; p++)
		sf_jsonw_kdouble(w, names[p], window->share[p]);
	sf_jsonw_close(w, '}');
}

static void
write_json(const struct sf_windows_table *t, struct sf_buf *out)
{
	const struct sf_trace *trace = &t->of->trace;
	struct sf_jsonw w = { 0 };

	sf_jsonw_open(&w, '{');
	sf_jsonw_kstr(&w, "model", trace->model);
	sf_jsonw_kstr(&w, "route", trace->route);
	sf_jsonw_key(&w, "workload");
	sf_jsonw_open(&w, '{');
	for (int i = 0; i < trace->nworkload; i++) {
		sf_jsonw_name(&w, sf_str_of(trace->workload[i].name));
		sf_jsonw_int(&w, trace->workload[i].value);
	}
	sf_jsonw_close(&w, '}');
	sf_jsonw_key(&w, "windows");
	sf_jsonw_open(&w, '[');
	for (int64_t i = 0; i < t->n; i++)
		put_window(&w, i, &t->v[i]);
	sf_jsonw_close(&w, ']');
	sf_jsonw_close(&w, '}');
	sf_buf_put(out, w.buf.p, w.buf.n);
	sf_buf_putc(out, '\n');
	sf_buf_release(&w.buf);
}

/* ---- Markdown ---- */

/* A column that such a block cannot have anything in. */
static bool
is_missing(const struct sf_windows_table *t, int part)
{
	return part == SF_WINDOW_TRANSIT &&
	    t->of->accel.transit_ops_per_byte == 0;
}

static void
put_title(const struct sf_windows_table *t, struct sf_buf *out)
{
	const struct sf_trace *trace = &t->of->trace;

	if (t->number > 1)
		sf_buf_putc(out, '\n');
	SF_BUF_LIT(out, "# ");
	sf_md_text(out, trace->model);
	sf_buf_printf(out, " in %lld windows\n\nRoute ", (long long)t->n);
	sf_md_text(out, trace->route);
	SF_BUF_LIT(out, " on ");
	sf_md_text(out, sf_str_of(t->of->accel.preset));
	SF_BUF_LIT(out,
	    ". The five columns from Computes on are what the compute units "
	    "did; the others say how long each unit was busy.");
	if (t->of->accel.cores > 1)
		sf_buf_printf(out, " All are means of %lld cores.",
		    (long long)t->of->accel.cores);
	SF_BUF_LIT(out, "\n\n");
}

static void
put_row(struct sf_grid *grid, const struct sf_windows_table *t, int64_t i,
    const struct sf_scale *scale)
{
	const struct sf_window *window = &t->v[i];
	struct sf_buf *cell;

	sf_human_scaled(sf_grid_cell(grid), window->until_s, scale);
	cell = sf_grid_cell(grid);
	if (window->first_op >= 0)
		sf_human_int(cell, window->first_op);
	if (window->last_op > window->first_op) {
		SF_BUF_LIT(cell, " to ");
		sf_human_int(cell, window->last_op);
	}
	for (int p = 0; p < SF_WINDOW_PARTS; p++)
		if (!is_missing(t, p))
			sf_grid_share(grid, window->share[p]);
}

static void
write_markdown(const struct sf_windows_table *t, struct sf_buf *out)
{
	const struct sf_scale *scale =
	    sf_scale_time(t->n != 0 ? t->v[t->n - 1].until_s : 0);
	struct sf_grid grid;

	put_title(t, out);
	sf_grid_init(&grid,
	    is_missing(t, SF_WINDOW_TRANSIT) ? "rlrrrrrrrrrrr"
					     : "rlrrrrrrrrrrrr");
	sf_grid_label(&grid, "Until");
	sf_grid_label(&grid, "Ops");
	for (int p = 0; p < SF_WINDOW_PARTS; p++)
		if (!is_missing(t, p))
			sf_grid_label(&grid, heads[p]);
	for (int64_t i = 0; i < t->n; i++)
		put_row(&grid, t, i, scale);
	sf_grid_finish(&grid, out);
}

void
sf_windows_write(const struct sf_windows_table *table, enum sf_format format,
    struct sf_buf *out)
{
	if (format == SF_FORMAT_CSV)
		write_csv(table, out);
	else if (format == SF_FORMAT_JSON)
		write_json(table, out);
	else
		write_markdown(table, out);
}
