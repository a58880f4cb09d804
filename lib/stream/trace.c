/* The records that open and close a trace. */
#include "stream/trace.h"

#include "base/table.h"
#include "stream/member.h"

void
sf_trace_begin(struct sf_stream *stream, const struct sf_trace *trace)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_TRACE);

	sf_jsonw_kcstr(w, "format", SF_TRACE_FORMAT);
	sf_jsonw_kstr(w, "model", trace->model);
	sf_jsonw_kstr(w, "route", trace->route);
	sf_jsonw_key(w, "workload");
	sf_jsonw_open(w, '{');
	for (int i = 0; i < trace->nworkload; i++) {
		sf_jsonw_name(w, sf_str_of(trace->workload[i].name));
		sf_jsonw_int(w, trace->workload[i].value);
	}
	sf_jsonw_close(w, '}');
	if (trace->params_count >= 0) {
		sf_jsonw_key(w, "params");
		sf_jsonw_open(w, '{');
		sf_jsonw_kint(w, "count", trace->params_count);
		sf_jsonw_kint(w, "bytes", trace->params_bytes);
		sf_jsonw_close(w, '}');
	}
	if (trace->graph.n != 0) {
		sf_jsonw_key(w, "graph");
		sf_jsonw_raw(w, trace->graph);
	}
	sf_stream_put(stream);
	sf_stream_put_tool(stream);
}

void
sf_trace_end(struct sf_stream *stream)
{
	int64_t ops = sf_stream_ops(stream);
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_END);

	sf_jsonw_kint(w, "ops", ops);
	sf_stream_put(stream);
}

/* ---- reading ---- */

static void
read_format(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const char *value = r->scan.p;

	(void)into;
	if (!sf_str_is(sf_json_string(&r->scan), SF_TRACE_FORMAT))
		sf_member_refuse(r, m, value, NULL);
}

/* Integers by names of any kind. */
static void
read_workload(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const struct sf_place here = { r->place, m->name.p, -1, NULL };
	struct sf_member row = SF_ELEMENT_INT(INT64_MIN, INT64_MAX);
	struct sf_arena *arena = r->keep != NULL ? r->keep : r->scan.arena;
	struct sf_workload_item *items;
	struct sf_trace *t = into;
	struct sf_table values;

	if (!sf_json_enter(&r->scan, '{'))
		return;
	r->place = &here;
	sf_table_init(&values, arena);
	while (sf_json_member(&r->scan, &row.name)) {
		size_t n = values.n;
		struct sf_entry *e = sf_table_add(&values, row.name);

		if (values.n == n)
			sf_member_refuse_twice(r, row.name);
		sf_member_read(r, &row, &e->num);
	}
	items = sf_arena_calloc(arena, values.n, sizeof *items);
	for (size_t i = 0; i < values.n; i++)
		items[i] = (struct sf_workload_item){ values.order[i]->name.p,
			values.order[i]->num };
	t->workload = items;
	t->nworkload = (int)values.n;
	sf_table_release(&values);
	r->place = here.up;
}

static const struct sf_member params_rows[] = {
	SF_MEMBER_COUNT("count", struct sf_trace, params_count, SF_ALWAYS),
	SF_MEMBER_COUNT("bytes", struct sf_trace, params_bytes, SF_ALWAYS),
};
static const struct sf_members params = SF_MEMBERS("params", params_rows);

static const struct sf_member trace_rows[] = {
	SF_MEMBER_CALL("format", SF_ALWAYS, read_format, SF_TRACE_FORMAT),
	SF_MEMBER_STR("model", struct sf_trace, model, SF_ALWAYS),
	SF_MEMBER_TEXT("route", struct sf_trace, route, SF_ALWAYS),
	SF_MEMBER_CALL("workload", SF_OPTIONAL, read_workload, "an object"),
	SF_MEMBER_PART("params", SF_OPTIONAL, &params),
	SF_MEMBER_JSON("graph", struct sf_trace, graph, SF_OPTIONAL, '{'),
};
static const struct sf_members trace_members = SF_MEMBERS("trace", trace_rows);

void
sf_trace_read(
    struct sf_stream *stream, struct sf_arena *arena, struct sf_trace *trace)
{
	*trace = (struct sf_trace){ .params_count = -1, .params_bytes = -1 };
	sf_record_read(stream, &trace_members, arena, trace);
}

static const struct sf_member end_rows[] = {
	SF_MEMBER_COUNT("ops", struct sf_end, ops, SF_ALWAYS),
	SF_MEMBER_COUNT("points", struct sf_end, points, SF_OPTIONAL),
	SF_MEMBER_COUNT("dropped", struct sf_end, dropped, SF_OPTIONAL),
};
static const struct sf_members end_members = SF_MEMBERS("end", end_rows);

void
sf_end_read(struct sf_stream *stream, struct sf_end *end)
{
	*end = (struct sf_end){ 0 };
	sf_record_read(stream, &end_members, NULL, end);
}

struct sf_str
sf_trace_workload(const struct sf_trace *trace, struct sf_arena *arena)
{
	struct sf_buf field = { 0 };
	struct sf_str text;

	for (int i = 0; i < trace->nworkload; i++)
		sf_buf_printf(&field, "%s%s=%lld", i == 0 ? "" : ";",
		    trace->workload[i].name,
		    (long long)trace->workload[i].value);
	text = (struct sf_str){ sf_arena_strndup(arena, field.p, field.n),
		field.n };
	sf_buf_release(&field);
	return text;
}
