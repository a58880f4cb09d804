/*
 * Weight-stationary: the array holds a piece of B, rows deep and columns wide,
 * while the rows of A stream through it, one a cycle.
 */
#include "accel/dataflow.h"

static bool
cycles(const struct sf_accel *a, const struct sf_array_work *w, int64_t *out)
{
	return sf_array_stationary(a, w, w->nn, w->mm, out);
}

const struct sf_dataflow sf_dataflow_ws = {
	.stays = SF_OPERAND_B,
	.orders = 1U << SF_ORDER_MNK | 1U << SF_ORDER_NMK,
	.units = sf_array_units,
	.cycles = cycles,
};
