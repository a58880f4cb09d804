/*
 * Which graphs of a log are written: of each compilation those of one stage
 * and of the last attempt, each once. A log is read twice, first for this.
 */
#ifndef SF_COMPILE_LOG_INDEX_H
#define SF_COMPILE_LOG_INDEX_H

#include "base/table.h"
#include "compile/log.h"

struct sf_log_entry {
	int64_t line; /* of the record */
	enum sf_log_graph graph;
	struct sf_str id;
	int64_t attempt;
	bool chosen;
	const char *direction; /* "" when the graph tells */
	/* What has to be said of it, and of what came before it. */
	const char **notes;
	int nnotes, note_room;
};

/* What all graphs of a compilation have in common. */
struct sf_log_compilation {
	int64_t attempt; /* the last one */
	bool has[SF_LOG_GRAPHS];
	int64_t left; /* chosen graphs that are to come */
};

struct sf_log_index {
	struct sf_arena *arena;
	struct sf_log_entry *entries;
	int n, room;
	struct sf_table compilations; /* by id */
	int64_t chosen;
	int64_t breaks;
	int64_t stages[SF_LOG_STAGES]; /* graphs that were met */
};

/*
 * Reads all of LOG. STAGE is one of sf_log_stage, or -1: ATen's graphs, and of
 * a compilation that has none Dynamo's. False with a reason.
 */
bool sf_log_index_make(struct sf_log_index *index, struct sf_log *log,
    int stage, struct sf_error *error);
void sf_log_index_release(struct sf_log_index *index);

#endif
