/* The stream contract: order, counts, provenance, and passing on. */
#include "stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/foreign.h"
#include "base/progress.h"
#include "base/write.h"
#include "stream/input.h"
#include "stream/member.h"
#include "stream/note.h"
#include "stream/tool.h"
#include "stream/trace.h"

enum {
	FLUSH_AT = 32 * 1024
};

enum role {
	FILTER,
	SOURCE,
	SINK
};

struct sf_stream {
	const struct sf_tool *tool;
	enum role role;
	struct sf_cmdline line;
	struct sf_arena *arena, *record_arena;

	struct sf_input *input; /* NULL between files and for a source */
	int next_operand;
	int64_t traces; /* that the input held so far */
	int64_t meant;  /* in all, as --traces says; 0: any number */

	struct sf_str rec; /* the current record; its LF follows */
	size_t kind_end;   /* where its members go on behind the kind */
	enum sf_kind kind;
	bool pending; /* it is there and was not passed on */
	bool checked; /* all of it is known to be JSON */
	bool held;    /* it was put back for SF_K_BODY */
	/* By what it was read whole, no rows for nothing, and what it found. */
	struct sf_members read_by;
	uint64_t seen;
	bool others;

	bool in_trace, in_header;
	int64_t ops, points; /* records of this trace so far */

	struct sf_jsonw extension; /* members to append to the current record */
	struct sf_jsonw record;    /* the record that is being written */
	struct sf_buf inputs;      /* the tool record's: struct sf_tool_input */
	struct sf_jsonw members;   /* further members of the tool record */
	struct sf_buf out;         /* whole lines, or a sink's text */
	int fd;                    /* where they go */
	struct sf_progress progress; /* of what is read */
	bool say_no;
};

static const struct sf_str kind_names[] = {
#define SF_KIND(id, text) [SF_K_##id] = { text, sizeof(text) - 1 },
#include "stream/kind.def"
#undef SF_KIND
};

/* How a record of a kind begins. */
static const struct sf_str kind_heads[] = {
#define SF_KIND(id, text) [SF_K_##id] = SF_STR_INIT("{\"kind\":\"" text "\""),
#include "stream/kind.def"
#undef SF_KIND
};

const char *
sf_kind_name(enum sf_kind kind)
{
	return kind < SF_K_OTHER ? kind_names[kind].p : NULL;
}

/* ---- opening ---- */

/* A file opened later must not take the place of a standard stream. */
static void
check_standard_streams(void)
{
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		sf_die(SF_EX_IO, "<stdout>: is closed");
	while (fcntl(STDIN_FILENO, F_GETFD) < 0 ||
	    fcntl(STDERR_FILENO, F_GETFD) < 0)
		if (open("/dev/null", O_WRONLY) < 0)
			sf_die(SF_EX_IO, "/dev/null: %s", strerror(errno));
}

static struct sf_stream *
stream_new(enum role role, const struct sf_tool *tool)
{
	struct sf_stream *s = sf_malloc(sizeof *s);

	signal(SIGPIPE, SIG_DFL);
	*s = (struct sf_stream){ .role = role,
		.tool = tool,
		.fd = STDOUT_FILENO,
		.arena = sf_arena_new(),
		.record_arena = sf_arena_new() };
	return s;
}

static void
read_line(
    struct sf_stream *s, const struct sf_tool *tool, int argc, char *argv[])
{
	sf_set_program(tool->name);
	check_standard_streams();
	s->line = sf_opt_parse(tool, argc, argv, s->arena);
}

/* The options of TOOL and, behind them, those of every program that reads. */
static const struct sf_opt *
reader_options(struct sf_stream *s, const struct sf_tool *tool)
{
	const struct sf_opt own[] = {
		SF_OPT_INT(0, "traces", &s->meant, 1, INT64_MAX, "N",
		    "the input has N traces in all, or it is an error"),
		SF_OPT_END,
	};
	struct sf_opt *all;
	size_t n = 0;

	while (tool->opts[n].type != SF_OPT_TYPE_END)
		n++;
	all = sf_arena_calloc(s->arena, n + 2, sizeof *all);
	memcpy(all, tool->opts, n * sizeof *all);
	memcpy(all + n, own, sizeof own);
	return all;
}

/* A filter or sink reads files: any number unless its tool says how many. */
static struct sf_stream *
reader_open(enum role role, const struct sf_tool *tool, int argc, char *argv[])
{
	struct sf_stream *s = stream_new(role, tool);
	struct sf_tool reading = *tool;

	reading.opts = reader_options(s, tool);
	if (tool->operands == NULL) {
		reading.operands = "[FILE...]";
		reading.min_operands = 0;
		reading.max_operands = -1;
	}
	reading.operands_are_paths = false;
	reading.operands_are_streams = true;
	read_line(s, &reading, argc, argv);
	sf_progress_begin(&s->progress, "operators", -1);
	return s;
}

