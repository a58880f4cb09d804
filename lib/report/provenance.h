/* Which programs made a trace, and what they had to say about it. */
#ifndef SF_REPORT_PROVENANCE_H
#define SF_REPORT_PROVENANCE_H

#include "base/table.h"
#include "stream/stream.h"
#include "stream/tool.h"
#include "text/figures.h"

/* A tool record: what all have, and all its members as they stand. */
struct sf_made_by {
	struct sf_tool_record tool;
	struct sf_pairs all;
};

struct sf_provenance {
	struct sf_arena *arena;
	struct sf_made_by *tools;
	size_t ntools, room;
	/* "TOOL: TEXT" of each different note and how often it was said. */
	struct sf_table notes;
};

void sf_provenance_init(struct sf_provenance *p, struct sf_arena *arena);
void sf_provenance_release(struct sf_provenance *p);

/* The stream's current record, which is a tool or a note. */
void sf_provenance_add_tool(struct sf_provenance *p, struct sf_stream *stream);
void sf_provenance_add_note(struct sf_provenance *p, struct sf_stream *stream);

void sf_provenance_markdown(const struct sf_provenance *p, struct sf_buf *out);

/*
 * Of a model with experts, the parameters that a token is multiplied with, as
 * its source says; false when none does.
 */
bool sf_provenance_active(
    const struct sf_provenance *p, int64_t *count, int64_t *bytes);

/* The members `notes` and `tools`. */
void sf_provenance_figures(
    const struct sf_provenance *p, struct sf_figures *figures);

#endif
