/*
 * What is in a stream, for the files that make it work: stream.c begins and
 * ends one, stream-read.c takes records from it, stream-write.c puts some into
 * it.
 */
#ifndef SF_STREAM_STREAM_PART_H
#define SF_STREAM_STREAM_PART_H

#include "base/progress.h"
#include "stream/input.h"
#include "stream/member.h"
#include "stream/stream.h"
#include "stream/tally.h"

enum sf_stream_role {
	SF_STREAM_FILTER,
	SF_STREAM_SOURCE,
	SF_STREAM_SINK
};

enum {
	SF_STREAM_PARTS = 8 /* of one record that a program reads apart */
};

struct sf_stream {
	const struct sf_tool *tool;
	enum sf_stream_role role;
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
	const struct sf_op *op; /* what it was read as; NULL: no op */
	/* Where the parts of it that were read begin. */
	const char *parts[SF_STREAM_PARTS];
	int nparts;

	bool in_trace, in_header;
	int64_t ops, points; /* records of this trace so far */
	struct sf_tally tally;

	struct sf_jsonw extension; /* members to append to the current record */
	struct sf_jsonw record;    /* the record that is being written */
	struct sf_buf inputs;      /* the tool record's: struct sf_tool_input */
	struct sf_jsonw members;   /* further members of the tool record */
	struct sf_buf out;         /* whole lines, or a sink's text */
	int fd;                    /* where they go */
	struct sf_progress progress; /* of what is read */
	bool say_no;
};

/* An op record of this trace was read or, by a source, written. */
void sf_stream_count_op(struct sf_stream *stream);

/* Writes out what is there once it is worth a call. */
void sf_stream_flush_full(struct sf_stream *stream);

/* SF_K_OTHER for a kind that has no row in kind.def. */
enum sf_kind sf_kind_of(struct sf_str name);

#endif
