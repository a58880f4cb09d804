/* The tile record. */
#include "accel/tile_record.h"

#include "accel/accel.h"
#include "stream/member.h"
#include "stream/tally.h"

void
sf_tile_write(struct sf_jsonw *w, const struct sf_tile_place *place,
    const struct sf_times *t)
{
	const double times[SF_TILE_TIMES] = { t->issue, t->dep, t->alloc,
		t->load_end, t->comp_start, t->comp_end, t->store_start,
		t->store_end };

	sf_jsonw_kint(w, "i", place->i);
	sf_jsonw_kint(w, "op", place->op);
	if (place->core != 0)
		sf_jsonw_kint(w, "core", place->core);
	sf_jsonw_key(w, "t");
	sf_jsonw_open(w, '[');
	for (int k = 0; k < SF_TILE_TIMES; k++)
		sf_jsonw_double(w, times[k]);
	sf_jsonw_close(w, ']');
}

static const struct sf_member time = SF_ELEMENT_DOUBLE(0, DBL_MAX);

static const struct sf_member rows[] = {
	SF_MEMBER_COUNT("i", struct sf_tile_record, place.i, SF_ALWAYS),
	SF_MEMBER_COUNT("op", struct sf_tile_record, place.op, SF_ALWAYS),
	SF_MEMBER_INT("core", struct sf_tile_record, place.core, SF_OPTIONAL, 1,
	    SF_MAX_CORES - 1),
	SF_MEMBER_ARRAY_IN(
	    "t", struct sf_tile_record, t, n, SF_ALWAYS, &time, SF_TILE_TIMES),
};
static const struct sf_members members = SF_MEMBERS("tile", rows);

/* Tiles count from 0 within a trace, each behind its operator. */
static void
check_place(struct sf_stream *stream, const struct sf_tile_place *place)
{
	int64_t i = sf_stream_tally(stream)->records[SF_K_TILE] - 1;

	if (place->i != i)
		sf_stream_die(stream, "tile: 'i' is %lld, expected %lld",
		    (long long)place->i, (long long)i);
	if (place->op != sf_stream_ops(stream) - 1)
		sf_stream_die(stream,
		    "tile: 'op' is %lld, expected the tile behind that op",
		    (long long)place->op);
}

void
sf_tile_read(struct sf_stream *stream, struct sf_tile_record *tile)
{
	tile->place.core = 0;
	sf_record_read(stream, &members, NULL, tile);
	for (int k = 1; k < SF_TILE_TIMES; k++)
		if (tile->t[k] < tile->t[k - 1])
			sf_stream_die(stream,
			    "tile: 't' falls from %g to %g, expected eight "
			    "times that do not fall",
			    tile->t[k - 1], tile->t[k]);
	check_place(stream, &tile->place);
}
