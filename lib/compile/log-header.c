/* Headers of a structured log's records. */
#include "compile/log-header.h"

#include "stream/json.h"

static struct sf_str
keep(struct sf_log *log, struct sf_str s)
{
	return (struct sf_str){ sf_arena_strndup(log->arena, s.p, s.n), s.n };
}

/* What the JSON of a header says that matters. */
struct header {
	int64_t frame, compile, autograd; /* -1: not said */
	struct sf_str describer, tensor;
};

static int64_t
read_number(struct sf_json *s)
{
	return sf_json_null(s) ? -1 : sf_json_int(s);
}

static void
find_graph(struct sf_log_record *record, struct sf_str name)
{
	for (int i = 0; i < SF_LOG_GRAPHS; i++)
		if (sf_str_is(name, sf_log_graphs[i].name)) {
			record->kind = SF_LOG_GRAPH;
			record->graph = (enum sf_log_graph)i;
		}
}

/* {"name": "after_post_grad_graph", ...} */
static void
read_artifact(struct sf_json *s, struct sf_log_record *record)
{
	struct sf_str key, name = SF_STR("");

	sf_json_enter(s, '{');
	while (sf_json_member(s, &key)) {
		if (SF_KEY(key, "name") && sf_json_peek(s) == '"')
			name = sf_json_string(s);
		else
			sf_json_skip(s);
	}
	if (sf_str_is(name, "dynamo_graph_break_reason"))
		record->kind = SF_LOG_BREAK;
	find_graph(record, name);
}

/* describe_tensor, describe_source and create_symbol. */
static void
read_described(struct sf_log *log, struct sf_json *s,
    struct sf_log_record *record, struct header *h)
{
	struct sf_str key;

	sf_json_enter(s, '{');
	while (sf_json_member(s, &key)) {
		bool text = sf_json_peek(s) == '"';

		if (SF_KEY(key, "describer_id"))
			h->describer = sf_json_skip(s);
		else if (SF_KEY(key, "id"))
			h->tensor = sf_json_skip(s);
		else if (SF_KEY(key, "is_parameter"))
			record->param = sf_json_bool(s);
		else if (SF_KEY(key, "size"))
			record->value = sf_json_skip(s);
		else if (SF_KEY(key, "symbol") && text)
			record->name = keep(log, sf_json_string(s));
		else if ((SF_KEY(key, "source") || SF_KEY(key, "val")) &&
		    text && record->kind != SF_LOG_TENSOR &&
		    (record->kind == SF_LOG_SYMBOL) == SF_KEY(key, "val"))
			record->value = sf_json_string(s);
		else
			sf_json_skip(s);
	}
	record->value = keep(log, record->value);
	if (record->kind != SF_LOG_SYMBOL)
		record->name =
		    sf_str_of(sf_arena_printf(log->arena, "%.*s:%.*s",
			SF_STR_ARG(h->describer), SF_STR_ARG(h->tensor)));
}

/* The members that are there besides the record's own, and that one. */
static void
read_member(struct sf_log *log, struct sf_json *s, struct sf_str key,
    struct sf_log_record *record, struct header *h)
{
	if (SF_KEY(key, "rank"))
		record->rank = read_number(s);
	else if (SF_KEY(key, "frame_id"))
		h->frame = read_number(s);
	else if (SF_KEY(key, "frame_compile_id"))
		h->compile = read_number(s);
	else if (SF_KEY(key, "compiled_autograd_id"))
		h->autograd = read_number(s);
	else if (SF_KEY(key, "attempt"))
		record->attempt = read_number(s);
	else if (SF_KEY(key, "artifact") && sf_json_peek(s) == '{')
		read_artifact(s, record);
	else if (SF_KEY(key, "describe_tensor")) {
		record->kind = SF_LOG_TENSOR;
		read_described(log, s, record, h);
	} else if (SF_KEY(key, "describe_source")) {
		record->kind = SF_LOG_SOURCE;
		read_described(log, s, record, h);
	} else if (SF_KEY(key, "create_symbol")) {
		record->kind = SF_LOG_SYMBOL;
		read_described(log, s, record, h);
	} else {
		find_graph(record, key);
		sf_json_skip(s);
	}
}

static void
name_compilation(
    struct sf_log *log, struct sf_log_record *record, const struct header *h)
{
	if (h->frame < 0)
		return;
	record->id = sf_str_of(h->autograd >= 0
		? sf_arena_printf(log->arena, "!%lld/%lld/%lld",
		      (long long)h->autograd, (long long)h->frame,
		      (long long)(h->compile >= 0 ? h->compile : 0))
		: sf_arena_printf(log->arena, "%lld/%lld", (long long)h->frame,
		      (long long)(h->compile >= 0 ? h->compile : 0)));
}

bool
sf_log_header_read(struct sf_log *log, const char *json,
    struct sf_log_record *record, struct sf_error *error)
{
	struct sf_json s = {
		.p = json, .start = log->line.p, .arena = log->arena
	};
	struct header h = { -1, -1, -1, SF_STR(""), SF_STR("") };
	struct sf_str key;

	if (!sf_utf8_valid(log->line.p, log->line.n))
		return sf_fail(error, "%s:%lld: the line is not UTF-8",
		    log->path, (long long)log->lineno);
	sf_json_enter(&s, '{');
	while (sf_json_member(&s, &key))
		read_member(log, &s, key, record, &h);
	sf_json_end_line(&s);
	if (s.error != NULL)
		return sf_fail(error, "%s:%lld:%lld: %s", log->path,
		    (long long)log->lineno, (long long)(s.p - s.start + 1),
		    s.error);
	name_compilation(log, record, &h);
	log->last_header = log->lineno;
	return true;
}
