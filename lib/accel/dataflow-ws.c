/*
 * Weight-stationary: the array holds a piece of B, rows deep and columns wide,
 * while the rows of A stream through it, one a cycle.
 */
#include "accel/dataflow.h"
#include "base/num.h"

static bool
cycles(const struct sf_accel *a, const struct sf_array_work *w, int64_t *out)
{
	const int64_t pieces[] = { w->nb, w->taps,
		sf_ceil_div(w->kk, a->array_rows) };
	int64_t depth;

	return sf_mul_all(pieces, 3, &depth) &&
	    sf_array_stationary(
		a, depth, sf_ceil_div(w->nn, a->array_cols), w->mm, out);
}

const struct sf_dataflow sf_dataflow_ws = {
	.stays = SF_OPERAND_B,
	.orders = 1U << SF_ORDER_MNK | 1U << SF_ORDER_NMK,
	.units = sf_array_units,
	.cycles = cycles,
};
