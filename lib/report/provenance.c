/* Which programs made a trace, and what they had to say about it. */
#include "report/provenance.h"

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

	if (p->ntools == p->room) {
		struct sf_pairs *old = p->tools;

		p->room = p->room != 0 ? p->room * 2 : 8;
		p->tools = sf_arena_calloc(p->arena, p->room, sizeof *old);
		if (p->ntools != 0)
			memcpy(p->tools, old, p->ntools * sizeof *old);
	}
	p->tools[p->ntools++] = sf_pairs_read(&scan, p->arena);
	sf_stream_check(stream, &scan);
}

void
sf_provenance_add_note(struct sf_provenance *p, struct sf_stream *stream)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct sf_str key, tool = SF_STR("?"), text = SF_STR("");
	struct sf_buf whole = { 0 };

	while (sf_json_member(&scan, &key))
		if (SF_KEY(key, "tool"))
			tool = sf_json_string(&scan);
		else if (SF_KEY(key, "text"))
			text = sf_json_string(&scan);
		else
			sf_json_skip(&scan);
	sf_stream_check(stream, &scan);
	sf_buf_put(&whole, tool.p, tool.n);
	SF_BUF_LIT(&whole, ": ");
	sf_buf_put(&whole, text.p, text.n);
	sf_table_add(&p->notes, (struct sf_str){ whole.p, whole.n })->num++;
	sf_buf_release(&whole);
}

static struct sf_str
tool_text(const struct sf_provenance *p, size_t tool, const char *key)
{
	const struct sf_pair *pair = sf_pairs_find(&p->tools[tool], key);

	return pair != NULL ? sf_pair_text(pair, p->arena) : SF_STR("?");
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
	bool plain = is_plain(name) && memchr(name.p, '=', name.n) == NULL;

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		plain = plain && !sf_str_is(name, words[i]);
	if (plain)
		sf_buf_put(out, name.p, name.n);
	else
		put_quoted(out, name);
}

static void
put_command(struct sf_buf *out, const struct sf_provenance *p, size_t tool)
{
	const struct sf_pair *args = sf_pairs_find(&p->tools[tool], "args");
	struct sf_json scan;

	put_name(out, tool_text(p, tool, "tool"));
	if (args == NULL)
		return;
	scan = (struct sf_json){
		.p = args->json.p, .start = args->json.p, .arena = p->arena
	};
	sf_json_enter(&scan, '[');
	while (sf_json_element(&scan)) {
		struct sf_str arg = sf_json_string(&scan);

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
		put_command(out, p, i);
	}
	SF_BUF_LIT(out, "\n\n");
}

/* The files that the tool read: an array of {name, crc32}. */
static void
put_inputs(
    struct sf_buf *out, const struct sf_pair *inputs, struct sf_arena *arena)
{
	struct sf_json scan = {
		.p = inputs->json.p, .start = inputs->json.p, .arena = arena
	};

	sf_json_enter(&scan, '[');
	while (sf_json_element(&scan)) {
		struct sf_str key, name = SF_STR("?"), crc32 = SF_STR("?");

		sf_json_enter(&scan, '{');
		while (sf_json_member(&scan, &key))
			if (SF_KEY(key, "name"))
				name = sf_json_string(&scan);
			else if (SF_KEY(key, "crc32"))
				crc32 = sf_json_string(&scan);
			else
				sf_json_skip(&scan);
		SF_BUF_LIT(out, "; ");
		sf_md_text(out, name);
		SF_BUF_LIT(out, " crc32 ");
		sf_md_text(out, crc32);
	}
}

/* A line a tool: its version, and all that it recorded beside its arguments. */
static void
put_tool(struct sf_buf *out, const struct sf_provenance *p, size_t tool)
{
	const struct sf_pairs *pairs = &p->tools[tool];

	SF_BUF_LIT(out, "- ");
	sf_md_text(out, tool_text(p, tool, "tool"));
	SF_BUF_LIT(out, " ");
	sf_md_text(out, tool_text(p, tool, "version"));
	for (size_t i = 0; i < pairs->n; i++) {
		const struct sf_pair *pair = &pairs->v[i];

		if (sf_str_is(pair->key, "tool") ||
		    sf_str_is(pair->key, "version") ||
		    sf_str_is(pair->key, "args"))
			continue;
		if (sf_str_is(pair->key, "inputs")) {
			put_inputs(out, pair, p->arena);
			continue;
		}
		SF_BUF_LIT(out, "; ");
		sf_md_text(out, pair->key);
		SF_BUF_LIT(out, " ");
		sf_md_value(out, pair->json, p->arena);
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
		put_tool(out, p, i);
	SF_BUF_LIT(out, "\n");
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
		sf_fig_pairs(f, NULL, &p->tools[i], p->arena);
	sf_fig_close(f);
}
