/*
 * The stream contract of simfront-trace/1 (formats/simfront-trace-1.md), for
 * every program that reads or writes it.
 *
 * A filter reads record by record. The record that sf_stream_next returned is
 * the current one; it is passed on, byte for byte, when the next is asked for,
 * with the members that the filter appended before its closing brace. The
 * library adds the program's own tool record behind those that are there,
 * checks every line to be JSON and every trace to be whole, and dies with the
 * place when something is wrong. Memory does not grow with the stream.
 *
 * A source writes a stream and reads none; a sink reads one and writes text.
 */
#ifndef SF_STREAM_STREAM_H
#define SF_STREAM_STREAM_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/decl.h"
#include "base/die.h"
#include "base/opt.h"
#include "stream/json.h"
#include "stream/jsonw.h"

SF_PUBLIC_BEGIN

/* The only version of the format there is. */
#define SF_TRACE_FORMAT "simfront-trace/1"

enum sf_kind {
#define SF_KIND(id, text) SF_K_##id,
#include "stream/kind.def"
#undef SF_KIND
	SF_K_OTHER, /* a kind that this version does not know */
	SF_K_BODY,  /* no record: the header has ended, see below */
	SF_K_EOF,   /* no record: the input has ended */
};

struct sf_stream;
struct sf_members;
struct sf_op;

/*
 * What reads the records that a program passes on unread, to refuse those that
 * are not as they must be; a tool names it.
 */
struct sf_records {
	/* By kind, the current record; NULL where every program reads it. */
	void (*read[SF_K_OTHER])(struct sf_stream *stream);
	/* What later stages added to an op that was read. */
	void (*stages)(struct sf_stream *stream, const struct sf_op *op);
};

/*
 * Parse the command line (or exit, see base/opt.h) and open the stream. A
 * filter or a sink reads its FILE operands one after the other, "-" and none
 * at all being standard input; gzip is recognised by its content.
 */
struct sf_stream *
sf_filter_open(const struct sf_tool *tool, int argc, char *argv[]);
struct sf_stream *
sf_source_open(const struct sf_tool *tool, int argc, char *argv[]);
struct sf_stream *
sf_sink_open(const struct sf_tool *tool, int argc, char *argv[]);

/*
 * A further stream of a program that reads several side by side: STREAM is its
 * own, whose command line named PATH. It reads that file alone, and writes
 * nothing; sf_stream_drop frees it when all was read.
 */
struct sf_stream *sf_stream_beside(struct sf_stream *stream, const char *path);

/* Dies when '--traces' of STREAM's says another number; NAME is the input's. */
void sf_stream_check_traces(
    const struct sf_stream *stream, const char *name, int64_t traces);

/* The name of the file that the current record is from, for messages. */
const char *sf_stream_name(const struct sf_stream *stream);

/*
 * Passes what is left, checks that the input ended where it may, and returns
 * the status to exit with. Frees the stream.
 */
int sf_stream_close(struct sf_stream *stream);

/* Frees a stream of which nothing was read or written, or all. */
void sf_stream_drop(struct sf_stream *stream);

/*
 * OPTION asks about the program and not about a stream: dies with SF_EX_USAGE
 * when anything stands beside it. Then sf_stream_answer prints TEXT, frees it
 * and the stream, of which nothing was read, and returns the status.
 */
void sf_stream_ask(struct sf_stream *stream, const char *option);
int sf_stream_answer(struct sf_stream *stream, struct sf_buf *text);

/* Makes sf_stream_close return SF_EX_NO: the job is done, the answer is no. */
void sf_stream_say_no(struct sf_stream *stream);

/* Lives as long as the stream. */
struct sf_arena *sf_stream_arena(struct sf_stream *stream);

/* Emptied when the next record is read. */
struct sf_arena *sf_stream_record_arena(struct sf_stream *stream);

/* The command line of a source, whose operands are its own business. */
const struct sf_cmdline *sf_stream_cmdline(const struct sf_stream *stream);

/*
 * Where the program is sandboxed: from here on nothing is opened but what the
 * command line names, see base/sandbox.h. It is done before the first record is
 * read, unless the tool needs reading; a source says when.
 */
void sf_stream_settle(struct sf_stream *stream);

/* The operand that the current record comes from: 0 is the first one. */
int sf_stream_operand(const struct sf_stream *stream);