struct sf_stream *
sf_filter_open(const struct sf_tool *tool, int argc, char *argv[])
{
	return reader_open(FILTER, tool, argc, argv);
}

struct sf_stream *
sf_sink_open(const struct sf_tool *tool, int argc, char *argv[])
{
	return reader_open(SINK, tool, argc, argv);
}

struct sf_stream *
sf_source_open(const struct sf_tool *tool, int argc, char *argv[])
{
	struct sf_stream *s = stream_new(SOURCE, tool);

	read_line(s, tool, argc, argv);
	sf_progress_begin(&s->progress, "operators", -1);
	return s;
}

struct sf_arena *
sf_stream_arena(struct sf_stream *s)
{
	return s->arena;
}

struct sf_arena *
sf_stream_record_arena(struct sf_stream *s)
{
	return s->record_arena;
}

const struct sf_cmdline *
sf_stream_cmdline(const struct sf_stream *s)
{
	return &s->line;
}

int
sf_stream_operand(const struct sf_stream *s)
{
	return s->next_operand - 1;
}

void
sf_stream_say_no(struct sf_stream *s)
{
	s->say_no = true;
}

/* ---- the tool record ---- */

void
sf_stream_add_input(struct sf_stream *s, const char *path, uint32_t crc32)
{
	struct sf_tool_input input = { sf_str_of(sf_path_base(path)),
		sf_str_of(sf_arena_printf(s->arena, "%08x", crc32)) };

	sf_buf_put(&s->inputs, &input, sizeof input);
}

void
sf_stream_add_tool_member(
    struct sf_stream *s, const char *key, struct sf_str json)
{
	sf_jsonw_key(&s->members, key);
	sf_jsonw_raw(&s->members, json);
}

void
sf_stream_forget(struct sf_stream *s)
{
	s->inputs.n = 0;
	s->members.buf.n = 0;
	s->members.comma = false;
}

void
sf_stream_put_tool(struct sf_stream *s)
{
	int n = s->line.nargs;
	struct sf_str *args =
	    sf_arena_calloc(s->arena, (size_t)n, sizeof *args);
	const struct sf_tool_record record = { .tool = sf_str_of(s->tool->name),
		.version = sf_str_of(sf_version),
		.args = args,
		.nargs = n,
		.inputs = (const struct sf_tool_input *)(void *)s->inputs.p,
		.ninputs = (int)(s->inputs.n / sizeof *record.inputs) };

	for (int i = 0; i < n; i++)
		args[i] = sf_str_of(s->line.args[i]);
	sf_tool_put(
	    s, &record, (struct sf_str){ s->members.buf.p, s->members.buf.n });
}

/* ---- errors ---- */

void
sf_stream_die(struct sf_stream *s, const char *format, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, format);
	sf_vprint_fit(text, sizeof text, format, ap);
	va_end(ap);
	if (s->input == NULL)
		sf_die(SF_EX_INPUT, "%s", text);
	sf_die(SF_EX_INPUT, "%s:%lld: %s", sf_input_name(s->input),
	    (long long)sf_input_lineno(s->input), text);
}

static SF_NORETURN void
die_of_json(struct sf_stream *s, const struct sf_json *scan)
{
	sf_stream_die(s, "column %lld: %s", (long long)(scan->p - s->rec.p) + 1,
	    scan->error);
}

void
sf_stream_check(struct sf_stream *s, const struct sf_json *scan)
{
	struct sf_json copy = *scan;

	if (!sf_json_end_line(&copy))
		die_of_json(s, &copy);
	s->checked = true;
}

/* ---- reading ---- */

struct sf_json
sf_stream_scan(struct sf_stream *s)
{
	return (struct sf_json){ .p = s->rec.p + s->kind_end,
		.start = s->rec.p,
		.arena = s->record_arena };
}

int64_t
sf_stream_ops(const struct sf_stream *s)
{
	bool current = s->pending && s->kind == SF_K_OP && !s->held;

	return s->ops - (current ? 1 : 0);
}

void
sf_stream_flush(struct sf_stream *s)
{
	if (s->fd < 0)
		return;
	/* The line is not to stand in what is written. */
	if (s->progress.there && s->out.n != 0 && isatty(s->fd))
		sf_progress_end(&s->progress);
	sf_write_all(s->fd, s->out.p, s->out.n);
	s->out.n = 0;
}

