/*
 * Input-stationary: the array holds a piece of A, its depth along the rows,
 * while the columns of B stream through it, one a cycle.
 */
#include "accel/dataflow.h"

static bool
cycles(const struct sf_accel *a, const struct sf_array_work *w, int64_t *out)
{
	return sf_array_stationary(a, w, w->mm, w->nn, out);
}

const struct sf_dataflow sf_dataflow_is = {
	.stays = SF_OPERAND_A,
	.orders = 1U << SF_ORDER_MNK | 1U << SF_ORDER_NMK,
	.units = sf_array_units,
	.cycles = cycles,
};
