/* Records of torch.compile's logs. */
#include "compile/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc32.h"
#include "compile/log-header.h"
#include "compile/log-line.h"
#include "stream/json.h"

const char *const sf_log_stages[] = { "dynamo", "aot", "post-grad", NULL };

const struct sf_log_graph_type sf_log_graphs[SF_LOG_GRAPHS] = {
#define SF_LOG_GRAPH(id, name, stage, direction) \
	{ name, SF_LOG_STAGE_##stage, direction },
#include "compile/log-graph.def"
#undef SF_LOG_GRAPH
};

enum {
	LOOKED_AT = 64, /* lines by which the kind of a log is known */
	MAX_RANK = 255,
};

/* ---- lines ---- */

static bool
read_held(struct sf_log *log)
{
	const char *start = log->held.p + log->held_at, *end;

	if (log->held_at >= log->held.n)
		return false;
	end = memchr(start, '\n', log->held.n - log->held_at);
	log->line = (struct sf_str){ start, (size_t)(end - start) };
	log->held_at += log->line.n + 1;
	return true;
}

/* Takes colours out: ESC [ ... m. */
static void
strip(struct sf_log *log)
{
	struct sf_str line = log->line;

	log->plain.n = 0;
	sf_buf_putc(&log->plain, '\n');
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '\033') {
			sf_buf_putc(&log->plain, line.p[i]);
			continue;
		}
		while (i + 1 < line.n && line.p[i] != 'm')
			i++;
	}
	sf_buf_need(&log->plain, SF_JSON_PADDING + 1);
	memset(log->plain.p + log->plain.n, '\n', SF_JSON_PADDING + 1);
	log->line = (struct sf_str){ log->plain.p + 1, log->plain.n - 1 };
}

static bool
next_line(struct sf_log *log)
{
	if (log->again) {
		log->again = false;
		return true;
	}
	if (log->input != NULL ? !sf_input_line(log->input, &log->line)
			       : !read_held(log))
		return false;
	log->lineno++;
	log->crc32 = sf_crc32(log->crc32, log->line.p, log->line.n);
	log->crc32 = sf_crc32(log->crc32, "\n", 1);
	if (log->line.n != 0 && log->line.p[log->line.n - 1] == '\r')
		log->line.n--;
	if (!log->structured && sf_str_chr(log->line, '\033') != NULL)
		strip(log);
	return true;
}

/* What can be read once only is held: it is read twice. */
static void
hold(struct sf_log *log)
{
	struct sf_input *input = sf_input_open(log->path);
	struct sf_str line;

	sf_buf_putc(&log->held, '\n');
	while (sf_input_line(input, &line)) {
		sf_buf_put(&log->held, line.p, line.n);
		sf_buf_putc(&log->held, '\n');
	}
	sf_buf_need(&log->held, SF_JSON_PADDING + 1);
	memset(log->held.p + log->held.n, '\n', SF_JSON_PADDING + 1);
	sf_input_close(input);
}

/* A log is structured when a header is among its first lines. */
static bool
looks_structured(struct sf_log *log)
{
	bool found = false;

	sf_log_rewind(log, -1);
	for (int i = 0; !found && i < LOOKED_AT && next_line(log); i++)
		found = sf_log_header(log->line) != NULL;
	return found;
}

