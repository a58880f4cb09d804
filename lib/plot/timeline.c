/* Gathering what a timeline shows. */
#include "plot/timeline.h"

#include <math.h>
#include <stdlib.h>

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

	*t = (struct sf_timeline){
		.picture = *picture,
		.range = *range,
		.columns =
		    (int)picture->width - SF_TIMELINE_LEFT - SF_TIMELINE_RIGHT,
	};
	sf_op_lane_init(&t->ops, t->columns, range);
	sf_strip_init(&t->waits, t->columns, SF_WAITS, range);
	sf_curve_init(&t->buffer, t->columns, range);
	sf_curve_init(&t->fifo, t->columns, range);
	return t;
}

/* The block is known. */
static void
begin_cores(struct sf_timeline *t, const struct sf_tiles *of)
{
	if (t->cores != NULL)
		return;
	t->ncores = (int)of->accel.cores;
	t->cores = sf_calloc((size_t)t->ncores, sizeof *t->cores);
	for (int i = 0; i < t->ncores; i++) {
		sf_level_init(&t->cores[i].buffer, tell_curve, &t->buffer);
		sf_level_init(&t->cores[i].fifo, tell_curve, &t->fifo);
	}
	sf_lanes_init(&t->lanes, &of->accel, t->columns,
	    (double)t->picture.height, &t->range);
	if (t->ncores == 1)
		return;
	sf_strip_mix(&t->waits, t->ncores);
	sf_curve_mix(&t->buffer, t->ncores);
	sf_curve_mix(&t->fifo, t->ncores);
}

void
sf_timeline_free(struct sf_timeline *t)
{
	sf_op_lane_release(&t->ops);
	sf_strip_release(&t->waits);
	sf_curve_release(&t->buffer);
	sf_curve_release(&t->fifo);
	if (t->cores != NULL)
		sf_lanes_release(&t->lanes);
	for (int i = 0; i < t->ncores; i++) {
		sf_level_release(&t->cores[i].buffer);
		sf_level_release(&t->cores[i].fifo);
	}
	free(t->cores);
	free(t);
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
add_waits(struct sf_timeline *t, struct sf_timeline_core *core,
    const struct sf_timed_tile *tile)
{
	struct sf_waits w = sf_waits_of(tile, core->computed);

	add_wait(t, SF_WAIT_DEPENDENCY, w.computed, w.ready);
	add_wait(t, SF_WAIT_BUFFER, w.ready, w.granted);
	add_wait(t, SF_WAIT_LOAD, w.granted, w.loaded);
	core->computed = tile->t.comp_end;
	core->stored = fmax(core->stored, tile->t.store_end);
}

void
sf_timeline_add(struct sf_timeline *t, const struct sf_tiles *of,
    const struct sf_timed_tile *tile)
{
	struct sf_timeline_core *core;

	begin_cores(t, of);
	core = &t->cores[tile->core];
	sf_op_lane_add(&t->ops, tile);
	sf_lanes_add(&t->lanes, tile);
	t->stored = fmax(t->stored, tile->t.store_end);
	t->tiles++;
	add_waits(t, core, tile);
	sf_level_tile(&core->buffer, &core->fifo, tile);
}

/* A curve that is the mean of several has a value of each until the end. */
static void
end_level(struct sf_timeline *t, struct sf_level *level)
{
	sf_level_end(level);
	if (t->ncores > 1 && t->stored > level->now)
		tell_curve(level->to, level->now, t->stored, level->value);
}

void
sf_timeline_end(struct sf_timeline *t, const struct sf_tiles *of)
{
	begin_cores(t, of);
	for (int i = 0; i < t->ncores; i++) {
		struct sf_timeline_core *core = &t->cores[i];

		/* A core that is done waits until all are. */
		add_wait(t, SF_WAIT_STORE, core->computed,
		    t->ncores > 1 ? t->stored : core->stored);
		end_level(t, &core->buffer);
		end_level(t, &core->fifo);
	}
	sf_op_lane_end(&t->ops);
}
