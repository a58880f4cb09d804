/* Gathering what a timeline shows. */
#include "plot/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plot/timeline-kept.h"
#include "timeline/waits.h"

static void
tell_curve(void *to, double from, double until, int64_t value)
{
	sf_curve_add(to, from, until, (double)value);
}

struct sf_timeline *
sf_timeline_new(const struct sf_picture *picture, const struct sf_range *range)
{
	struct sf_timeline *t = sf_malloc(sizeof *t);
	int columns =
	    (int)picture->width - SF_TIMELINE_LEFT - SF_TIMELINE_RIGHT;

	*t = (struct sf_timeline){ .picture = *picture, .range = *range };
	sf_op_lane_init(&t->ops, columns, range);
	for (int i = 0; i < SF_LANES; i++)
		sf_strip_init(&t->lanes[i], columns, SF_CAT_COUNT, range);
	sf_strip_init(&t->waits, columns, SF_WAITS, range);
	sf_curve_init(&t->buffer, columns, range);
	sf_curve_init(&t->fifo, columns, range);
	sf_level_init(&t->buffer_level, tell_curve, &t->buffer);
	sf_level_init(&t->fifo_level, tell_curve, &t->fifo);
	return t;
}

void
sf_timeline_free(struct sf_timeline *t)
{
	sf_op_lane_release(&t->ops);
	for (int i = 0; i < SF_LANES; i++)
		sf_strip_release(&t->lanes[i]);
	sf_strip_release(&t->waits);
	sf_curve_release(&t->buffer);
	sf_curve_release(&t->fifo);
	sf_level_release(&t->buffer_level);
	sf_level_release(&t->fifo_level);
	free(t);
}

/* The name without its namespace. */
static const char *
short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : name;
}

static void
add_wait(struct sf_timeline *t, enum sf_wait wait, double from, double until)
{
	const struct sf_range *in = &t->range;
	double first = in->known ? fmax(from, in->from) : from;
	double last = in->known ? fmin(until, in->to) : until;

	if (until <= from)
		return;
	sf_strip_add(
	    &t->waits, &(struct sf_bar){ from, until, (int)wait, NULL });
	t->waited[wait] += fmax(last - first, 0);
}

static void
add_waits(struct sf_timeline *t, const struct sf_timed_tile *tile)
{
	struct sf_waits w = sf_waits_of(tile, t->computed);

	add_wait(t, SF_WAIT_DEPENDENCY, w.computed, w.ready);
	add_wait(t, SF_WAIT_BUFFER, w.ready, w.granted);
	add_wait(t, SF_WAIT_LOAD, w.granted, w.loaded);
	t->computed = tile->t.comp_end;
	t->core_stored = fmax(t->core_stored, tile->t.store_end);
}

void
sf_timeline_add(struct sf_timeline *t, const struct sf_timed_tile *tile)
{
	struct sf_stay stays[SF_MAX_STAYS];
	int n;

	sf_op_lane_add(&t->ops, tile);
	t->stored = fmax(t->stored, tile->t.store_end);
	/* Below operators a picture is of one core, the first. */
	if (tile->core != 0)
		return;
	n = sf_tile_stays(tile, stays);
	t->tiles++;
	for (int i = 0; i < n; i++)
		sf_strip_add(&t->lanes[stays[i].lane],
		    &(struct sf_bar){ stays[i].start, stays[i].end,
			(int)tile->op->category, short_name(tile->op->name) });
	add_waits(t, tile);
	sf_level_tile(&t->buffer_level, &t->fifo_level, tile);
}

void
sf_timeline_end(struct sf_timeline *t)
{
	add_wait(t, SF_WAIT_STORE, t->computed, t->core_stored);
	sf_op_lane_end(&t->ops);
	sf_level_end(&t->buffer_level);
	sf_level_end(&t->fifo_level);
}
