/*
 * The queue of sf-fifo over time, a panel a run: one column a case, one row a
 * depth. What is shown is the beginning of each run, where single items can be
 * seen.
 */
#ifndef SF_PLOT_FIFO_PLOT_H
#define SF_PLOT_FIFO_PLOT_H

#include <stddef.h>
#include <stdint.h>

#include "fifo/fifo.h"
#include "plot/picture.h"

enum {
	SF_FIFO_PLOT_DEPTHS = 12
};

struct sf_fifo_plot;

/*
 * A picture of NCASES <= 2 cases, each with NDEPTHS depths; dies with
 * SF_EX_USAGE when those are more than SF_FIFO_PLOT_DEPTHS. The picture's size
 * follows from their number.
 */
struct sf_fifo_plot *
sf_fifo_plot_new(const struct sf_picture *picture, int ncases, size_t ndepths);

/*
 * Before each run, case by case: who watches it. The case must live as long as
 * the picture.
 */
struct sf_fifo_watch sf_fifo_plot_watch(
    struct sf_fifo_plot *plot, const struct sf_fifo_case *c, int64_t depth);

/* Behind it: its figures. */
void sf_fifo_plot_ran(struct sf_fifo_plot *plot, const struct sf_fifo_run *run);

/* Writes the file and frees the picture. */
void sf_fifo_plot_write(struct sf_fifo_plot *plot);

#endif
