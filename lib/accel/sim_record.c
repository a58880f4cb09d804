/* The `sim` member of an op. */
#include "accel/sim_record.h"

#include "stream/tally.h"

const char *const sf_sim_bounds[] = {
	[SF_SIM_COMPUTE] = "compute",
	[SF_SIM_MEMORY] = "memory",
	NULL,
};

static void
write_stalls(struct sf_jsonw *w, const struct sf_stalls *stalls)
{
	sf_jsonw_key(w, "stalls_s");
	sf_jsonw_open(w, '{');
	sf_jsonw_kdouble(w, "compute", stalls->compute_s);
	sf_jsonw_kdouble(w, "load_bandwidth", stalls->load_s);
	sf_jsonw_kdouble(w, "buffer_full", stalls->buffer_s);
	sf_jsonw_kdouble(w, "dependency", stalls->dependency_s);
	sf_jsonw_close(w, '}');
}

void
sf_sim_write(struct sf_jsonw *w, const struct sf_sim *sim)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kdouble(w, "start_s", sim->start_s);
	sf_jsonw_kdouble(w, "end_s", sim->end_s);
	sf_jsonw_kcstr(w, "bound", sf_sim_bounds[sim->bound]);
	sf_jsonw_kint(w, "tiled_bytes", sim->tiled_bytes);
	if (sim->stalls.told)
		write_stalls(w, &sim->stalls);
	sf_jsonw_close(w, '}');
}

/* ---- reading ---- */

static const struct sf_member stall_rows[] = {
	SF_MEMBER_DOUBLE(
	    "compute", struct sf_stalls, compute_s, SF_ALWAYS, 0, DBL_MAX),
	SF_MEMBER_DOUBLE(
	    "load_bandwidth", struct sf_stalls, load_s, SF_ALWAYS, 0, DBL_MAX),
	SF_MEMBER_DOUBLE(
	    "buffer_full", struct sf_stalls, buffer_s, SF_ALWAYS, 0, DBL_MAX),
	SF_MEMBER_DOUBLE("dependency", struct sf_stalls, dependency_s,
	    SF_ALWAYS, 0, DBL_MAX),
};
static const struct sf_members stall_members =
    SF_MEMBERS("stalls_s", stall_rows);

static const struct sf_member rows[] = {
	SF_MEMBER_DOUBLE(
	    "start_s", struct sf_sim, start_s, SF_ALWAYS, 0, DBL_MAX),
	SF_MEMBER_DOUBLE("end_s", struct sf_sim, end_s, SF_ALWAYS, 0, DBL_MAX),
	SF_MEMBER_WORD("bound", struct sf_sim, bound, SF_ALWAYS, sf_sim_bounds),
	SF_MEMBER_COUNT("tiled_bytes", struct sf_sim, tiled_bytes, SF_ALWAYS),
	SF_MEMBER_OBJECT(
	    "stalls_s", struct sf_sim, stalls, SF_OPTIONAL, &stall_members),
};
static const struct sf_members members = SF_MEMBERS("sim", rows);

void
sf_sim_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_sim *sim)
{
	const struct sf_place place = sf_op_place(op);
	bool again = sf_stream_part_was_read(stream, op->sim);
	uint64_t seen =
	    sf_object_read(stream, op->sim, &place, &members, NULL, sim);

	sim->stalls.told = (seen & sf_member_bit(&members, "stalls_s")) != 0;
	if (sim->end_s < sim->start_s)
		sf_op_die(stream, op,
		    "sim: 'end_s' is %g, expected no less than 'start_s', %g",
		    sim->end_s, sim->start_s);
	if (!again)
		sf_tally_sum(stream, &place, "tiled bytes",
		    &sf_stream_tally(stream)->tiled_bytes, sim->tiled_bytes);
}
