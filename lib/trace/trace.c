/* The records that open and close a trace. */
#include "trace/trace.h"

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

/* A copy that outlives the record. */
static struct sf_str
keep(struct sf_stream *stream, struct sf_str text)
{
	return (struct sf_str){ sf_arena_strndup(
				    sf_stream_arena(stream), text.p, text.n),
		text.n };
}

static void
read_params(struct sf_json *scan, struct sf_trace *trace)
{
	struct sf_str key;

	sf_json_enter(scan, '{');
	while (sf_json_member(scan, &key))
		if (SF_KEY(key, "count"))
			trace->params_count = sf_json_int(scan);
		else if (SF_KEY(key, "bytes"))
			trace->params_bytes = sf_json_int(scan);
		else
			sf_json_skip(scan);
}

static void
read_workload(
    struct sf_stream *stream, struct sf_json *scan, struct sf_trace *trace)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_workload_item *items = NULL, *more;
	size_t n = 0, room = 0;
	struct sf_str key;

	sf_json_enter(scan, '{');
	while (sf_json_member(scan, &key)) {
		if (n == room) {
			room = room != 0 ? room * 2 : 8;
			more = sf_arena_alloc(arena, room * sizeof *more);
			if (n != 0)
				memcpy(more, items, n * sizeof *more);
			items = more;
		}
		items[n].name = keep(stream, key).p;
		items[n++].value = sf_json_int(scan);
	}
	trace->workload = items;
	trace->nworkload = (int)n;
}

void
sf_trace_read(struct sf_stream *stream, struct sf_trace *trace)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct sf_str key;

	*trace = (struct sf_trace){ .params_count = -1, .params_bytes = -1 };
	while (sf_json_member(&scan, &key)) {
		if (SF_KEY(key, "model"))
			trace->model = keep(stream, sf_json_string(&scan));
		else if (SF_KEY(key, "route"))
			trace->route = keep(stream, sf_json_string(&scan));
		else if (SF_KEY(key, "workload"))
			read_workload(stream, &scan, trace);
		else if (SF_KEY(key, "params"))
			read_params(&scan, trace);
		else
			sf_json_skip(&scan);
	}
	sf_stream_check(stream, &scan);
}
