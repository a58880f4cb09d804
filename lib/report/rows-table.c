/* Rows for programs: one table of columns gives CSV and JSON. */
#include <stddef.h>

#include "report/rows.h"
#include "stream/jsonw.h"
#include "text/csv.h"

enum type {
	TEXT,
	COUNT,
	NUMBER
};

/* Which stage gives a column its values; others leave it empty. */
enum stage {
	SOURCE,
	RULES,
	MOVES, /* RULES, and some byte moves */
	COST,
	SIM,
	STALLS,   /* SIM, of a trace that tells of stalls */
	ANY_TIME, /* one of the two */
	MEASURED,
	SHARE
};

static const struct column {
	const char *name;
	enum type type;
	enum stage stage;
	size_t at; /* in the row */
} columns[] = {
#define SF_COLUMN_AT(name, type, stage, field)                     \
	{                                                          \
#name, type, stage, offsetof(struct sf_row, field) \
	}
#define SF_COLUMN(name, type, stage) SF_COLUMN_AT(name, type, stage, name)
	SF_COLUMN(i, COUNT, SOURCE),
	SF_COLUMN(calls, COUNT, SOURCE),
	SF_COLUMN(type, TEXT, SOURCE),
	SF_COLUMN(node, TEXT, SOURCE),
	SF_COLUMN(module, TEXT, SOURCE),
	SF_COLUMN(inputs, TEXT, SOURCE),
	SF_COLUMN(outputs, TEXT, SOURCE),
	SF_COLUMN(dtype, TEXT, SOURCE),
	SF_COLUMN(category, TEXT, RULES),
	SF_COLUMN(flops, COUNT, RULES),
	SF_COLUMN(macs, COUNT, RULES),
	SF_COLUMN(bytes_read, COUNT, RULES),
	SF_COLUMN(bytes_written, COUNT, RULES),
	SF_COLUMN(weight_bytes, COUNT, RULES),
	SF_COLUMN(flops_per_byte, NUMBER, MOVES),
	SF_COLUMN(unit, TEXT, ANY_TIME),
	SF_COLUMN(bound, TEXT, ANY_TIME),
	SF_COLUMN(time_s, NUMBER, COST),
	SF_COLUMN(transfer_s, NUMBER, COST),
	SF_COLUMN(start_s, NUMBER, SIM),
	SF_COLUMN(end_s, NUMBER, SIM),
	SF_COLUMN(added_s, NUMBER, SIM),
	SF_COLUMN(tiles, COUNT, SIM),
	SF_COLUMN(tiled_bytes, COUNT, SIM),
	SF_COLUMN_AT(compute_s, NUMBER, STALLS, stalls.compute_s),
	SF_COLUMN_AT(load_bandwidth_s, NUMBER, STALLS, stalls.load_s),
	SF_COLUMN_AT(buffer_full_s, NUMBER, STALLS, stalls.buffer_s),
	SF_COLUMN_AT(dependency_s, NUMBER, STALLS, stalls.dependency_s),
	SF_COLUMN(store_tail_s, NUMBER, STALLS),
	SF_COLUMN(measured_s, NUMBER, MEASURED),
	SF_COLUMN(share, NUMBER, SHARE),
#undef SF_COLUMN
#undef SF_COLUMN_AT
};

enum {
	COLUMNS = sizeof columns / sizeof columns[0]
};

static bool
has(const struct sf_rows *rows, const struct sf_row *row, enum stage stage)
{
	switch (stage) {
	case RULES:
		return rows->counted;
	case MOVES:
		return row->bytes_read != 0 || row->bytes_written != 0;
	case COST:
		return rows->costed;
	case SIM:
		return row->end_s > 0;
	case STALLS:
		return row->stalls.told;
	case ANY_TIME:
		return rows->costed || row->end_s > 0;
	case MEASURED:
		return row->measured;
	case SHARE:
		return rows->simulated || rows->costed || rows->measured ||
		    rows->counted;
	case SOURCE:
		break;
	}
	return true;
}

