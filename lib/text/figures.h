/*
 * Figures for programs: one tree of named values, written as one line of JSON
 * or as one CSV row a value. Both come from the same calls, so they agree.
 *
 * In CSV, `section` is the path of the object that holds the value, as jq would
 * spell it ("sim.top.0"; "trace" for the outermost), and `name` its key.
 */
#ifndef SF_TEXT_FIGURES_H
#define SF_TEXT_FIGURES_H

#include <stdint.h>

#include "base/buf.h"
#include "stream/jsonw.h"
#include "stream/trace.h"
#include "text/pairs.h"

enum {
	SF_FIGURES_DEPTH = 8
};

struct sf_figures {
	struct sf_buf *out;
	bool csv;
	struct sf_jsonw json;
	struct sf_buf prefix; /* CSV: the columns that all rows begin with */
	struct sf_buf path;   /* of the object that is open */
	struct {
		size_t path_len; /* before it was opened */
		int64_t next;    /* index of the next item of a list, else -1 */
	} open[SF_FIGURES_DEPTH];
	int depth;
};

/* What every CSV row says of its trace. */
struct sf_figures_of {
	int64_t trace; /* from 1 */
	struct sf_str model, route, workload;
};

void sf_figures_init(struct sf_figures *f, struct sf_buf *out, bool csv);
void sf_figures_release(struct sf_figures *f);

/* The line that heads all rows. */
void sf_figures_csv_header(struct sf_buf *out);

/*
 * For figures of which there is one trace and no workload: the header, where
 * CSV wants one, and the outermost object.
 */
void sf_figures_begin_alone(struct sf_figures *f, struct sf_buf *out, bool csv,
    struct sf_str model, const char *route);

/* The outermost object. */
void sf_figures_begin(struct sf_figures *f, const struct sf_figures_of *of);
void sf_figures_end(struct sf_figures *f);

/*
 * Objects ('{') and lists ('['), and values. The key is NULL for an item of a
 * list. A unit is "" where there is none and does not appear in JSON.
 */
void sf_fig_open(struct sf_figures *f, const char *key, char open);
void sf_fig_close(struct sf_figures *f);
void
sf_fig_int(struct sf_figures *f, const char *key, int64_t x, const char *unit);
void sf_fig_double(
    struct sf_figures *f, const char *key, double x, const char *unit);
void sf_fig_str(struct sf_figures *f, const char *key, struct sf_str text);

void sf_fig_bool(struct sf_figures *f, const char *key, bool x);

/* No value: null in JSON, an empty field in CSV. */
void sf_fig_null(struct sf_figures *f, const char *key, const char *unit);

/* Of a trace its model and route, null when it does not say, and workload. */
void sf_fig_trace(struct sf_figures *f, const struct sf_trace *trace);

/* An object of members as they came. */
void sf_fig_pairs(struct sf_figures *f, const char *key,
    const struct sf_pairs *pairs, struct sf_arena *arena);

#endif
