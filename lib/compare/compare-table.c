/* Comparisons, for programs: CSV with a row a trace, and JSON. */
#include "compare/part.h"
#include "report/rows.h"
#include "stream/jsonw.h"
#include "text/csv.h"

static double
factor(const struct sf_comparison *c, const struct sf_compared *t)
{
	double first = c->traces[0]->latency_s;

	return first > 0 && t->latency_s >= 0 ? t->latency_s / first : -1;
}

/* ---- CSV ---- */

static void
put_count(struct sf_buf *out, int64_t x)
{
	sf_buf_putc(out, ',');
	if (x >= 0)
		sf_buf_int(out, x);
}

static void
put_number(struct sf_buf *out, double x)
{
	sf_buf_putc(out, ',');
	if (x >= 0)
		sf_buf_double(out, x);
}

static void
put_text(struct sf_buf *out, struct sf_str text)
{
	sf_buf_putc(out, ',');
	sf_csv_field(out, text);
}

void
sf_comparison_csv(const struct sf_comparison *c, struct sf_buf *out)
{
	SF_BUF_LIT(out,
	    "trace,model,route,workload,on,latency_s,factor,bound,bound_share,"
	    "ops,flops,bytes,memory_bytes,device_bytes,fits\n");
	for (size_t i = 0; i < c->n; i++) {
		const struct sf_compared *t = c->traces[i];
		bool known = t->memory >= 0 && t->has > 0;

		sf_buf_int(out, (int64_t)i + 1);
		put_text(out, t->model);
		put_text(out, t->route);
		put_text(out, t->workload);
		put_text(out, t->on);
		put_number(out, t->latency_s);
		put_number(out, factor(c, t));
		put_text(out, t->bound);
		put_number(out, t->bound_share);
		put_count(out, t->ops);
		put_count(out, t->flops);
		put_count(out, t->bytes);
		put_count(out, t->memory);
		put_number(out, t->has > 0 ? t->has : -1);
		sf_buf_printf(out, ",%s\n",
		    !known                            ? ""
			: (double)t->memory <= t->has ? "true"
						      : "false");
	}
}

/* ---- JSON ---- */

static void
member_count(struct sf_jsonw *w, const char *key, int64_t x)
{
	sf_jsonw_key(w, key);
	if (x >= 0)
		sf_jsonw_int(w, x);
	else
		sf_jsonw_null(w);
}

static void
member_number(struct sf_jsonw *w, const char *key, double x)
{
	sf_jsonw_key(w, key);
	if (x >= 0)
		sf_jsonw_double(w, x);
	else
		sf_jsonw_null(w);
}

static void
put_side(
    struct sf_jsonw *w, const char *key, const struct sf_beside_first *side)
{
	sf_jsonw_key(w, key);
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "calls", side->calls);
	sf_jsonw_kint(w, "flops", side->flops);
	sf_jsonw_kint(w, "bytes", side->bytes);
	sf_jsonw_kdouble(w, "time_s", side->time_s);
	sf_jsonw_kstr(w, "dtype", side->dtype);
	sf_jsonw_kstr(w, "unit", side->unit);
	sf_jsonw_kstr(w, "bound", side->bound);
	sf_jsonw_key(w, "waits_s");
	if (!side->stalled) {
		sf_jsonw_null(w);
	} else {
		sf_jsonw_open(w, '{');
		for (int i = 0; i < SF_WAITING_COUNT; i++)
			sf_jsonw_kdouble(w, sf_waiting_name((enum sf_waiting)i),
			    side->waits_s[i]);
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, '}');
}

static void
put_moves(struct sf_jsonw *w, const struct sf_compared *t)
{
	sf_jsonw_kint(w, "moved", (int64_t)t->moved);
	sf_jsonw_key(w, "moves");
	sf_jsonw_open(w, '[');
	for (size_t i = 0; i < t->nmoves; i++) {
		const struct sf_move *move = &t->moves[i];

		sf_jsonw_open(w, '{');
		sf_jsonw_kstr(w, "name", move->name);
		put_side(w, "was", &move->was);
		put_side(w, "is", &move->is);
		sf_jsonw_key(w, "why");
		sf_jsonw_open(w, '[');
		for (int k = 0; k < SF_CAUSE_COUNT; k++)
			if ((move->causes >> k & 1) != 0)
				sf_jsonw_cstr(
				    w, sf_cause_name((enum sf_cause)k));
		sf_jsonw_close(w, ']');
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}

static void
put_stalls(struct sf_jsonw *w, const struct sf_compared *t)
{
	sf_jsonw_key(w, "stalls_s");
	if (!t->simulated) {
		sf_jsonw_null(w);
		return;
	}
	sf_jsonw_open(w, '{');
	for (int i = 0; i < SF_SUM_COUNT; i++)
		if (strcmp(sf_summary_rows[i].object, "stalls_s") == 0)
			sf_jsonw_kdouble(
			    w, sf_summary_rows[i].name, t->summary.v[i].d);
	sf_jsonw_close(w, '}');
}

static void
put_trace(struct sf_jsonw *w, const struct sf_comparison *c,
    const struct sf_compared *t)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kstr(w, "model", t->model);
	sf_jsonw_kstr(w, "route", t->route);
	sf_jsonw_kstr(w, "workload", t->workload);
	sf_jsonw_kstr(w, "on", t->on);
	member_number(w, "latency_s", t->latency_s);
	member_number(w, "factor", factor(c, t));
	sf_jsonw_kstr(w, "bound", t->bound);
	member_number(w, "bound_share", t->bound_share);
	put_stalls(w, t);
	sf_jsonw_kint(w, "ops", t->ops);
	sf_jsonw_kint(w, "left_out", t->uncounted);
	member_count(w, "flops", t->flops);
	member_count(w, "bytes", t->bytes);
	member_count(w, "memory_bytes", t->memory);
	member_number(w, "device_bytes", t->has > 0 ? t->has : -1);
	sf_jsonw_key(w, "fits");
	if (t->memory >= 0 && t->has > 0)
		sf_jsonw_bool(w, (double)t->memory <= t->has);
	else
		sf_jsonw_null(w);
	put_moves(w, t);
	sf_jsonw_close(w, '}');
}

void
sf_comparison_json(const struct sf_comparison *c, struct sf_buf *out)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_open(&w, '{');
	sf_jsonw_kcstr(&w, "by", sf_rows_words[c->by]);
	sf_jsonw_key(&w, "traces");
	sf_jsonw_open(&w, '[');
	for (size_t i = 0; i < c->n; i++)
		put_trace(&w, c, c->traces[i]);
	sf_jsonw_close(&w, ']');
	sf_jsonw_close(&w, '}');
	sf_buf_put(out, w.buf.p, w.buf.n);
	sf_buf_putc(out, '\n');
	sf_buf_release(&w.buf);
}
