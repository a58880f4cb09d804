/* From lowered operators to an engine and back into the stream. */
#include "accel/simulate.h"

#include <stdlib.h>

#include "accel/bound-tiles.h"
#include "accel/lower.h"
#include "accel/mixed.h"
#include "accel/sim_record.h"
#include "accel/summary.h"
#include "accel/tile_record.h"
#include "stream/hold.h"
#include "trace/op.h"

struct sf_simulation {
	struct sf_stream *stream;
	const struct sf_engine_type *type;
	struct sf_engine *engine; /* NULL before the accel record */
	struct sf_accel accel;
	struct sf_sink sink;
	struct sf_nest *nests; /* of the cores */
	bool late, wants_tiles;
	int64_t tiles;           /* told of so far */
	int64_t asked, most;     /* of the trace, to run; and may be */
	struct sf_hold hold;     /* of a late engine: operators not told of */
	struct sf_jsonw scratch; /* what is added to one of them */
	struct sf_mixed mixed;   /* of several cores: tiles of those */
};

/* ---- what engines tell ---- */

static void
write_sim(struct sf_jsonw *w, const struct sf_simulation *s,
    const struct sf_op_result *result)
{
	const double second = s->accel.second;
	/* Of several cores what each did in the mean. */
	const double each = second / (double)s->accel.cores;
	const struct sf_sim sim = { .start_s = result->start * second,
		.end_s = result->end * second,
		.bound = result->compute_bound ? SF_SIM_COMPUTE : SF_SIM_MEMORY,
		.tiled_bytes = result->tiled_bytes,
		.stalls = { true, result->computing * each,
		    result->wait_load * each, result->wait_buffer * each,
		    result->wait_deps * each } };

	sf_sim_write(w, &sim);
}

/* An engine that is not late tells of the current operator. */
static void
put_op(void *to, const struct sf_op_result *result)
{
	struct sf_simulation *s = to;

	write_sim(sf_stream_extend(s->stream, "sim"), s, result);
	if (s->sink.tile != NULL)
		sf_stream_pass(s->stream);
}

static void
put_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct sf_simulation *s = to;
	const struct sf_tile_place place = { s->tiles++, op, core };

	sf_tile_write(sf_stream_record(s->stream, SF_K_TILE), &place, t);
	sf_stream_put(s->stream);
}

static void
put_late_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct sf_simulation *s = to;
	const struct sf_tile_place place = { s->tiles++, op, core };
	struct sf_held *held = sf_hold_first(&s->hold);
	struct sf_jsonw *w = &s->scratch;

	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "kind", sf_kind_name(SF_K_TILE));
	sf_tile_write(w, &place, t);
	sf_jsonw_close(w, '}');
	sf_buf_putc(&w->buf, '\n');
	sf_buf_put(&held->added, w->buf.p, w->buf.n);
	w->buf.n = 0;
	w->comma = false;
}

static void
put_mixed_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct sf_simulation *s = to;

	sf_mixed_put(&s->mixed, op, core, t);
}

/* A late one tells of the earliest operator that waits, its tiles first. */
static void
put_late_op(void *to, const struct sf_op_result *result)
{
	struct sf_simulation *s = to;

	if (s->sink.tile == put_mixed_tile)
		sf_mixed_take(&s->mixed, put_late_tile, s);
	sf_jsonw_key(&s->scratch, "sim");
	write_sim(&s->scratch, s, result);
	sf_hold_go(&s->hold, &s->scratch);
	s->scratch.buf.n = 0;
	s->scratch.comma = false;
}

/* ---- the stream ---- */

struct sf_simulation *
sf_simulation_new(struct sf_stream *stream, const struct sf_engine_type *type,
    bool tiles, int64_t most)
{
	struct sf_simulation *s =
	    sf_arena_calloc(sf_stream_arena(stream), 1, sizeof *s);

	s->stream = stream;
	s->type = type;
	s->wants_tiles = tiles;
	s->most = most;
	sf_hold_init(&s->hold, stream);
	return s;
}

void
sf_simulation_free(struct sf_simulation *s)
{
	sf_hold_release(&s->hold);
	sf_mixed_release(&s->mixed);
	free(s->nests);
	sf_buf_release(&s->scratch.buf);
}

static void
begin(struct sf_simulation *s)
{
	struct sf_error error;

	sf_accel_read(s->stream, NULL, &s->accel);
	if (!sf_engine_accepts(s->type, &s->accel, &error))
		sf_stream_die(s->stream, "%s", error.text);
	s->late = s->type->is_late(&s->accel);
	s->sink = (struct sf_sink){ s, s->late ? put_late_op : put_op, NULL };
	if (s->wants_tiles)
		s->sink.tile = s->late ? put_late_tile : put_tile;
	if (s->wants_tiles && s->accel.cores > 1) {
		sf_mixed_release(&s->mixed);
		sf_mixed_init(&s->mixed, (int)s->accel.cores);
		s->sink.tile = put_mixed_tile;
	}
	free(s->nests);
	s->nests = sf_nests_new(&s->accel);
	s->engine = s->type->make(&s->accel, &s->sink);
	s->tiles = s->asked = 0;
}

static void
run_op(struct sf_simulation *s)
{
	struct sf_lower lower;
	struct sf_error error;
	struct sf_op op;

	sf_op_read(s->stream, &op);
	if (op.sim.n != 0)
		sf_op_die(s->stream, &op, "is simulated already");
	sf_lower_read(s->stream, &op, &lower);
	if (s->engine == NULL)
		sf_op_die(s->stream, &op,
		    "comes before any accel record, expected a trace from "
		    "sf-lower");
	if (lower.where == SF_ON_NONE) {
		sf_hold_follow(&s->hold);
		return;
	}
	if (s->late)
		sf_hold_add(&s->hold, op.i);
	if (s->sink.tile == put_mixed_tile)
		sf_mixed_add(&s->mixed, op.i);
	if (!sf_bound_tiles(&s->asked, lower.tiles, s->most, &error) ||
	    !sf_nest_init(s->nests, &lower, &s->accel, &error) ||
	    !s->type->run(
		s->engine, op.i, s->nests, lower.deps, lower.ndeps, &error))
		sf_op_die(s->stream, &op, "%s", error.text);
}

static void
end(struct sf_simulation *s)
{
	struct sf_engine_cost cost;
	struct sf_meter meter;
	struct sf_error error;

	if (s->engine == NULL)
		sf_stream_die(s->stream,
		    "the trace has no accel record, expected a trace from "
		    "sf-lower");
	if (!s->type->end(s->engine, &meter, &cost, &error))
		sf_stream_die(s->stream, "%s", error.text);
	sf_summary_put(s->stream, s->type->name, &s->accel, &meter, &cost);
	s->type->free(s->engine);
	s->engine = NULL;
}

void
sf_simulation_record(struct sf_simulation *s, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_ACCEL:
		begin(s);
		break;
	case SF_K_OP:
		run_op(s);
		break;
	case SF_K_SUMMARY:
		sf_stream_die(s->stream, "the trace is simulated already");
	case SF_K_END:
		end(s);
		break;
	case SF_K_BODY:
	case SF_K_EOF:
		break;
	default:
		sf_hold_follow(&s->hold);
		break;
	}
}