/*
 * Names a file that the result depends on in the tool record, without its
 * directory. Before the first record is read or written.
 */
void
sf_stream_add_input(struct sf_stream *stream, const char *path, uint32_t crc32);

/*
 * Adds a member to the program's tool record: what it took by default, the
 * conventions it follows. JSON is the text of a value and must live as long as
 * the stream. Before the first record is read or written.
 */
void sf_stream_add_tool_member(
    struct sf_stream *stream, const char *key, struct sf_str json);

/*
 * A source that writes one trace after the other: forgets the files and the
 * members that were added, before those of the next trace are.
 */
void sf_stream_forget(struct sf_stream *stream);

/* ---- reading ---- */

/*
 * Passes the current record on and reads the next. Once a trace, when its
 * `trace` and `tool` records have gone by, SF_K_BODY is returned: a record
 * that is written then lands behind the tools and before all others.
 */
enum sf_kind sf_stream_next(struct sf_stream *stream);

/*
 * The current record, from behind its kind: sf_json_member gives the next
 * member. The scanner is the caller's to move; check .error at the end with
 * sf_stream_check.
 */
struct sf_json sf_stream_scan(struct sf_stream *stream);
void sf_stream_check(struct sf_stream *stream, const struct sf_json *scan);

/* How many op records of this trace were read before the current one. */
int64_t sf_stream_ops(const struct sf_stream *stream);

/* Dies with SF_EX_INPUT, naming the file and line of the current record. */
SF_NORETURN void sf_stream_die(struct sf_stream *stream, const char *format,
    ...) __attribute__((format(printf, 2, 3)));

/* ---- writing ---- */

/*
 * Appends a member to the current record: writes its NAME, which needs no
 * escapes, and returns the writer for its value. Dies when the record has one
 * of that name already: members are there once. A sink drops what it appends.
 */
struct sf_jsonw *sf_stream_extend(struct sf_stream *stream, const char *name);

/*
 * The current record was read whole by MEMBERS, which found those in SEEN and,
 * with OTHERS, some that it does not know. Whoever extends the record then need
 * not look again. The rows must live as long as the record. For
 * stream/member.c.
 */
void sf_stream_was_read(struct sf_stream *stream,
    const struct sf_members *members, uint64_t seen, bool others);

/*
 * The current record is OP, whose text lives as long; for trace/op.c. That the
 * part of it that begins at TEXT was read, by stream/member.c; whether it was.
 */
void sf_stream_was_op(struct sf_stream *stream, const struct sf_op *op);
void sf_stream_read_part(struct sf_stream *stream, struct sf_str text);
bool
sf_stream_part_was_read(const struct sf_stream *stream, struct sf_str text);

/* Whether sf_stream_was_read was called for the current record. */
bool sf_stream_is_read(const struct sf_stream *stream);

/* Passes the current record on now: what is written next comes behind it. */
void sf_stream_pass(struct sf_stream *stream);

/*
 * Takes the current record out of the stream: its line, with the members added
 * so far, is appended to LINES instead of being passed on. The program must put
 * it back, in order, with sf_stream_put_lines; lib/stream/hold.h does.
 */
void sf_stream_take(struct sf_stream *stream, struct sf_buf *lines);
void sf_stream_put_lines(struct sf_stream *stream, struct sf_buf lines);

/*
 * Begins a record of that kind before the current one (behind it, once it has
 * been passed). Write its members, then call sf_stream_put.
 */
struct sf_jsonw *sf_stream_record(struct sf_stream *stream, enum sf_kind kind);
void sf_stream_put(struct sf_stream *stream);

/*
 * Puts a note record into the stream: something that a reader of the result
 * must know, as {"kind":"note","tool":NAME,"text":TEXT}.
 */
void sf_stream_note(struct sf_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A source: writes the program's tool record, right behind the trace's. */
void sf_stream_put_tool(struct sf_stream *stream);

/* A sink: where its text goes; written out as it fills and at the close. */
struct sf_buf *sf_stream_text(struct sf_stream *stream);

/*
 * What is written goes to FD, an open file of the caller's, from now on; below
 * 0 it is kept.
 */
void sf_stream_divert(struct sf_stream *stream, int fd);

/* Writes out what is there. */
void sf_stream_flush(struct sf_stream *stream);

/* The kind's spelling in the stream, NULL for those that are no record. */
const char *sf_kind_name(enum sf_kind kind);

SF_PUBLIC_END

#endif
