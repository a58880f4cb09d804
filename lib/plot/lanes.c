/* Which engines have which lanes, and what is on them. */
#include "plot/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
	/* Of a page, for title, operators, stalls and axis: about. */
	OTHERS = 250
};

/* ---- rows ---- */

static void
add_row(
    struct sf_lanes *l, enum sf_lanes_what what, int lane, int core, int ncores)
{
	l->rows[l->n++] = (struct sf_lanes_row){
		.what = what, .lane = lane, .core = core, .ncores = ncores
	};
}

/* A block without the stage has no lane for it. */
static bool
is_there(const struct sf_accel *accel, int lane)
{
	return lane != SF_LANE_TRANSIT || accel->transit_ops_per_byte > 0;
}

/* A lane an engine. */
static void
add_core(struct sf_lanes *l, const struct sf_accel *accel, int core)
{
	int first = l->n;

	for (int i = 0; i < SF_LANES; i++) {
		if (!is_there(accel, i))
			continue;
		l->place[i] = l->n - first;
		add_row(l, SF_LANES_ENGINE, i, core, 1);
	}
}

static void
add_engines(struct sf_lanes *l, int lane)
{
	l->place[lane] = l->n;
	add_row(l, SF_LANES_ENGINES, lane, 0, l->ncores);
}

/* A lane a core, or for several, between those of the DMAs. */
static void
add_folded(struct sf_lanes *l, const struct sf_accel *accel)
{
	add_engines(l, SF_LANE_LOAD);
	if (is_there(accel, SF_LANE_TRANSIT))
		add_engines(l, SF_LANE_TRANSIT);
	l->place[SF_LANE_ARRAY] = l->place[SF_LANE_VECTOR] = l->n;
	for (int core = 0; core < l->ncores; core += l->fold) {
		int n = l->ncores - core;

		add_row(
		    l, SF_LANES_COMPUTES, 0, core, n < l->fold ? n : l->fold);
	}
	add_engines(l, SF_LANE_STORE);
}

/* How many cores a row must have on a page of that height; 0: none need to. */
static int
fold_of(const struct sf_accel *accel, double height)
{
	double room = 0.8 * fmax(height - OTHERS, 80);
	int cores = (int)accel->cores, fold = 1;
	int engines = is_there(accel, SF_LANE_TRANSIT) ? 5 : 4;

	if (cores == 1 || (cores * engines + 1) * SF_LANES_PITCH <= room)
		return 0;
	/* Beside those of all cores. */
	room = fmax(room - (engines - 1) * SF_LANES_PITCH, SF_LANES_PITCH);
	while ((cores + fold - 1) / fold * SF_LANES_THIN > room)
		fold++;
	return fold;
}

static void
init_strips(struct sf_lanes *l, const struct sf_accel *accel, int columns,
    const struct sf_range *range)
{
	for (int i = 0; i < l->n; i++) {
		struct sf_lanes_row *row = &l->rows[i];

		sf_strip_init(&row->strip, columns, SF_CAT_COUNT, range);
		if (row->what == SF_LANES_MEMORY)
			sf_strip_mix(&row->strip, (int)accel->servers);
		else if (row->ncores > 1)
			sf_strip_mix(&row->strip, row->ncores);
	}
}

void
sf_lanes_init(struct sf_lanes *l, const struct sf_accel *accel, int columns,
    double height, const struct sf_range *range)
{
	int cores = (int)accel->cores;

	*l = (struct sf_lanes){ .ncores = cores,
		.fold = fold_of(accel, height) };
	l->rows = sf_reallocarray(
	    NULL, (size_t)cores * SF_LANES + SF_LANES, sizeof *l->rows);
	if (l->fold != 0)
		add_folded(l, accel);
	for (int core = 0; core < cores && l->fold == 0; core++)
		add_core(l, accel, core);
	if (cores > 1)
		add_row(l, SF_LANES_MEMORY, 0, 0, cores);
	init_strips(l, accel, columns, range);
}

void
sf_lanes_release(struct sf_lanes *l)
{
	for (int i = 0; i < l->n; i++)
		sf_strip_release(&l->rows[i].strip);
	free(l->rows);
}

/* ---- bars ---- */

const char *
sf_lanes_short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : name;
}

static struct sf_lanes_row *
row_of(const struct sf_lanes *l, int core, enum sf_lane lane)
{
	int engines = l->n / l->ncores;

	if (l->fold == 0)
		return &l->rows[core * engines + l->place[lane]];
	if (lane == SF_LANE_ARRAY || lane == SF_LANE_VECTOR)
		return &l->rows[l->place[lane] + core / l->fold];
	return &l->rows[l->place[lane]];
}

/* The length of what is in sight of it. */
static double
in_sight(const struct sf_range *range, double from, double until)
{
	if (range->known) {
		from = fmax(from, range->from);
		until = fmin(until, range->to);
	}
	return fmax(until - from, 0);
}

/* The memory serves the tile's load and its store. */
static void
add_served(struct sf_lanes *l, const struct sf_timed_tile *tile)
{
	struct sf_strip *strip = &l->rows[l->n - 1].strip;
	struct sf_bar bar = { tile->served, tile->load_done,
		(int)tile->op->category, NULL };

	sf_strip_add(strip, &bar);
	if (!tile->stores)
		return;
	bar.start = tile->t.store_start;
	bar.end = tile->store_done;
	sf_strip_add(strip, &bar);
}

void
sf_lanes_add(struct sf_lanes *l, const struct sf_timed_tile *tile)
{
	struct sf_stay stays[SF_MAX_STAYS];
	int n = sf_tile_stays(tile, stays);

	for (int i = 0; i < n; i++) {
		struct sf_lanes_row *row = row_of(l, tile->core, stays[i].lane);

		sf_strip_add(&row->strip,
		    &(struct sf_bar){ stays[i].start, stays[i].end,
			(int)tile->op->category,
			sf_lanes_short_name(tile->op->name) });
		if (stays[i].lane == SF_LANE_ARRAY ||
		    stays[i].lane == SF_LANE_VECTOR)
			l->busy[tile->core] += in_sight(
			    &row->strip.range, stays[i].start, stays[i].end);
	}
	if (l->ncores > 1)
		add_served(l, tile);
}

/* ---- of all ---- */

uint32_t
sf_lanes_kinds(const struct sf_lanes *l)
{
	uint32_t set = 0;

	for (int i = 0; i < l->n; i++)
		set |= l->rows[i].strip.kinds;
	return set;
}

bool
sf_lanes_any_fine(const struct sf_lanes *l)
{
	for (int i = 0; i < l->n; i++)
		if (l->rows[i].strip.any_fine)
			return true;
	return false;
}

void
sf_lanes_extremes(const struct sf_lanes *l, double *least, double *most)
{
	*least = *most = l->busy[0];
	for (int i = 1; i < l->ncores; i++) {
		*least = fmin(*least, l->busy[i]);
		*most = fmax(*most, l->busy[i]);
	}
}
