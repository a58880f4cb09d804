/* How a stream begins and ends, and what its tool record says. */
#include "stream/stream-part.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sandbox.h"
#include "base/write.h"
#include "stream/tool.h"

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
stream_new(enum sf_stream_role role, const struct sf_tool *tool)
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
reader_open(enum sf_stream_role role, const struct sf_tool *tool, int argc,
    char *argv[])
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
	return reader_open(SF_STREAM_FILTER, tool, argc, argv);
}

struct sf_stream *
sf_sink_open(const struct sf_tool *tool, int argc, char *argv[])
{
	return reader_open(SF_STREAM_SINK, tool, argc, argv);
}

struct sf_stream *
sf_source_open(const struct sf_tool *tool, int argc, char *argv[])
{
	struct sf_stream *s = stream_new(SF_STREAM_SOURCE, tool);

	read_line(s, tool, argc, argv);
	sf_progress_begin(&s->progress, "operators", -1);
	return s;
}

struct sf_stream *
sf_stream_beside(struct sf_stream *s, const char *path)
{
	struct sf_stream *beside = stream_new(SF_STREAM_SINK, s->tool);

	beside->input = sf_input_open(path);
	beside->next_operand = 1;
	beside->fd = -1;
	return beside;
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

void
sf_stream_settle(struct sf_stream *s)
{
	sf_sandbox_settle(s->tool, &s->line, s->arena);
}

int
sf_stream_operand(const struct sf_stream *s)
{
	return s->next_operand - 1;
}

const char *
sf_stream_name(const struct sf_stream *s)
{
	return sf_input_name(s->input);
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

/* ---- the end ---- */

void
sf_stream_drop(struct sf_stream *s)
{
	sf_progress_end(&s->progress);
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

	if (s->role != SF_STREAM_SOURCE)
		while (sf_stream_next(s) != SF_K_EOF)
			;
	sf_stream_flush(s);
	sf_close_stdout();
	sf_stream_drop(s);
	return status;
}
