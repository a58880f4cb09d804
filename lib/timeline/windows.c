/* Windows: what tiles did, cut when the run is over. */
#include "timeline/windows.h"

#include <math.h>
#include <stdlib.h>

#include "accel/summary_record.h"
#include "base/sorted.h"

enum {
	MEMORY = 32 << 20 /* bytes of tiles that are kept in memory */
};

/* What is kept of a tile until the run is over; times in seconds. */
struct kept {
	int64_t i, op;
	int core;
	enum sf_where where;
	bool stores;
	struct sf_times t;
	/* When its load began to move bytes, and both transfers were done. */
	double moves, load_done, store_done;
};

struct sf_windows {
	struct sf_stream *stream;
	enum sf_format format;
	int64_t count, traces;
	struct sf_tiles tiles;
	struct sf_sorted *kept; /* in the order in which they came */
	double makespan;
	struct sf_window *v; /* of the run that is over */
};

struct sf_windows *
sf_windows_new(struct sf_stream *stream, enum sf_format format, int64_t count)
{
	struct sf_windows *w = sf_malloc(sizeof *w);

	*w = (struct sf_windows){
		.stream = stream, .format = format, .count = count
	};
	sf_tiles_init(&w->tiles, stream);
	if (format == SF_FORMAT_CSV)
		sf_windows_csv_header(sf_stream_text(stream));
	return w;
}

void
sf_windows_free(struct sf_windows *w)
{
	if (w->kept != NULL)
		sf_sorted_free(w->kept);
	sf_tiles_release(&w->tiles);
	free(w);
}

/* ---- the tiles ---- */

static int
by_number(const void *left, const void *right)
{
	const struct kept *a = left, *b = right;

	return a->i < b->i ? -1 : a->i > b->i;
}

static void
begin_trace(struct sf_windows *w)
{
	if (w->kept != NULL)
		sf_sorted_free(w->kept);
	w->kept = sf_sorted_new(sizeof(struct kept), MEMORY, by_number);
	w->traces++;
	w->makespan = 0;
}

static void
keep(struct sf_windows *w, const struct sf_timed_tile *tile)
{
	struct kept kept = { .i = tile->i,
		.op = tile->op->i,
		.core = tile->core,
		.where = tile->op->where,
		.stores = tile->stores,
		.t = tile->t,
		.moves = tile->served,
		.load_done = tile->load_done,
		.store_done = tile->store_done };

	sf_sorted_add(w->kept, &kept);
}

/* ---- windows ---- */

static double
edge(const struct sf_windows *w, int64_t window)
{
	return window == w->count
	    ? w->makespan
	    : w->makespan * ((double)window / (double)w->count);
}

static int64_t
window_at(const struct sf_windows *w, double time)
{
	double at = floor(time / w->makespan * (double)w->count);
	int64_t window = at < (double)w->count ? (int64_t)at : w->count - 1;

	/* What was divided and what is multiplied may differ in a bit. */
	while (window > 0 && time < edge(w, window))
		window--;
	return window;
}

static void
note_op(struct sf_window *window, int64_t op)
{
	if (op < 0)
		return;
	if (window->first_op < 0 || op < window->first_op)
		window->first_op = op;
	if (op > window->last_op)
		window->last_op = op;
}

/* WHAT was so, because of OP if it is not -1; cut at the edges of windows. */
static void
put(struct sf_windows *w, enum sf_window_part what, int64_t op, double from,
    double until)
{
	if (!(until > from))
		return;
	for (int64_t i = window_at(w, from); i < w->count; i++) {
		struct sf_window *v = &w->v[i];
		double length = fmin(until, v->until_s) - fmax(from, v->from_s);

		if (v->from_s >= until)
			return;
		if (!(length > 0))
			continue;
		v->share[what] += length;
		note_op(v, op);
	}
}

/*
 * What the compute units did from COMPUTED, the end of the compute before, until
 * the tile was computed: a gap is told by walking back along the tile's load, as
 * a meter tells it.
 */
