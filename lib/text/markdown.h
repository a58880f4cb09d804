/*
 * Markdown that also reads well in a terminal: tables whose columns line up,
 * and text from outside made harmless.
 */
#ifndef SF_TEXT_MARKDOWN_H
#define SF_TEXT_MARKDOWN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Text that means itself: what Markdown would take for markup gets a
 * backslash, control characters, line breaks and marks that turn the writing
 * direction become \xNN or \uNNNN, and bytes that are not UTF-8 \xNN.
 */
void sf_md_text(struct sf_buf *out, struct sf_str text);

/* The same for an indented code block, where backslashes are not undone. */
void sf_md_code(struct sf_buf *out, struct sf_str text);

/*
 * A JSON value as text: strings without quotes, "a, b" for a list, "key value,
 * key value" for an object, brackets around those that lie inside another, "-"
 * for null and for what is empty.
 */
void
sf_md_value(struct sf_buf *out, struct sf_str json, struct sf_arena *arena);

/*
 * A table in the making: cells are begun one after the other, row by row, the
 * first row being the heading. One character a column says how it is aligned,
 * 'l' or 'r'. A cell of more than 200 columns stands out of its column, so that
 * a table grows with its text and not with rows times the widest cell.
 */
struct sf_grid {
	const char *align;
	struct sf_buf text;   /* of all cells */
	struct sf_buf starts; /* size_t each: where each cell begins in TEXT */
};

void sf_grid_init(struct sf_grid *grid, const char *align);

/* Begins the next cell; append its text before the next call. */
struct sf_buf *sf_grid_cell(struct sf_grid *grid);

/* A whole cell. */
void sf_grid_label(struct sf_grid *grid, const char *text);
void sf_grid_text(struct sf_grid *grid, struct sf_str text);
void sf_grid_int(struct sf_grid *grid, int64_t x);
void sf_grid_percent(struct sf_grid *grid, int64_t num, int64_t den);
void sf_grid_share(struct sf_grid *grid, double share);

/* Appends the table and an empty line to OUT and releases it. */
void sf_grid_finish(struct sf_grid *grid, struct sf_buf *out);

#endif