void
sf_log_open(struct sf_log *log, const char *path)
{
	struct stat st;

	*log = (struct sf_log){ .path = path, .arena = sf_arena_new() };
	if (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		hold(log);
	if (strcmp(path, "-") == 0)
		log->path = "<stdin>";
	log->structured = looks_structured(log);
	sf_log_rewind(log, -1);
}

void
sf_log_rewind(struct sf_log *log, int64_t rank)
{
	if (log->input != NULL)
		sf_input_close(log->input);
	log->input = log->held.p == NULL ? sf_input_open(log->path) : NULL;
	log->held_at = 1;
	log->lineno = 0;
	log->again = log->exported = log->unread = false;
	log->last_header = 0;
	log->crc32 = 0;
	log->rank = rank;
	log->title.n = log->prefix.n = 0;
}

void
sf_log_close(struct sf_log *log)
{
	if (log->input != NULL)
		sf_input_close(log->input);
	sf_buf_release(&log->held);
	sf_buf_release(&log->plain);
	sf_buf_release(&log->title);
	sf_buf_release(&log->prefix);
	sf_buf_release(&log->text);
	sf_arena_free(log->arena);
	free(log->lines);
}

/* ---- payloads ---- */

static void
put_line(struct sf_log *log, struct sf_str text, int64_t lineno)
{
	if (log->nlines == log->line_room) {
		log->line_room = log->line_room != 0 ? log->line_room * 2 : 256;
		log->lines = sf_reallocarray(
		    log->lines, (size_t)log->line_room, sizeof *log->lines);
	}
	log->lines[log->nlines++] = lineno;
	sf_buf_put(&log->text, text.p, text.n);
	/* The stream has no word for NUL. */
	for (size_t i = log->text.n - text.n; i < log->text.n; i++)
		if (log->text.p[i] == '\0')
			log->text.p[i] = ' ';
	sf_buf_putc(&log->text, '\n');
}

/* Lines that begin with a tab; an editor may have taken it off empty ones. */
static void
read_tabbed(struct sf_log *log)
{
	int64_t blank = 0;

	while (next_line(log)) {
		if (log->line.n == 0) {
			blank++;
			continue;
		}
		if (log->line.p[0] != '\t') {
			log->again = true;
			return;
		}
		for (; blank > 0; blank--)
			put_line(log, SF_STR(""), log->lineno - blank);
		put_line(log,
		    (struct sf_str){ log->line.p + 1, log->line.n - 1 },
		    log->lineno);
	}
}
/*
 * Lines with the same prefix belong together; those of a graph stand further
 * right than its class.
 */
static bool
belongs(struct sf_log *log, const struct sf_log_prefix *prefix, int64_t column)
{
	struct sf_str text = prefix->text;

	if (!sf_str_eq(
		prefix->all, (struct sf_str){ log->prefix.p, log->prefix.n }))
		return false;
	/* Of a graph break all lines do but the next one's first. */
	if (log->class_at < 0)
		return !sf_str_starts(text, "Graph break");
	if (sf_str_trim(text).n == 0)
		return true;
	if (text.p[0] != ' ' && text.p[0] != '\t' && log->exported)
		return !sf_str_starts(text, "class ") &&
		    !sf_str_starts(text, "ExportedProgram:");
	return (int64_t)text.n > column &&
	    (text.p[column] == ' ' || text.p[column] == '\t');
}

static void
read_prefixed(struct sf_log *log)
{
	struct sf_log_prefix prefix;
	int64_t column = 0;
	bool first = true;

	while (next_line(log)) {
		sf_log_prefix_read(log->line, &prefix);
		if (log->rank != prefix.rank)
			continue;
		if (first && log->class_at >= 0) {
			/* What is before the class, a file's name, goes. */
			column = log->class_at;
			if (column < (int64_t)prefix.text.n &&
			    sf_str_trim((struct sf_str){
					    prefix.text.p, (size_t)column })
				    .n != 0) {
				prefix.text.p += column;
				prefix.text.n -= (size_t)column;
				column = 0;
			}
		} else if (!first && !belongs(log, &prefix, column)) {
			log->again = true;
			return;
		}
		first = false;
		put_line(log, prefix.text, log->lineno);
	}
}

struct sf_fx_text
sf_log_payload(struct sf_log *log)
{
	log->text.n = 0;
	log->nlines = 0;
	log->unread = false;
	if (log->structured)
		read_tabbed(log);
	else
		read_prefixed(log);
	sf_buf_putc(&log->text, '\0');
	log->text.n--;
	return (struct sf_fx_text){ { log->text.p, log->text.n }, log->lines,
		log->nlines };
}

/* ---- records ---- */

static bool
next_structured(
    struct sf_log *log, struct sf_log_record *record, struct sf_error *error)
{
	const char *json;

	while (next_line(log)) {
		if (log->line.n == 0 ||
		    (log->line.p[0] == '\t' && log->last_header != 0))
			continue;
		record->line = log->lineno;
		json = sf_log_header(log->line);
		if (json == NULL)
			return sf_fail(error,
			    "%s:%lld: found '%.*s', expected a record's "
			    "header, or its payload behind a tab",
			    log->path, (long long)log->lineno,
			    (int)(log->line.n < 40 ? log->line.n : 40),
			    log->line.p);
		return sf_log_header_read(log, json, record, error);
	}
	return false;
}

/* ---- records of a log for people ---- */

/* The kind of a graph by the log's name for it, or by its title. */
static bool
name_graph(struct sf_log *log, const struct sf_log_prefix *prefix,
    struct sf_log_record *record)
{
	struct sf_str title = { log->title.p, log->title.n };
	bool named = prefix->artifact.n != 0;

	if (sf_str_starts(title, "BEFORE ") ||
	    sf_str_starts(title, "AFTER PRE GRAD"))
		return false;
	record->graph = SF_LOG_DYNAMO;
	if (sf_str_starts(title, "Backward graph"))
		record->graph = SF_LOG_BACKWARD;
	else if (sf_str_starts(title, "Forward graph") ||
	    sf_str_is(prefix->artifact, "aot_graphs"))
		record->graph = SF_LOG_FORWARD;
	else if (sf_str_starts(title, "Joint graph") ||
	    sf_str_is(prefix->artifact, "aot_joint_graph"))
		record->graph = SF_LOG_JOINT;
	else if (sf_str_starts(title, "AFTER POST GRAD") ||
	    sf_str_is(prefix->artifact, "post_grad_graphs"))
		record->graph = SF_LOG_POST_GRAD;
	else if (named)
		return sf_str_is(prefix->artifact, "graph_code");
	return true;
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* A graph alone is by its file's name what TORCH_COMPILE_DEBUG writes. */
static void
guess_by_name(struct sf_log *log, struct sf_log_record *record)
{
	const char *name = file_name(log->path);

	record->plain = true;
	if (strncmp(name, "fx_graph_transformed", 20) == 0)
		record->graph = SF_LOG_POST_GRAD;
	else if (strncmp(name, "fx_graph_readable", 17) == 0)
		record->graph = SF_LOG_FORWARD;
	else
		return;
	record->plain = false;
}

/* Dynamo's names of inputs say where they come from: L_x_, G_w_. */
enum sf_log_graph
sf_log_guess(struct sf_str text)
{
	static const char *const dynamo[] = { "(self, L_", "(self, G_",
		"(self, s", " L_", "torch._C._nn.", "torch.nn.functional." };

	for (size_t i = 0; i < sizeof dynamo / sizeof dynamo[0]; i++)
		if (sf_str_find(text, dynamo[i]) != NULL)
			return SF_LOG_DYNAMO;
	return sf_str_find(text, "torch.ops.") != NULL ? SF_LOG_FORWARD
						       : SF_LOG_DYNAMO;
}

static void
meet_rank(struct sf_log *log, int64_t rank)
{
	if (rank >= 0 && rank <= MAX_RANK)
		log->ranks[rank / 64] |= UINT64_C(1) << (rank % 64);
}

static void
set_text(struct sf_buf *buf, struct sf_str text)
{
	buf->n = 0;
	sf_buf_put(buf, text.p, text.n);
}

static void
begin_text_record(struct sf_log *log, const struct sf_log_prefix *prefix,
    struct sf_log_record *record)
{
	record->id.n = prefix->id.n;
	record->id.p = sf_arena_strndup(log->arena, prefix->id.p, prefix->id.n);
	record->attempt = prefix->attempt;
	record->rank = prefix->rank;
	record->line = log->lineno;
	set_text(&log->prefix, prefix->all);
	log->again = log->unread = true;
}

/*
 * A graph begins with its class. What a graph alone is, is told by the lines
 * that follow, when its payload is read.
 */
static bool
next_prefixed(struct sf_log *log, struct sf_log_record *record)
{
	struct sf_log_prefix prefix;
	struct sf_str title;
	const char *class;

	while (next_line(log)) {
		sf_log_prefix_read(log->line, &prefix);
		meet_rank(log, prefix.rank);
		if (prefix.rank != log->rank)
			continue;
		title = sf_log_title(prefix.text);
		if (title.n != 0)
			set_text(&log->title, title);
		if (sf_str_is(prefix.artifact, "graph_breaks") &&
		    sf_str_starts(prefix.text, "Graph break")) {
			log->class_at = -1;
			begin_text_record(log, &prefix, record);
			record->kind = SF_LOG_BREAK;
			return true;
		}
		class = prefix.text.n != 0 && prefix.text.p[0] == '\t'
		    ? NULL
		    : sf_log_class(prefix.text);
		if (class != NULL) {
			log->class_at = class - prefix.text.p;
			begin_text_record(log, &prefix, record);
			record->kind = name_graph(log, &prefix, record)
			    ? SF_LOG_GRAPH
			    : SF_LOG_OTHER;
			if (prefix.artifact.n == 0 && log->title.n == 0)
				guess_by_name(log, record);
			if (log->exported)
				record->graph = SF_LOG_EXPORTED;
			log->title.n = 0;
			return true;
		}
		if (!log->tabular &&
		    sf_str_is(sf_str_trim(prefix.text), "graph():")) {
			log->tabular = true;
			log->tabular_line = log->lineno;
		}
		log->exported =
		    sf_str_is(sf_str_trim(prefix.text), "ExportedProgram:");
	}
	return false;
}

bool
sf_log_next(
    struct sf_log *log, struct sf_log_record *record, struct sf_error *error)
{
	if (log->unread)
		sf_log_payload(log);
	sf_arena_reset(log->arena);
	*record = (struct sf_log_record){ .rank = -1 };
	error->text[0] = '\0';
	return log->structured ? next_structured(log, record, error)
			       : next_prefixed(log, record);
}
