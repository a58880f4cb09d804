/* Names beside points, placed so that nothing runs into anything. */
#ifndef SF_PLOT_LABELS_H
#define SF_PLOT_LABELS_H

#include <stdbool.h>

#include "plot/frame.h"

/* A straight line that no label is to cross. */
struct sf_segment {
	double x0, y0, x1, y1;
};

struct sf_labels {
	struct sf_box bounds;
	struct sf_box *taken; /* by points, then by labels */
	int n, npoints, room;
	struct sf_segment *lines; /* given, then leaders */
	int nlines, lines_room;
};

/* A label that was placed. */
struct sf_label {
	struct sf_box box;
	bool led; /* it is so far away that a leader shows its point */
	struct sf_segment leader;
};

void sf_labels_init(struct sf_labels *labels, const struct sf_box *bounds,
    const struct sf_segment *lines, int nlines);
void sf_labels_release(struct sf_labels *labels);

/* All points, before the first label. */
void sf_labels_avoid(struct sf_labels *labels, double x, double y, double r);

/* A line that no label is to cross either; before the first label. */
void
sf_labels_avoid_line(struct sf_labels *labels, const struct sf_segment *line);

/* Takes the box if neither point nor label is there; lines may be. */
bool sf_labels_take(struct sf_labels *labels, const struct sf_box *box);

/*
 * Finds room for a label of W x H near to a point of radius R and takes it.
 * False when there is none within reach.
 */
bool sf_labels_place(struct sf_labels *labels, double x, double y, double r,
    double w, double h, struct sf_label *label);

#endif
