/*
 * Output-stationary: each place of the array keeps one element of the result
 * while rows of A and columns of B stream past, k of them.
 */
#include "accel/dataflow.h"
#include "base/num.h"

static bool
cycles(const struct sf_accel *a, const struct sf_array_work *w, int64_t *out)
{
	const int64_t passes[] = { w->nb, sf_ceil_div(w->mm, a->array_rows),
		sf_ceil_div(w->nn, a->array_cols) };
	int64_t folds, length, fold;

	/* Nothing is there to load; the skew of both sides is filled and
	 * drained. */
	return sf_mul_all(passes, 3, &folds) &&
	    sf_mul(w->kk, w->taps, &length) &&
	    sf_array_fold(
		a, length, a->array_rows + a->array_cols - 2, 0, &fold) &&
	    sf_mul(sf_ceil_div(folds, a->arrays), fold, out) &&
	    sf_add(*out, sf_array_once(a), out);
}

const struct sf_dataflow sf_dataflow_os = {
	.stays = SF_OPERAND_C,
	.orders = 1U << SF_ORDER_MNK | 1U << SF_ORDER_NMK,
	.units = sf_array_units,
	.cycles = cycles,
};
