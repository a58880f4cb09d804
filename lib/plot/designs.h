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
};

/* COLUMNS may be NULL: then the sweep or the front names two or three. */
void sf_designs_init(
    struct sf_designs *designs, struct sf_stream *stream, const char *columns);
void sf_designs_release(struct sf_designs *designs);

/* Takes the stream's current record. */
void sf_designs_record(struct sf_designs *designs, enum sf_kind kind);

/* Appends the picture of the trace that has ended to OUT. */
void sf_designs_draw(const struct sf_designs *designs,
    const struct sf_picture *picture, struct sf_buf *out);

#endif
