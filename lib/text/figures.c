/* Figures for programs: JSON and CSV from one set of calls. */
#include "text/figures.h"

#include "base/die.h"
#include "base/num.h"
#include "text/csv.h"

void
sf_figures_init(struct sf_figures *f, struct sf_buf *out, bool csv)
{
	*f = (struct sf_figures){ .out = out, .csv = csv };
}

void
sf_figures_release(struct sf_figures *f)
{
	sf_buf_release(&f->json.buf);
	sf_buf_release(&f->prefix);
	sf_buf_release(&f->path);
}

void
sf_figures_csv_header(struct sf_buf *out)
{
	SF_BUF_LIT(out, "trace,model,route,workload,section,name,value,unit\n");
}

void
sf_figures_begin(struct sf_figures *f, const struct sf_figures_of *of)
{
	f->json.buf.n = f->prefix.n = f->path.n = 0;
	f->json.comma = false;
	f->depth = 0;
	f->open[0].next = -1;
	if (!f->csv) {
		sf_jsonw_open(&f->json, '{');
		return;
	}
	sf_buf_int(&f->prefix, of->trace);
	sf_buf_putc(&f->prefix, ',');
	sf_csv_field(&f->prefix, of->model);
	sf_buf_putc(&f->prefix, ',');
	sf_csv_field(&f->prefix, of->route);
	sf_buf_putc(&f->prefix, ',');
	sf_csv_field(&f->prefix, of->workload);
	sf_buf_putc(&f->prefix, ',');
}

void
sf_figures_begin_alone(struct sf_figures *f, struct sf_buf *out, bool csv,
    struct sf_str model, const char *route)
{
	const struct sf_figures_of of = { .trace = 1,
		.model = model,
		.route = sf_str_of(route),
		.workload = SF_STR("") };

	sf_figures_init(f, out, csv);
	if (csv)
		sf_figures_csv_header(out);
	sf_figures_begin(f, &of);
}

void
sf_figures_end(struct sf_figures *f)
{
	if (f->depth != 0)
		sf_bug("%d objects of a report are left open", f->depth);
	if (f->csv)
		return;
	sf_jsonw_close(&f->json, '}');
	sf_buf_put(f->out, f->json.buf.p, f->json.buf.n);
	sf_buf_putc(f->out, '\n');
}

/* JSON: keys may be names from the stream, so they are escaped. */
static void
put_key(struct sf_figures *f, const char *key)
{
	if (key == NULL)
		return;
	sf_jsonw_cstr(&f->json, key);
	sf_buf_putc(&f->json.buf, ':');
	f->json.comma = false;
}

/* CSV: the key, or the index of a list's item. */
static struct sf_str
name_of(struct sf_figures *f, const char *key, char number[static 20])
{
	if (key != NULL)
		return sf_str_of(key);
	return (struct sf_str){ number,
		sf_int_format(f->open[f->depth].next++, number) };
}

void
sf_fig_open(struct sf_figures *f, const char *key, char open)
{
	char number[20];
	size_t path_len = f->path.n;

	if (f->depth + 1 == SF_FIGURES_DEPTH)
		sf_bug("a report nests too deep");
	if (f->csv) {
		struct sf_str name = name_of(f, key, number);

		if (path_len != 0)
			sf_buf_putc(&f->path, '.');
		sf_buf_put(&f->path, name.p, name.n);
	} else {
		put_key(f, key);
		sf_jsonw_open(&f->json, open);
	}
	f->depth++;
	f->open[f->depth].path_len = path_len;
	f->open[f->depth].next = open == '[' ? 0 : -1;
}

void
sf_fig_close(struct sf_figures *f)
{
	if (!f->csv)
		sf_jsonw_close(
		    &f->json, f->open[f->depth].next < 0 ? '}' : ']');
	f->path.n = f->open[f->depth].path_len;
	f->depth--;
}

/* The columns before the value. */
static void
begin_row(struct sf_figures *f, const char *key)
{
	struct sf_str section = { f->path.p, f->path.n };
	char number[20];

	if (section.n == 0)
		section = SF_STR("trace");
	sf_buf_put(f->out, f->prefix.p, f->prefix.n);
	sf_csv_field(f->out, section);
	sf_buf_putc(f->out, ',');
	sf_csv_field(f->out, name_of(f, key, number));
	sf_buf_putc(f->out, ',');
}

