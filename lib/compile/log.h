/*
 * The logs of torch.compile, record by record: structured ones (TORCH_TRACE,
 * which tlparse reads), those for people (TORCH_LOGS), and graphs alone as
 * print_readable writes them. Memory is bounded by the longest record.
 */
#ifndef SF_COMPILE_LOG_H
#define SF_COMPILE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "compile/fx-token.h"
#include "stream/input.h"

enum sf_log_stage {
	SF_LOG_STAGE_DYNAMO,
	SF_LOG_STAGE_AOT,
	SF_LOG_STAGE_POST_GRAD,
	SF_LOG_STAGES,
};

/* "dynamo", "aot", "post-grad"; ends with NULL. */
extern const char *const sf_log_stages[];

enum sf_log_graph {
#define SF_LOG_GRAPH(id, name, stage, direction) SF_LOG_##id,
#include "compile/log-graph.def"
#undef SF_LOG_GRAPH
	SF_LOG_GRAPHS
};

struct sf_log_graph_type {
	const char *name;
	enum sf_log_stage stage;
	const char *direction;
};

extern const struct sf_log_graph_type sf_log_graphs[SF_LOG_GRAPHS];

enum sf_log_kind {
	SF_LOG_OTHER,
	SF_LOG_GRAPH,
	SF_LOG_BREAK,  /* its payload is the reason of a graph break */
	SF_LOG_TENSOR, /* NAME tells it apart: VALUE is its sizes as JSON */
	SF_LOG_SOURCE, /* where the tensor NAME comes from: VALUE */
	SF_LOG_SYMBOL, /* symbol NAME stands for VALUE */
};

/* Texts live until the next record is read. */
struct sf_log_record {
	enum sf_log_kind kind;
	enum sf_log_graph graph;
	struct sf_str id; /* of the compilation: "0/0"; empty: not said */
	int64_t attempt;
	int64_t rank; /* -1: not said */
	int64_t line; /* where it begins in the file */
	struct sf_str name, value;
	bool param; /* of a tensor */
	bool plain; /* a graph alone: its lines tell what it is */
};

struct sf_log {
	const char *path;
	struct sf_input *input; /* NULL when the text is held */
	struct sf_buf held;
	size_t held_at;
	bool structured;
	int64_t rank;      /* lines of no other are read; -1: those without */
	uint64_t ranks[4]; /* bits of those that were met, of the first 256 */
	uint32_t crc32;    /* of the text that was read */
	bool tabular;      /* graphs in a form without shapes were met */
	int64_t tabular_line;
	/* The current line, its number, and whether it comes again. */
	struct sf_str line;
	int64_t lineno;
	bool again;
	bool unread;         /* a record for people has not given its payload */
	int64_t last_header; /* 0: none yet */
	struct sf_buf plain; /* the line without colours */
	struct sf_arena *arena; /* of the record */
	struct sf_buf title, prefix, text;
	int64_t *lines; /* of the payload */
	int64_t nlines, line_room;
	int64_t class_at; /* bytes of the line before its class */
	bool exported;    /* the last line said that a program follows */
};

/* Opens PATH, "-" being standard input; dies when it cannot. */
void sf_log_open(struct sf_log *log, const char *path);
void sf_log_close(struct sf_log *log);

/* Goes back to the beginning, to read the lines of RANK. */
void sf_log_rewind(struct sf_log *log, int64_t rank);

/*
 * The next record; false at the end, and with a place and what was expected in
 * *ERROR, whose text is else empty, when a line is none of a log's.
 */
bool sf_log_next(
    struct sf_log *log, struct sf_log_record *record, struct sf_error *error);

/* What a graph alone is, by what it calls. */
enum sf_log_graph sf_log_guess(struct sf_str text);

/* The payload of the record that was read last, until the next one is read. */
struct sf_fx_text sf_log_payload(struct sf_log *log);

#endif