/* Checks what the program did not look at of the current record. */
static void
check_rest(struct sf_stream *s)
{
	struct sf_json scan = {
		.p = s->rec.p, .start = s->rec.p, .arena = s->record_arena
	};

	if (s->checked)
		return;
	sf_json_skip(&scan);
	sf_stream_check(s, &scan);
}

/* Where the closing brace of the current record is. */
static size_t
closing_brace(const struct sf_stream *s)
{
	size_t at = s->rec.n - 1;

	while (s->rec.p[at] != '}')
		at--;
	return at;
}

/* Appends the current record to OUT, with what the program added to it. */
static void
put_current(struct sf_stream *s, struct sf_buf *out)
{
	struct sf_jsonw *ext = &s->extension;
	size_t brace;

	if (ext->buf.n == 0) {
		sf_buf_put(out, s->rec.p, s->rec.n + 1);
		return;
	}
	/* Every record has a member, its kind, before the new ones. */
	brace = closing_brace(s);
	sf_buf_put(out, s->rec.p, brace);
	sf_buf_putc(out, ',');
	sf_buf_put(out, ext->buf.p, ext->buf.n);
	sf_buf_put(out, s->rec.p + brace, s->rec.n + 1 - brace);
	ext->buf.n = 0;
	ext->comma = false;
}

void
sf_stream_pass(struct sf_stream *s)
{
	if (!s->pending)
		return;
	s->pending = false;
	check_rest(s);
	if (s->role == SINK) {
		/* What was added to the record goes nowhere. */
		s->extension.buf.n = 0;
		s->extension.comma = false;
		return;
	}
	put_current(s, &s->out);
	if (s->out.n >= FLUSH_AT)
		sf_stream_flush(s);
}

void
sf_stream_take(struct sf_stream *s, struct sf_buf *out)
{
	if (!s->pending)
		sf_bug("a record is taken that has been passed on");
	s->pending = false;
	check_rest(s);
	put_current(s, out);
}

void
sf_stream_put_lines(struct sf_stream *s, struct sf_buf lines)
{
	sf_buf_put(&s->out, lines.p, lines.n);
	if (s->out.n >= FLUSH_AT)
		sf_stream_flush(s);
}

/* Gets the next line of the operands or of standard input. */
static bool
next_line(struct sf_stream *s)
{
	for (;;) {
		if (s->input == NULL) {
			const char *path = "-";

			if (s->next_operand < s->line.noperands)
				path = s->line.operands[s->next_operand];
			else if (s->next_operand != 0)
				return false;
			else if (isatty(STDIN_FILENO))
				sf_die(SF_EX_USAGE,
				    "standard input is a terminal, expected a "
				    "stream or a FILE; '%s --help' says more",
				    s->tool->name);
			s->next_operand++;
			s->input = sf_input_open(path);
		}
		if (sf_input_line(s->input, &s->rec))
			return true;
		if (s->next_operand >= s->line.noperands)
			return false; /* Messages still want its name. */
		sf_input_close(s->input);
		s->input = NULL;
	}
}

static enum sf_kind
kind_of(struct sf_str name)
{
	for (int k = 0; k < SF_K_OTHER; k++)
		if (sf_str_eq(name, kind_names[k]))
			return (enum sf_kind)k;
	return SF_K_OTHER;
}

/* A file that is no stream is told by its beginning, before its first line. */
static void
check_beginning(struct sf_stream *s)
{
	const char *what;

	if (sf_input_lineno(s->input) != 1 || s->in_trace ||
	    sf_foreign_is_stream(s->rec))
		return;
	what = sf_foreign(sf_input_from(s->input, s->rec.p));
	if (what != NULL)
		sf_stream_die(s, "expected a stream, and this is %s", what);
}

