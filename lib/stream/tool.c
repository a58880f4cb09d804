/* The tool record. */
#include "stream/tool.h"

#include "stream/member.h"

/* ---- writing ---- */

static void
put_inputs(struct sf_jsonw *w, const struct sf_tool_record *t)
{
	sf_jsonw_key(w, "inputs");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < t->ninputs; i++) {
		sf_jsonw_open(w, '{');
		sf_jsonw_kstr(w, "name", t->inputs[i].name);
		sf_jsonw_kstr(w, "crc32", t->inputs[i].crc32);
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}

void
sf_tool_put(struct sf_stream *stream, const struct sf_tool_record *t,
    struct sf_str more)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_TOOL);

	sf_jsonw_kstr(w, "tool", t->tool);
	sf_jsonw_kstr(w, "version", t->version);
	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < t->nargs; i++)
		sf_jsonw_str(w, t->args[i]);
	sf_jsonw_close(w, ']');
	if (t->ninputs != 0)
		put_inputs(w, t);
	if (more.n != 0)
		sf_jsonw_raw(w, more);
	sf_stream_put(stream);
}

/* ---- reading ---- */

static void
read_crc32(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_tool_input *input = into;
	const char *value = r->scan.p;
	struct sf_str text = sf_json_string(&r->scan);
	size_t n = 0;

	while (n < text.n && strchr("0123456789abcdef", text.p[n]) != NULL)
		n++;
	if (n != 8 || text.n != 8)
		sf_member_refuse(r, m, value, NULL);
	else
		input->crc32 = r->keep == NULL
		    ? text
		    : (struct sf_str){ sf_arena_strndup(r->keep, text.p, 8),
			      8 };
}

static const struct sf_member input_rows[] = {
	SF_MEMBER_TEXT("name", struct sf_tool_input, name, SF_ALWAYS),
	SF_MEMBER_CALL("crc32", SF_ALWAYS, read_crc32,
	    "a string of eight lower-case hexadecimal digits"),
};
static const struct sf_members input_members = SF_MEMBERS("input", input_rows);

static const char *const branches[] = { "then", "else", NULL };

static const struct sf_member assumed_rows[] = {
	SF_MEMBER_STR("node", struct sf_tool_assumed, node, SF_ALWAYS),
	SF_MEMBER_SAID(
	    "branch", struct sf_tool_assumed, branch, SF_OPTIONAL, branches),
	SF_MEMBER_COUNT("trips", struct sf_tool_assumed, trips, SF_OPTIONAL),
};
static const struct sf_members assumed_members =
    SF_MEMBERS("assumed", assumed_rows);

static const struct sf_member arg = SF_ELEMENT_STR;
static const struct sf_member assumed = SF_ELEMENT_OBJECT(&assumed_members);
static const struct sf_member input = SF_ELEMENT_OBJECT(&input_members);

static const struct sf_member rows[] = {
	SF_MEMBER_TEXT("tool", struct sf_tool_record, tool, SF_ALWAYS),
	SF_MEMBER_TEXT("version", struct sf_tool_record, version, SF_ALWAYS),
	SF_MEMBER_ARRAY("args", struct sf_tool_record, args, nargs, SF_ALWAYS,
	    &arg, 0, INT64_MAX),
	SF_MEMBER_ARRAY("inputs", struct sf_tool_record, inputs, ninputs,
	    SF_OPTIONAL, &input, 1, INT64_MAX),
	SF_MEMBER_ARRAY("assumed", struct sf_tool_record, assumed, nassumed,
	    SF_OPTIONAL, &assumed, 1, INT64_MAX),
};
static const struct sf_members members = SF_MEMBERS("tool", rows);

void
sf_tool_read(struct sf_stream *stream, struct sf_arena *keep,
    struct sf_tool_record *tool)
{
	*tool = (struct sf_tool_record){ .tool = SF_STR("") };
	sf_record_read(stream, &members, keep, tool);
}
