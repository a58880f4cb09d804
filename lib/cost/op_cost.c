/* The `cost` member of an op. */
#include "cost/op_cost.h"

void
sf_op_cost_put(struct sf_stream *stream, const struct sf_op_cost *cost)
{
	struct sf_jsonw *w = sf_stream_extend(stream, "cost");

	sf_jsonw_open(w, '{');
	sf_jsonw_kdouble(w, "time_s", cost->time_s);
	sf_jsonw_kcstr(w, "bound", sf_bound_names[cost->bound]);
	sf_jsonw_kcstr(w, "unit", sf_cost_units[cost->unit]);
	sf_jsonw_kdouble(w, "transfer_s", cost->transfer_s);
	if (cost->type != SF_PEAK_NONE)
		sf_jsonw_kcstr(w, "type", sf_peak_names[cost->type]);
	if (cost->peak != cost->type)
		sf_jsonw_kcstr(w, "peak", sf_peak_names[cost->peak]);
	sf_jsonw_close(w, '}');
}

static const struct sf_member rows[] = {
	SF_MEMBER_DOUBLE(
	    "time_s", struct sf_op_cost, time_s, SF_ALWAYS, 0, SF_COST_MOST_S),
	SF_MEMBER_WORD(
	    "bound", struct sf_op_cost, bound, SF_ALWAYS, sf_bound_names),
	SF_MEMBER_WORD(
	    "unit", struct sf_op_cost, unit, SF_ALWAYS, sf_cost_units),
	SF_MEMBER_DOUBLE("transfer_s", struct sf_op_cost, transfer_s, SF_ALWAYS,
	    0, SF_COST_MOST_S),
	SF_MEMBER_WORD(
	    "type", struct sf_op_cost, type, SF_OPTIONAL, sf_peak_names),
	SF_MEMBER_WORD(
	    "peak", struct sf_op_cost, peak, SF_OPTIONAL, sf_peak_names),
};
static const struct sf_members members = SF_MEMBERS("cost", rows);

void
sf_op_cost_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_op_cost *cost)
{
	const struct sf_place place = sf_op_place(op);

	cost->type = cost->peak = SF_PEAK_NONE;
	sf_object_read(stream, op->cost, &place, &members, NULL, cost);
	if (cost->peak == SF_PEAK_NONE)
		cost->peak = cost->type;
	if (cost->time_s != 0 && cost->time_s < SF_COST_LEAST_S)
		sf_op_die(stream, op,
		    "cost: 'time_s' is %g, expected 0 or a number >= %g",
		    cost->time_s, SF_COST_LEAST_S);
}
