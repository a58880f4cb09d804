/* Which programs made a trace, and what they had to say about it. */
#include "report/provenance.h"

#include "stream/note.h"
#include "text/markdown.h"

void
sf_provenance_init(struct sf_provenance *p, struct sf_arena *arena)
{
	*p = (struct sf_provenance){ .arena = arena };
	sf_table_init(&p->notes, arena);
}

void
sf_provenance_release(struct sf_provenance *p)
{
	sf_table_release(&p->notes);
}

void
sf_provenance_add_tool(struct sf_provenance *p, struct sf_stream *stream)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct sf_made_by *by;

	if (p->ntools == p->room) {
		struct sf_made_by *old = p->tools;

		p->room = p->room != 0 ? p->room * 2 : 8;
		p->tools = sf_arena_calloc(p->arena, p->room, sizeof *old);
		if (p->ntools != 0)
			memcpy(p->tools, old, p->ntools * sizeof *old);
	}
	by = &p->tools[p->ntools++];
	sf_tool_read(stream, p->arena, &by->tool);
	by->all = sf_pairs_read(&scan, p->arena);
}

void
sf_provenance_add_note(struct sf_provenance *p, struct sf_stream *stream)
{
	struct sf_note_record note;
	struct sf_buf whole = { 0 };

	sf_note_read(stream, NULL, &note);
	sf_buf_put(&whole, note.tool.p, note.tool.n);
	SF_BUF_LIT(&whole, ": ");
	sf_buf_put(&whole, note.text.p, note.text.n);
	sf_table_add(&p->notes, (struct sf_str){ whole.p, whole.n })->num++;
	sf_buf_release(&whole);
}

/* True when a shell takes TEXT as it stands, as an argument. */
static bool
is_plain(struct sf_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z') ||
			strchr("-_./,:=+@%", c) != NULL))
			return false;
	}
	return text.n != 0;
}

/* Whether all that is seen of TEXT, which Markdown may change, is itself. */
static bool
is_shown_whole(struct sf_str text)
{
	struct sf_buf shown = { 0 };
	bool whole;

	sf_md_code(&shown, text);
	whole = sf_str_eq((struct sf_str){ shown.p, shown.n }, text);
	sf_buf_release(&shown);
	return whole;
}

/* A word of a shell that knows $'...', with what is hidden as bytes. */
static void
put_escaped(struct sf_buf *out, struct sf_str text)
{
	SF_BUF_LIT(out, "$'");
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '\'' || c == '\\')
			sf_buf_putc(out, '\\');
		if (c < 0x20 || c >= 0x7f)
			sf_buf_printf(out, "\\x%02x", c);
		else
			sf_buf_putc(out, (char)c);
	}
	sf_buf_putc(out, '\'');
}

static void
put_quoted(struct sf_buf *out, struct sf_str text)
{
	if (!is_shown_whole(text)) {
		put_escaped(out, text);
		return;
	}
	sf_buf_putc(out, '\'');
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			SF_BUF_LIT(out, "'\\''");
		else
			sf_buf_putc(out, text.p[i]);
	sf_buf_putc(out, '\'');
}

/*
 * A program's name as a command: quoted, too, when it is a word of the shell's
 * own or looks like an assignment.
 */
static void
put_name(struct sf_buf *out, struct sf_str name)
{
	static const char *const words[] = { "case", "coproc", "do", "done",
		"elif", "else", "esac", "fi", "for", "function", "if", "in",
		"select", "then", "time", "until", "while" };
	bool plain = is_plain(name) && sf_str_chr(name, '=') == NULL;

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		plain = plain && !sf_str_is(name, words[i]);
	if (plain)
		sf_buf_put(out, name.p, name.n);
	else
		put_quoted(out, name);
}

static void
put_command(struct sf_buf *out, const struct sf_tool_record *tool)
{
	put_name(out, tool->tool);
	for (int i = 0; i < tool->nargs; i++) {
		struct sf_str arg = tool->args[i];

		sf_buf_putc(out, ' ');
		if (is_plain(arg))
			sf_buf_put(out, arg.p, arg.n);
		else
			put_quoted(out, arg);
	}
}