static const void *
at(const struct sf_row *row, const struct column *column)
{
	return (const char *)row + column->at;
}

/* ---- CSV ---- */

void
sf_rows_csv_header(struct sf_buf *out)
{
	SF_BUF_LIT(out, "trace,model,route,workload");
	for (int c = 0; c < COLUMNS; c++)
		sf_buf_printf(out, ",%s", columns[c].name);
	sf_buf_putc(out, '\n');
}

static void
put_cell(struct sf_buf *out, const struct sf_rows *rows,
    const struct sf_row *row, const struct column *column)
{
	if (!has(rows, row, column->stage))
		return;
	if (column->type == TEXT)
		sf_csv_field(out, *(const struct sf_str *)at(row, column));
	else if (column->type == COUNT)
		sf_buf_int(out, *(const int64_t *)at(row, column));
	else
		sf_buf_double(out, *(const double *)at(row, column));
}

void
sf_rows_csv(const struct sf_rows *rows, int64_t top, struct sf_buf *out)
{
	struct sf_buf prefix = { 0 };
	size_t n;
	const struct sf_row **v = sf_rows_shown(rows, top, &n);

	sf_buf_int(&prefix, rows->number);
	sf_buf_putc(&prefix, ',');
	sf_csv_field(&prefix, rows->trace.model);
	sf_buf_putc(&prefix, ',');
	sf_csv_field(&prefix, rows->trace.route);
	sf_buf_putc(&prefix, ',');
	sf_csv_field(&prefix, sf_trace_workload(&rows->trace, rows->arena));
	for (size_t i = 0; i < n; i++) {
		sf_buf_put(out, prefix.p, prefix.n);
		for (int c = 0; c < COLUMNS; c++) {
			sf_buf_putc(out, ',');
			put_cell(out, rows, v[i], &columns[c]);
		}
		sf_buf_putc(out, '\n');
	}
	sf_buf_release(&prefix);
}

/* ---- JSON ---- */

static void
put_member(struct sf_jsonw *w, const struct sf_rows *rows,
    const struct sf_row *row, const struct column *column)
{
	sf_jsonw_key(w, column->name);
	if (!has(rows, row, column->stage))
		sf_jsonw_null(w);
	else if (column->type == TEXT)
		sf_jsonw_str(w, *(const struct sf_str *)at(row, column));
	else if (column->type == COUNT)
		sf_jsonw_int(w, *(const int64_t *)at(row, column));
	else
		sf_jsonw_double(w, *(const double *)at(row, column));
}

static void
put_trace(struct sf_jsonw *w, const struct sf_rows *rows)
{
	sf_jsonw_kstr(w, "model", rows->trace.model);
	sf_jsonw_kstr(w, "route", rows->trace.route);
	sf_jsonw_key(w, "workload");
	sf_jsonw_open(w, '{');
	for (int i = 0; i < rows->trace.nworkload; i++) {
		sf_jsonw_name(w, sf_str_of(rows->trace.workload[i].name));
		sf_jsonw_int(w, rows->trace.workload[i].value);
	}
	sf_jsonw_close(w, '}');
	sf_jsonw_kcstr(w, "by", sf_rows_words[rows->by]);
}

void
sf_rows_json(const struct sf_rows *rows, int64_t top, struct sf_buf *out)
{
	struct sf_jsonw w = { 0 };
	size_t n;
	const struct sf_row **v = sf_rows_shown(rows, top, &n);

	sf_jsonw_open(&w, '{');
	put_trace(&w, rows);
	sf_jsonw_key(&w, "rows");
	sf_jsonw_open(&w, '[');
	for (size_t i = 0; i < n; i++) {
		sf_jsonw_open(&w, '{');
		for (int c = 0; c < COLUMNS; c++)
			put_member(&w, rows, v[i], &columns[c]);
		sf_jsonw_close(&w, '}');
	}
	sf_jsonw_close(&w, ']');
	sf_jsonw_close(&w, '}');
	sf_buf_put(out, w.buf.p, w.buf.n);
	sf_buf_putc(out, '\n');
	sf_buf_release(&w.buf);
}
