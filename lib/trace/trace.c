/* The records that open and close a trace. */
#include "trace/trace.h"

#include "base/table.h"

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
	sf_jsonw_key(w, "params");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "count", trace->params_count);
	sf_jsonw_kint(w, "bytes", trace->params_bytes);
	sf_jsonw_close(w, '}');
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

/* What reading a trace record needs. */
struct reader {
	struct sf_stream *stream;
	struct sf_arena *arena;
	struct sf_json scan;
	struct sf_trace *trace;
};

/* A copy that outlives the record. */
static struct sf_str
keep(struct reader *r, struct sf_str text)
{
	return (struct sf_str){ sf_arena_strndup(r->arena, text.p, text.n),
		text.n };
}

static void
read_params(struct reader *r)
{
	enum {
		COUNT = 1,
		BYTES = 2
	};
	struct sf_trace *t = r->trace;
	struct sf_json look = r->scan;
	struct sf_str key, text = sf_json_skip(&look);
	int seen = 0;

	sf_json_enter(&r->scan, '{');
	while (sf_json_member(&r->scan, &key)) {
		int member = SF_KEY(key, "count") ? COUNT
		    : SF_KEY(key, "bytes")        ? BYTES
						  : 0;

		if ((seen & member) != 0)
			sf_json_fail(
			    &r->scan, "a member that was there already");
		seen |= member;
		if (member == COUNT)
			t->params_count = sf_json_int(&r->scan);
		else if (member == BYTES)
			t->params_bytes = sf_json_int(&r->scan);
		else
			sf_json_skip(&r->scan);
	}
	if (r->scan.error != NULL)
		return;
	if (seen != (COUNT | BYTES))
		sf_stream_die(r->stream,
		    "params: found %.*s, expected 'count' and 'bytes'",
		    SF_STR_ARG(text));
	if (t->params_count < 0 || t->params_bytes < 0)
		sf_stream_die(r->stream,
		    "params: found %.*s, expected integers >= 0",
		    SF_STR_ARG(text));
}

static void
read_workload(struct reader *r)
{
	struct sf_workload_item *items;
	struct sf_table values;
	struct sf_str key;

	sf_table_init(&values, r->arena);
	sf_json_enter(&r->scan, '{');
	while (sf_json_member(&r->scan, &key)) {
		size_t n = values.n;
		struct sf_entry *e = sf_table_add(&values, key);

		if (values.n == n)
			sf_json_fail(
			    &r->scan, "a member that was there already");
		e->num = sf_json_int(&r->scan);
	}
	items = sf_arena_calloc(r->arena, values.n, sizeof *items);
	for (size_t i = 0; i < values.n; i++)
		items[i] = (struct sf_workload_item){ values.order[i]->name.p,
			values.order[i]->num };
	r->trace->workload = items;
	r->trace->nworkload = (int)values.n;
	sf_table_release(&values);
}

static const char *const member_names[] = {
	"model",
	"route",
	"workload",
	"params",
};

enum member {
	M_MODEL,
	M_ROUTE,
	M_WORKLOAD,
	M_PARAMS,
	M_COUNT
};

static enum member
member_of(struct sf_str key)
{
	int i = 0;

	while (i < M_COUNT && !sf_str_is(key, member_names[i]))
		i++;
	return (enum member)i;
}

static void
read_member(struct reader *r, enum member m)
{
	switch (m) {
	case M_MODEL:
		r->trace->model = keep(r, sf_json_string(&r->scan));
		break;
	case M_ROUTE:
		r->trace->route = keep(r, sf_json_string(&r->scan));
		break;
	case M_WORKLOAD:
		read_workload(r);
		break;
	case M_PARAMS:
		read_params(r);
		break;
	case M_COUNT:
		sf_json_skip(&r->scan);
		break;
	}
}

void
sf_trace_read(
    struct sf_stream *stream, struct sf_arena *arena, struct sf_trace *trace)
{
	struct reader r = { stream, arena, sf_stream_scan(stream), trace };
	bool seen[M_COUNT + 1] = { false };
	struct sf_str key;

	*trace = (struct sf_trace){ .params_count = -1, .params_bytes = -1 };
	while (sf_json_member(&r.scan, &key)) {
		enum member m = member_of(key);

		if (m != M_COUNT && seen[m])
			sf_stream_die(stream, "the trace has '%s' twice",
			    member_names[m]);
		seen[m] = true;
		read_member(&r, m);
	}
	sf_stream_check(stream, &r.scan);
	for (enum member m = M_MODEL; m <= M_ROUTE; m++)
		if (!seen[m])
			sf_stream_die(stream, "the trace lacks its '%s'",
			    member_names[m]);
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
