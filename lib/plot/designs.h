/*
 * The designs of a sweep as a cloud of points, with the front of the two columns
 * that are its axes, and a third one as the colour. An axis whose values, all
 * above 0, reach over more than a decade is logarithmic. Memory grows with
 * points, 24 bytes each.
 */
#ifndef SF_PLOT_DESIGNS_H
#define SF_PLOT_DESIGNS_H

#include "plot/picture.h"
#include "stream/trace.h"
#include "sweep/columns.h"
#include "sweep/formula.h"

enum {
	SF_DESIGNS_COLUMNS = 3 /* x, y and the colour */
};

struct sf_designs {
	struct sf_stream *stream;
	struct sf_arena *arena; /* of the trace */
	const char *asked;      /* "X,Y[,COLOUR]", or NULL: the stream says */
	/*
	 * Columns that nobody names are the time and the first two axes of the
	 * sweep; of more than three the first three are drawn, and what cannot
	 * be drawn is no error.
	 */
	bool guesses;
	struct sf_trace trace;
	struct sf_axes_list columns;
	struct sf_formula formulas[SF_DESIGNS_COLUMNS];
	int n; /* columns; 0: not known yet */
	struct sf_str *names;
	int place[SF_DESIGNS_COLUMNS];
	int nnames;
	double *base, *values;
	double (*points)[SF_DESIGNS_COLUMNS];
	size_t npoints, room;
	int64_t refused;       /* designs without results */
	const char *base_name; /* of the accelerator or device, or "" */
};

/* COLUMNS may be NULL: then the sweep or the front names two or three. */
void sf_designs_init(
    struct sf_designs *designs, struct sf_stream *stream, const char *columns);
void sf_designs_release(struct sf_designs *designs);

/* Takes the stream's current record. */
void sf_designs_record(struct sf_designs *designs, enum sf_kind kind);

/* Whether the trace that has ended has a picture; only of guesses it may not. */
bool sf_designs_any(const struct sf_designs *designs);

/* Appends the picture of the trace that has ended to OUT. */
void sf_designs_draw(const struct sf_designs *designs,
    const struct sf_picture *picture, struct sf_buf *out);

#endif