/* The pipeline as it could be typed again. */
static void
put_pipeline(struct sf_buf *out, const struct sf_provenance *p)
{
	SF_BUF_LIT(out, "    ");
	for (size_t i = 0; i < p->ntools; i++) {
		if (i != 0)
			SF_BUF_LIT(out, " | ");
		put_command(out, &p->tools[i].tool);
	}
	SF_BUF_LIT(out, "\n\n");
}

/* The files that the tool read. */
static void
put_inputs(struct sf_buf *out, const struct sf_tool_record *tool)
{
	for (int i = 0; i < tool->ninputs; i++) {
		SF_BUF_LIT(out, "; ");
		sf_md_text(out, tool->inputs[i].name);
		SF_BUF_LIT(out, " crc32 ");
		sf_md_text(out, tool->inputs[i].crc32);
	}
}

/* A line a tool: its version, and all that it recorded beside its arguments. */
static void
put_tool(
    struct sf_buf *out, const struct sf_made_by *by, struct sf_arena *arena)
{
	const struct sf_pairs *pairs = &by->all;

	SF_BUF_LIT(out, "- ");
	sf_md_text(out, by->tool.tool);
	SF_BUF_LIT(out, " ");
	sf_md_text(out, by->tool.version);
	for (size_t i = 0; i < pairs->n; i++) {
		const struct sf_pair *pair = &pairs->v[i];

		if (sf_str_is(pair->key, "tool") ||
		    sf_str_is(pair->key, "version") ||
		    sf_str_is(pair->key, "args"))
			continue;
		if (sf_str_is(pair->key, "inputs")) {
			put_inputs(out, &by->tool);
			continue;
		}
		SF_BUF_LIT(out, "; ");
		sf_md_text(out, pair->key);
		SF_BUF_LIT(out, " ");
		sf_md_value(out, pair->json, arena);
	}
	SF_BUF_LIT(out, "\n");
}

static void
put_notes(struct sf_buf *out, const struct sf_table *notes)
{
	SF_BUF_LIT(out, "### Notes\n\n");
	for (size_t i = 0; i < notes->n; i++) {
		const struct sf_entry *note = notes->order[i];

		SF_BUF_LIT(out, "- ");
		sf_md_text(out, note->name);
		if (note->num != 1)
			sf_buf_printf(
			    out, " (%lld times)", (long long)note->num);
		SF_BUF_LIT(out, "\n");
	}
	SF_BUF_LIT(out, "\n");
}

void
sf_provenance_markdown(const struct sf_provenance *p, struct sf_buf *out)
{
	if (p->notes.n != 0)
		put_notes(out, &p->notes);
	if (p->ntools == 0)
		return;
	SF_BUF_LIT(out, "### Made by\n\n");
	put_pipeline(out, p);
	for (size_t i = 0; i < p->ntools; i++)
		put_tool(out, &p->tools[i], p->arena);
	SF_BUF_LIT(out, "\n");
}

bool
sf_provenance_active(
    const struct sf_provenance *p, int64_t *count, int64_t *bytes)
{
	const struct sf_pair *pair = NULL;
	struct sf_json scan;
	struct sf_str key, kept;

	for (size_t i = 0; i < p->ntools && pair == NULL; i++)
		pair = sf_pairs_find(&p->tools[i].all, "active_params");
	if (pair == NULL || pair->json.p[0] != '{')
		return false;
	*count = *bytes = -1;
	kept = sf_json_keep(p->arena, pair->json);
	scan =
	    (struct sf_json){ .p = kept.p, .start = kept.p, .arena = p->arena };
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		if (sf_str_is(key, "count"))
			*count = sf_json_int(&scan);
		else if (sf_str_is(key, "bytes"))
			*bytes = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	}
	return scan.error == NULL && *count >= 0 && *bytes >= 0;
}

void
sf_provenance_figures(const struct sf_provenance *p, struct sf_figures *f)
{
	sf_fig_open(f, "notes", '[');
	for (size_t i = 0; i < p->notes.n; i++) {
		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "text", p->notes.order[i]->name);
		sf_fig_int(f, "times", p->notes.order[i]->num, "");
		sf_fig_close(f);
	}
	sf_fig_close(f);
	sf_fig_open(f, "tools", '[');
	for (size_t i = 0; i < p->ntools; i++)
		sf_fig_pairs(f, NULL, &p->tools[i].all, p->arena);
	sf_fig_close(f);
}
