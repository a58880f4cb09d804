/* Tile records joined with their operators. */
#include "timeline/tiles.h"

#include <stdlib.h>
#include <string.h>

#include "accel/lower.h"
#include "accel/sim_record.h"
#include "accel/summary_record.h"
#include "accel/tile_record.h"
#include "report/rows.h"

static const char *const lane_names[] = {
#define SF_LANE(id, name) name,
#include "timeline/lane.def"
#undef SF_LANE
};

const char *
sf_lane_name(enum sf_lane lane)
{
	return lane_names[lane];
}

void
sf_tiles_init(struct sf_tiles *r, struct sf_stream *stream)
{
	*r = (struct sf_tiles){ .stream = stream, .arena = sf_arena_new() };
	sf_table_init(&r->names, r->arena);
	sf_table_init(&r->owners, r->arena);
}

void
sf_tiles_release(struct sf_tiles *r)
{
	free(r->nests);
	sf_table_release(&r->names);
	sf_table_release(&r->owners);
	sf_arena_free(r->arena);
}

static void
begin_trace(struct sf_tiles *r)
{
	sf_table_clear(&r->names);
	sf_table_clear(&r->owners);
	sf_arena_reset(r->arena);
	sf_trace_read(r->stream, r->arena, &r->trace);
	r->lowered = r->simulated = r->absent = false;
	r->accel = (struct sf_accel){ .preset = "", .cores = 1 };
	r->hotspot = r->why = "";
	r->op_tiles = r->all_tiles = r->n = 0;
	memset(r->ends, 0, sizeof r->ends);
}

static void
read_accel(struct sf_tiles *r)
{
	sf_accel_read(r->stream, r->arena, &r->accel);
	r->lowered = true;
	free(r->nests);
	r->nests = sf_nests_new(&r->accel);
}

/* The operator before the current record must have had all its tiles. */
static void
end_op(struct sf_tiles *r)
{
	if (r->op_tiles == r->all_tiles)
		return;
	r->absent = r->optional && r->n == 0;
	if (r->absent)
		return;
	if (r->op_tiles == 0)
		sf_stream_die(r->stream,
		    "op %lld '%s' before it has no tile records, expected a "
		    "trace from 'sf-sim --tiles'",
		    (long long)r->op.i, r->op.name);
	sf_stream_die(r->stream,
	    "op %lld '%s' before it has %lld tile records, expected %lld",
	    (long long)r->op.i, r->op.name, (long long)r->op_tiles,
	    (long long)r->all_tiles);
}

/* ---- operators ---- */

static const char *
bound_of(struct sf_tiles *r, const struct sf_op *op)
{
	struct sf_sim sim;

	if (op->sim.n == 0)
		return "";
	sf_sim_read(r->stream, op, &sim);
	return sf_sim_bounds[sim.bound];
}

static const char *
keep(struct sf_tiles *r, struct sf_str text)
{
	return text.n == 0 ? "" : sf_arena_strndup(r->arena, text.p, text.n);
}

static const char *
module_of(struct sf_tiles *r, const struct sf_op *op)
{
	struct sf_str module;

	if (!sf_module_of(op, &r->owners, r->arena, &module))
		return "";
	return sf_table_add(&r->names, module)->name.p;
}

static void
read_op(struct sf_tiles *r)
{
	struct sf_lower lower;
	struct sf_error error;
	struct sf_op op;

	end_op(r);
	if (r->absent)
		return;
	sf_op_read(r->stream, &op);
	if (!r->lowered || op.lower.n == 0) {
		r->absent = r->optional && r->n == 0;
		if (r->absent)
			return;
		sf_op_die(r->stream, &op,
		    "is not lowered, expected a trace from 'sf-rules | "
		    "sf-lower | sf-sim --tiles'");
	}
	sf_lower_read(r->stream, &op, &lower);
	r->op = (struct sf_timed_op){ .i = op.i,
		.name = sf_table_add(&r->names, op.name)->name.p,
		.node = keep(r, op.node),
		.module = module_of(r, &op),
		.category = op.counted ? op.counts.category : SF_CAT_UNKNOWN,
		.where = lower.where,
		.bound = bound_of(r, &op) };
	r->op_tiles = r->all_tiles = 0;
	r->nsizes = r->size = r->core = 0;
	if (lower.where == SF_ON_NONE)
		return;
	r->all_tiles = lower.tiles;
	if (!sf_nest_init(r->nests, &lower, &r->accel, &error))
		sf_op_die(r->stream, &op, "%s", error.text);
}

/* ---- tiles ---- */

/* Later times would not stay finite in other units. */
#define MOST_S 1e30

/* The index in the nest's table of the tile that is next. */
static int
next_size(struct sf_tiles *r)
{
	/* There is one, on some core. */
	while (r->size == r->nsizes) {
		r->nsizes = sf_nest_next(&r->nests[r->core], r->sizes);
		r->size = 0;
		if (r->nsizes == 0)
			r->core++;
	}
	return r->sizes[r->size++];
}

static void
set_sizes(struct sf_tiles *r, struct sf_timed_tile *tile)
{
	int size = next_size(r);
	const struct sf_tile *sizes = &r->nests[r->core].table[size];

	tile->granted = sizes->granted;
	tile->at_compute = sizes->at_compute;
	tile->at_store = sizes->at_store;
	tile->stores = sizes->stores != 0;
	tile->written = sizes->written;
	tile->read = sizes->read;
	r->tile = sizes;
}

/*
 * When the tile's bytes moved, which is when its DMA was busy: to the end
 * where that is held, and before it where the data come later.
 */