/* Reads the kind, which must be the first member. */
static void
read_kind(struct sf_stream *s)
{
	struct sf_json scan = {
		.p = s->rec.p, .start = s->rec.p, .arena = s->record_arena
	};
	struct sf_str key, name;

	check_beginning(s);
	if (s->rec.n == 0)
		sf_stream_die(s,
		    "an empty line, expected a record; 'grep .' takes such "
		    "lines away");
	if (!sf_utf8_valid(s->rec.p, s->rec.n))
		sf_stream_die(s, "the line is not UTF-8");
	/* Nearly all records are ops. */
	if (SF_JSON_TAKE(&scan, "{\"kind\":\"op\"")) {
		s->kind = SF_K_OP;
		s->kind_end = (size_t)(scan.p - s->rec.p);
		return;
	}
	if (sf_str_starts(s->rec, "\xef\xbb\xbf"))
		sf_stream_die(s,
		    "column 1: a byte order mark, expected a record without "
		    "one");
	if (!sf_json_enter(&scan, '{'))
		sf_stream_die(s, "column 1: expected a record, a JSON object");
	if (!sf_json_member(&scan, &key) && scan.error == NULL)
		sf_stream_die(s, "the record is empty, expected a kind");
	if (scan.error == NULL && !SF_KEY(key, "kind"))
		sf_stream_die(s, "the first member is '%.*s', expected 'kind'",
		    SF_STR_ARG(key));
	name = sf_json_string(&scan);
	if (scan.error != NULL)
		die_of_json(s, &scan);
	s->kind = kind_of(name);
	s->kind_end = (size_t)(scan.p - s->rec.p);
}

static void
begin_trace(struct sf_stream *s)
{
	struct sf_trace trace;

	if (s->in_trace)
		sf_stream_die(
		    s, "a trace begins, expected the 'end' of the one before");
	sf_trace_read(s, NULL, &trace);
	s->traces++;
	if (s->meant != 0 && s->traces > s->meant)
		sf_stream_die(s, "a trace more than the %lld of '--traces'",
		    (long long)s->meant);
	s->in_trace = s->in_header = true;
	s->ops = s->points = 0;
}

static void
end_trace(struct sf_stream *s)
{
	struct sf_end end;

	sf_end_read(s, &end);
	if (end.ops != s->ops)
		sf_stream_die(s,
		    "the end record counts %lld ops, found %lld: the trace is "
		    "not whole",
		    (long long)end.ops, (long long)s->ops);
	if (end.points != s->points)
		sf_stream_die(s,
		    "the end record counts %lld points, found %lld: the trace "
		    "is not whole",
		    (long long)end.points, (long long)s->points);
	s->in_trace = false;
}

/* What every program reads of a record, whatever it uses. */
static void
read_frame(struct sf_stream *s)
{
	struct sf_tool_record tool;
	struct sf_note_record note;

	if (s->kind == SF_K_TOOL)
		sf_tool_read(s, NULL, &tool);
	else if (s->kind == SF_K_NOTE)
		sf_note_read(s, NULL, &note);
}

/* Checks the order of records; true when the header ends before this one. */
static bool
follow(struct sf_stream *s)
{
	if (s->kind == SF_K_TRACE) {
		begin_trace(s);
		return false;
	}
	if (!s->in_trace)
		sf_stream_die(s, "a record outside a trace, expected a '%s'",
		    sf_kind_name(SF_K_TRACE));
	if (s->kind == SF_K_TOOL && !s->in_header)
		sf_stream_die(s,
		    "a '%s' behind another record, expected it directly behind "
		    "the '%s' or another '%s'",
		    sf_kind_name(SF_K_TOOL), sf_kind_name(SF_K_TRACE),
		    sf_kind_name(SF_K_TOOL));
	read_frame(s);
	if (s->in_header && s->kind != SF_K_TOOL) {
		s->in_header = false;
		return true;
	}
	return false;
}

/* Of one that is read or, by a source, written. */
static void
count_op(struct sf_stream *s)
{
	s->ops++;
	if (s->progress.shown)
		sf_progress_step(&s->progress);
}

/* Counts the record that is about to be returned. */
static enum sf_kind
deliver(struct sf_stream *s)
{
	if (s->kind == SF_K_OP)
		count_op(s);
	else if (s->kind == SF_K_POINT)
		s->points++;
	else if (s->kind == SF_K_END)
		end_trace(s);
	return s->kind;
}

static void
check_end_of_input(struct sf_stream *s)
{
	const char *name = sf_input_name(s->input);

	if (s->in_trace)
		sf_die(SF_EX_INPUT,
		    "%s:%lld: the input ends inside a trace, expected its "
		    "'end' record",
		    name, (long long)sf_input_lineno(s->input) + 1);
	if (s->traces == 0)
		sf_input_no_trace(s->input, s->role == FILTER ? s->fd : -1);
	/* A loop whose turn failed leaves a stream that looks whole. */
	if (s->meant != 0 && s->traces != s->meant)
		sf_die(SF_EX_INPUT,
		    "%s: %lld traces in the input, expected the %lld of "
		    "'--traces'",
		    name, (long long)s->traces, (long long)s->meant);
}

