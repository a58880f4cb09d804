/* Records read: their order, their counts, and that each is JSON. */
#include "stream/stream-part.h"

#include <unistd.h>

#include "base/error.h"
#include "base/foreign.h"
#include "stream/note.h"
#include "stream/tool.h"
#include "stream/trace.h"

/* ---- the current record ---- */

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

struct sf_json
sf_stream_scan(struct sf_stream *s)
{
	return (struct sf_json){ .p = s->rec.p + s->kind_end,
		.start = s->rec.p,
		.arena = s->record_arena };
}

struct sf_tally *
sf_stream_tally(struct sf_stream *s)
{
	return &s->tally;
}

int64_t
sf_stream_ops(const struct sf_stream *s)
{
	bool current = s->pending && s->kind == SF_K_OP && !s->held;

	return s->ops - (current ? 1 : 0);
}

/* ---- lines and kinds ---- */

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
			if (s->next_operand++ == 0 &&
			    (s->tool->needs & SF_NEEDS_READING) == 0)
				sf_stream_settle(s);
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
	s->kind = sf_kind_of(name);
	s->kind_end = (size_t)(scan.p - s->rec.p);
}

/* ---- the order of records ---- */

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
	sf_tally_begin(&s->tally);
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
	sf_tally_end(s, s->ops);
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
	sf_tally_record(s, s->kind);
	if (s->in_header && s->kind != SF_K_TOOL) {
		s->in_header = false;
		return true;
	}
	return false;
}

void
sf_stream_count_op(struct sf_stream *s)
{
	s->ops++;
	s->progress.done++;
}

/* A sweep has them, and no operators. */
static void
count_point(struct sf_stream *s)
{
	s->points++;
	s->progress.what = "points";
	s->progress.done++;
}

/* Counts the record that is about to be returned. */
static enum sf_kind
deliver(struct sf_stream *s)
{
	if (s->kind == SF_K_OP)
		sf_stream_count_op(s);
	else if (s->kind == SF_K_POINT)
		count_point(s);
	else if (s->kind == SF_K_END)
		end_trace(s);
	return s->kind;
}

void
sf_stream_check_traces(const struct sf_stream *s, const char *name, int64_t n)
{
	/* A loop whose turn failed leaves a stream that looks whole. */
	if (s->meant != 0 && n != s->meant)
		sf_die(SF_EX_INPUT,
		    "%s: %lld traces in the input, expected the %lld of "
		    "'--traces'",
		    name, (long long)n, (long long)s->meant);
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
		sf_input_no_trace(
		    s->input, s->role == SF_STREAM_FILTER ? s->fd : -1);
	sf_stream_check_traces(s, name, s->traces);
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
	if (s->role == SF_STREAM_SINK)
		sf_stream_flush_full(s);
	if (!next_line(s)) {
		check_end_of_input(s);
		return SF_K_EOF;
	}
	read_kind(s);
	s->pending = true;
	s->checked = false;
	s->read_by.rows = NULL;
	s->op = NULL;
	s->nparts = 0;
	if (!follow(s))
		return deliver(s);
	if (s->role == SF_STREAM_FILTER)
		sf_stream_put_tool(s);
	s->held = true;
	return SF_K_BODY;
}