static void
set_moving(const struct sf_tiles *r, struct sf_timed_tile *tile)
{
	const struct sf_times *t = &tile->t;
	double s = r->accel.second;

	tile->load_begin = t->alloc;
	tile->load_done = t->load_end;
	tile->store_done = t->store_end;
	tile->served = t->load_end - r->tile->load_whole * s;
	if (tile->served < t->alloc)
		tile->served = t->alloc;
	if (r->accel.latency == SF_LATENCY_HELD)
		return;
	tile->load_begin = tile->served;
	tile->load_done = tile->load_begin + r->tile->load * s;
	tile->store_done = t->store_start + r->tile->store * s;
}

/* No lane works on two tiles at a time, nor on a later one first. */
static void
check_order(struct sf_tiles *r, const struct sf_times *t, bool stores)
{
	struct sf_lane_ends *ends = &r->ends[r->core];
	const char *lane = NULL;
	bool held = r->accel.latency == SF_LATENCY_HELD;

	/* Else the next transfer begins while data are on the way. */
	if ((held ? t->alloc : t->load_end) < ends->load)
		lane = "load";
	else if (t->comp_start < ends->compute)
		lane = "compute";
	else if (stores && (held ? t->store_start : t->store_end) < ends->store)
		lane = "store";
	if (lane != NULL)
		sf_stream_die(r->stream,
		    "tile %lld: its %s begins before that of an earlier tile "
		    "has ended",
		    (long long)r->n, lane);
	ends->load = t->load_end;
	ends->compute = t->comp_end;
	if (stores)
		ends->store = t->store_end;
}

static void
read_tile(struct sf_tiles *r, struct sf_timed_tile *tile)
{
	struct sf_tile_record record;
	const double *t = record.t;
	double s;

	sf_tile_read(r->stream, &record);
	if (r->op_tiles++ == r->all_tiles)
		sf_stream_die(r->stream,
		    "op %lld '%s' has more tile records than the %lld that it "
		    "is cut into",
		    (long long)r->op.i, r->op.name, (long long)r->all_tiles);
	set_sizes(r, tile);
	if (record.place.core != r->core)
		sf_stream_die(r->stream, "tile: 'core' is %lld, expected %d",
		    (long long)record.place.core, r->core);
	tile->core = r->core;
	tile->i = r->n;
	tile->op = &r->op;
	tile->t =
	    (struct sf_times){ t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] };
	check_order(r, &tile->t, tile->stores);
	s = r->accel.second;
	if (t[SF_TILE_TIMES - 1] * s > MOST_S)
		sf_stream_die(r->stream,
		    "tile %lld: ends at %g s, expected %g s at most",
		    (long long)r->n, t[SF_TILE_TIMES - 1] * s, MOST_S);
	tile->t = (struct sf_times){ t[0] * s, t[1] * s, t[2] * s, t[3] * s,
		t[4] * s, t[5] * s, t[6] * s, t[7] * s };
	set_moving(r, tile);
	r->n++;
}

/* ---- the trace ---- */

static void
read_summary(struct sf_tiles *r)
{
	struct sf_summary summary;

	end_op(r);
	sf_summary_read(&summary, r->stream, sf_stream_record_arena(r->stream));
	r->simulated = true;
	r->hotspot = keep(r, summary.v[SF_SUM_HOTSPOT].s);
	r->why = keep(r, summary.v[SF_SUM_WHY].s);
}

static void
end_trace(struct sf_tiles *r)
{
	end_op(r);
	if (!r->simulated && !r->optional)
		sf_stream_die(r->stream,
		    "the trace is not simulated, expected a trace from "
		    "'sf-rules | sf-lower | sf-sim --tiles'");
}

bool
sf_tiles_record(
    struct sf_tiles *r, enum sf_kind kind, struct sf_timed_tile *tile)
{
	if (r->absent && kind != SF_K_TRACE)
		return false;
	switch (kind) {
	case SF_K_TRACE:
		begin_trace(r);
		break;
	case SF_K_ACCEL:
		read_accel(r);
		break;
	case SF_K_OP:
		read_op(r);
		break;
	case SF_K_TILE:
		read_tile(r, tile);
		return true;
	case SF_K_SUMMARY:
		read_summary(r);
		break;
	case SF_K_END:
		end_trace(r);
		break;
	default:
		break;
	}
	return false;
}

/* ---- lanes ---- */

static void
add_stay(
    struct sf_stay *stays, int *n, enum sf_lane lane, const struct sf_stay *of)
{
	if (of->end <= of->start)
		return;
	stays[*n] = *of;
	stays[(*n)++].lane = lane;
}

int
sf_tile_stays(
    const struct sf_timed_tile *tile, struct sf_stay stays[SF_MAX_STAYS])
{
	const struct sf_times *t = &tile->t;
	const struct sf_stay load = { .start = tile->load_begin,
		.end = tile->load_done,
		.bytes = tile->read };
	const struct sf_stay compute = { .start = t->comp_start,
		.end = t->comp_end,
		.bytes = tile->at_compute + tile->at_store };
	const struct sf_stay store = { .start = t->store_start,
		.end = tile->store_done,
		.bytes = tile->written };
	int n = 0;

	add_stay(stays, &n, SF_LANE_LOAD, &load);
	/* In transit the work is done while the bytes go by. */
	if (tile->op->where == SF_ON_TRANSIT)
		add_stay(stays, &n, SF_LANE_TRANSIT, &load);
	else if (tile->op->where == SF_ON_ARRAY)
		add_stay(stays, &n, SF_LANE_ARRAY, &compute);
	else
		add_stay(stays, &n, SF_LANE_VECTOR, &compute);
	if (tile->stores)
		add_stay(stays, &n, SF_LANE_STORE, &store);
	return n;
}