enum sf_kind
sf_stream_next(struct sf_stream *s)
{
	if (s->held) {
		s->held = false;
		return deliver(s);
	}
	sf_stream_pass(s);
	sf_arena_reset(s->record_arena);
	if (s->role == SINK && s->out.n >= FLUSH_AT)
		sf_stream_flush(s);
	if (!next_line(s)) {
		check_end_of_input(s);
		return SF_K_EOF;
	}
	read_kind(s);
	s->pending = true;
	s->checked = false;
	s->read_by.rows = NULL;
	if (!follow(s))
		return deliver(s);
	if (s->role == FILTER)
		sf_stream_put_tool(s);
	s->held = true;
	return SF_K_BODY;
}

/* ---- writing ---- */

void
sf_stream_was_read(struct sf_stream *s, const struct sf_members *members,
    uint64_t seen, bool others)
{
	s->read_by = *members;
	s->seen = seen;
	s->others = others;
}

/* Whether the current record has that member; a look at all keys at worst. */
static bool
has_member(struct sf_stream *s, const char *name)
{
	const struct sf_member *m = s->read_by.rows;
	struct sf_json scan;
	struct sf_str key;

	if (m != NULL) {
		for (uint64_t seen = s->seen; seen != 0; seen >>= 1, m++)
			if ((seen & 1) != 0 && sf_str_is(m->name, name))
				return true;
		if (!s->others ||
		    sf_members_row(&s->read_by, sf_str_of(name), 0) >= 0)
			return false;
	}
	scan = sf_stream_scan(s);
	while (sf_json_member(&scan, &key)) {
		if (sf_str_is(key, name))
			return true;
		sf_json_skip(&scan);
	}
	sf_stream_check(s, &scan);
	return false;
}

struct sf_jsonw *
sf_stream_extend(struct sf_stream *s, const char *name)
{
	if (has_member(s, name)) {
		if (s->kind == SF_K_OP)
			sf_stream_die(s,
			    "op %lld: '%s' is there already, expected an op "
			    "without it",
			    (long long)sf_stream_ops(s), name);
		sf_stream_die(s,
		    "%s: '%s' is there already, expected a record without it",
		    sf_kind_name(s->kind), name);
	}
	sf_jsonw_key(&s->extension, name);
	return &s->extension;
}

struct sf_jsonw *
sf_stream_record(struct sf_stream *s, enum sf_kind kind)
{
	struct sf_jsonw *w = &s->record;

	if (w->buf.n != 0)
		sf_bug("a record is begun inside another");
	if (s->role == SOURCE && kind == SF_K_OP)
		count_op(s);
	else if (s->role == SOURCE && kind == SF_K_TRACE)
		s->ops = 0;
	sf_jsonw_raw(w, kind_heads[kind]);
	return w;
}

void
sf_stream_put(struct sf_stream *s)
{
	struct sf_jsonw *w = &s->record;

	sf_jsonw_close(w, '}');
	sf_buf_putc(&w->buf, '\n');
	sf_buf_put(&s->out, w->buf.p, w->buf.n);
	w->buf.n = 0;
	w->comma = false;
	if (s->out.n >= FLUSH_AT)
		sf_stream_flush(s);
}

void
sf_stream_note(struct sf_stream *s, const char *format, ...)
{
	struct sf_buf text = { 0 };
	va_list ap;

	va_start(ap, format);
	sf_buf_vprintf(&text, format, ap);
	va_end(ap);
	sf_note_put(s, s->tool->name, (struct sf_str){ text.p, text.n });
	sf_buf_release(&text);
}

void
sf_stream_divert(struct sf_stream *s, int fd)
{
	s->fd = fd;
}

struct sf_buf *
sf_stream_text(struct sf_stream *s)
{
	if (s->role != SINK)
		sf_bug("text in a stream of records");
	return &s->out;
}

void
sf_stream_drop(struct sf_stream *s)
{
	if (s->input != NULL)
		sf_input_close(s->input);
	sf_buf_release(&s->extension.buf);
	sf_buf_release(&s->record.buf);
	sf_buf_release(&s->inputs);
	sf_buf_release(&s->members.buf);
	sf_buf_release(&s->out);
	sf_arena_free(s->record_arena);
	sf_arena_free(s->arena);
	free(s);
}

int
sf_stream_close(struct sf_stream *s)
{
	int status = s->say_no ? SF_EX_NO : SF_EX_OK;

	if (s->role != SOURCE)
		while (sf_stream_next(s) != SF_K_EOF)
			;
	sf_stream_flush(s);
	sf_progress_end(&s->progress);
	sf_close_stdout();
	sf_stream_drop(s);
	return status;
}