static void
put_computing(struct sf_windows *w, const struct kept *tile, double computed)
{
	const struct sf_times *t = &tile->t;
	double ready = fmax(t->dep, computed), from = fmax(t->alloc, ready);

	put(w, SF_WINDOW_DEPENDENCY, tile->op, computed, ready);
	put(w, SF_WINDOW_BUFFER_FULL, tile->op, ready, from);
	put(w, SF_WINDOW_LOAD_BANDWIDTH, tile->op, from, t->comp_start);
	put(w, SF_WINDOW_COMPUTE, tile->op, t->comp_start, t->comp_end);
	if (tile->where == SF_ON_ARRAY)
		put(w, SF_WINDOW_ARRAY, -1, t->comp_start, t->comp_end);
	else if (tile->where == SF_ON_VECTOR)
		put(w, SF_WINDOW_VECTOR, -1, t->comp_start, t->comp_end);
}

/* What the two DMAs did for it, and the memory behind them. */
static void
put_moving(struct sf_windows *w, const struct kept *tile)
{
	const struct sf_times *t = &tile->t;

	put(w, SF_WINDOW_LOAD_WAITS, -1, t->issue, t->alloc);
	put(w, SF_WINDOW_LOAD_DMA, -1, t->alloc, tile->load_done);
	put(w, SF_WINDOW_DRAM, -1, tile->moves, tile->load_done);
	if (tile->where == SF_ON_TRANSIT)
		put(w, SF_WINDOW_TRANSIT, -1, t->alloc, tile->load_done);
	if (!tile->stores)
		return;
	put(w, SF_WINDOW_STORE_DMA, -1, t->store_start, tile->store_done);
	put(w, SF_WINDOW_DRAM, -1, t->store_start, tile->store_done);
}

static void
put_tiles(struct sf_windows *w)
{
	double computed[SF_MAX_CORES] = { 0 };
	size_t n = sf_sorted_count(w->kept);

	for (size_t i = 0; i < n; i++) {
		struct kept tile;

		sf_sorted_get(w->kept, i, &tile);
		put_computing(w, &tile, computed[tile.core]);
		put_moving(w, &tile);
		computed[tile.core] = tile.t.comp_end;
	}
	for (int i = 0; i < w->tiles.accel.cores; i++)
		put(w, SF_WINDOW_STORE_TAIL, -1, computed[i], w->makespan);
}

/* Sums of seconds become shares, those of several cores their mean. */
static void
divide(const struct sf_windows *w, struct sf_window *window)
{
	double length = window->until_s - window->from_s;
	double cores = (double)w->tiles.accel.cores;

	window->share[SF_WINDOW_DRAM] *= cores / (double)w->tiles.accel.servers;
	for (int p = 0; p < SF_WINDOW_PARTS; p++)
		window->share[p] =
		    length > 0 ? window->share[p] / length / cores : 0;
}

static void
end_trace(struct sf_windows *w)
{
	struct sf_windows_table table = {
		.of = &w->tiles, .arena = sf_arena_new(), .number = w->traces
	};

	/* A run that takes no time has none. */
	table.n = w->makespan > 0 ? w->count : 0;
	w->v = sf_arena_calloc(table.arena, (size_t)table.n + 1, sizeof *w->v);
	for (int64_t i = 0; i < table.n; i++)
		w->v[i] = (struct sf_window){ edge(w, i), edge(w, i + 1), -1,
			-1, { 0 } };
	sf_sorted_finish(w->kept);
	if (table.n != 0)
		put_tiles(w);
	for (int64_t i = 0; i < table.n; i++)
		divide(w, &w->v[i]);
	table.v = w->v;
	sf_windows_write(&table, w->format, sf_stream_text(w->stream));
	sf_arena_free(table.arena);
}

static void
take_summary(struct sf_windows *w)
{
	struct sf_summary summary;

	sf_summary_read(&summary, w->stream, sf_stream_record_arena(w->stream));
	w->makespan = summary.v[SF_SUM_MAKESPAN].d;
}

void
sf_windows_record(struct sf_windows *w, enum sf_kind kind)
{
	struct sf_timed_tile tile;

	if (kind == SF_K_TRACE)
		begin_trace(w);
	if (sf_tiles_record(&w->tiles, kind, &tile))
		keep(w, &tile);
	if (kind == SF_K_SUMMARY)
		take_summary(w);
	else if (kind == SF_K_END)
		end_trace(w);
}
