/* The trace: what its own record and those of its makers say. */
#include "report/trace-section.h"

static void
read_params(struct sf_trace_report *t, struct sf_subject *s)
{
	const struct sf_pair *pair = sf_pairs_find(&s->trace, "params");
	struct sf_json scan;
	struct sf_str key;

	if (pair == NULL)
		return;
	t->has_params = true;
	scan = (struct sf_json){
		.p = pair->json.p, .start = pair->json.p, .arena = s->arena
	};
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "count"))
			t->params_count = sf_json_int(&scan);
		else if (SF_KEY(key, "bytes"))
			t->params_bytes = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	if (scan.error != NULL)
		sf_stream_die(s->stream, "params: %s", scan.error);
	if (t->params_count < 0 || t->params_bytes < 0)
		sf_stream_die(s->stream,
		    "params: found %.*s, expected integers >= 0",
		    SF_STR_ARG(pair->json));
}

static void *
begin(struct sf_subject *s)
{
	struct sf_trace_report *t = sf_arena_calloc(s->arena, 1, sizeof *t);

	read_params(t, s);
	sf_provenance_init(&t->made_by, s->arena);
	return t;
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_trace_report *t = state;

	if (kind == SF_K_TOOL)
		sf_provenance_add_tool(&t->made_by, s->stream);
	else if (kind == SF_K_NOTE)
		sf_provenance_add_note(&t->made_by, s->stream);
}

static void
release(void *state)
{
	struct sf_trace_report *t = state;

	sf_provenance_release(&t->made_by);
}

const struct sf_section sf_section_trace = {
	.begin = begin,
	.record = record,
	.markdown = sf_trace_markdown,
	.figures = sf_trace_figures,
	.release = release,
};