static void
end_row(struct sf_figures *f, const char *unit)
{
	sf_buf_putc(f->out, ',');
	sf_csv_field(f->out, sf_str_of(unit));
	sf_buf_putc(f->out, '\n');
}

void
sf_fig_int(struct sf_figures *f, const char *key, int64_t x, const char *unit)
{
	if (f->csv) {
		begin_row(f, key);
		sf_buf_int(f->out, x);
		end_row(f, unit);
	} else {
		put_key(f, key);
		sf_jsonw_int(&f->json, x);
	}
}

void
sf_fig_double(struct sf_figures *f, const char *key, double x, const char *unit)
{
	if (f->csv) {
		begin_row(f, key);
		sf_buf_double(f->out, x);
		end_row(f, unit);
	} else {
		put_key(f, key);
		sf_jsonw_double(&f->json, x);
	}
}

void
sf_fig_str(struct sf_figures *f, const char *key, struct sf_str text)
{
	if (f->csv) {
		begin_row(f, key);
		sf_csv_field(f->out, text);
		end_row(f, "");
	} else {
		put_key(f, key);
		sf_jsonw_str(&f->json, text);
	}
}

void
sf_fig_bool(struct sf_figures *f, const char *key, bool x)
{
	if (f->csv) {
		begin_row(f, key);
		sf_buf_printf(f->out, "%s", x ? "true" : "false");
		end_row(f, "");
	} else {
		put_key(f, key);
		sf_jsonw_bool(&f->json, x);
	}
}

void
sf_fig_null(struct sf_figures *f, const char *key, const char *unit)
{
	if (f->csv) {
		begin_row(f, key);
		end_row(f, unit);
	} else {
		put_key(f, key);
		sf_jsonw_null(&f->json);
	}
}

/* CSV: a number or a truth value, and whatever lies too deep. */
static void
put_raw(struct sf_figures *f, const char *key, struct sf_str json)
{
	if (strchr("[{", json.p[0]) != NULL) {
		sf_fig_str(f, key, json);
		return;
	}
	begin_row(f, key);
	sf_buf_put(f->out, json.p, json.n);
	end_row(f, "");
}

/* CSV: a value that is no object or list, or one that lies too deep. */
static void
put_leaf(struct sf_figures *f, const char *key, struct sf_json *scan)
{
	if (sf_json_null(scan))
		sf_fig_null(f, key, "");
	else if (sf_json_peek(scan) == '"')
		sf_fig_str(f, key, sf_json_string(scan));
	else
		put_raw(f, key, sf_json_skip(scan));
}

/* CSV: a row for each value in the next one. */
static void
put_rows(struct sf_figures *f, const char *key, struct sf_json *scan)
{
	char open = sf_json_peek(scan);
	struct sf_str name;

	if ((open != '{' && open != '[') || f->depth + 2 >= SF_FIGURES_DEPTH) {
		put_leaf(f, key, scan);
		return;
	}
	sf_json_enter(scan, open);
	sf_fig_open(f, key, open);
	if (open == '[')
		while (sf_json_element(scan))
			put_rows(f, NULL, scan);
	else
		while (sf_json_member(scan, &name))
			put_rows(f,
			    sf_arena_strndup(scan->arena, name.p, name.n),
			    scan);
	sf_fig_close(f);
}

void
sf_fig_pairs(struct sf_figures *f, const char *key,
    const struct sf_pairs *pairs, struct sf_arena *arena)
{
	sf_fig_open(f, key, '{');
	for (size_t i = 0; i < pairs->n; i++) {
		const struct sf_pair *pair = &pairs->v[i];

		if (f->csv) {
			struct sf_json scan = { .p = pair->json.p,
				.start = pair->json.p,
				.arena = arena };

			put_rows(f, pair->key.p, &scan);
		} else {
			put_key(f, pair->key.p);
			sf_jsonw_raw(&f->json, pair->json);
		}
	}
	sf_fig_close(f);
}

void
sf_fig_trace(struct sf_figures *f, const struct sf_trace *trace)
{
	sf_fig_str(f, "model", trace->model);
	sf_fig_str(f, "route", trace->route);
	sf_fig_open(f, "workload", '{');
	for (int i = 0; i < trace->nworkload; i++)
		sf_fig_int(
		    f, trace->workload[i].name, trace->workload[i].value, "");
	sf_fig_close(f);
}
