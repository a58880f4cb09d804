/* The table of dataflows, and what they have in common. */
#include "accel/dataflow.h"

#include "base/num.h"

const struct sf_dataflow *const sf_dataflows[] = {
#define SF_DATAFLOW(name) &sf_dataflow_##name,
#include "accel/dataflow.def"
#undef SF_DATAFLOW
};

const char *const sf_dataflow_names[] = {
#define SF_DATAFLOW(name) #name,
#include "accel/dataflow.def"
#undef SF_DATAFLOW
	NULL
};

bool
sf_array_cycles(
    const struct sf_accel *a, const struct sf_array_work *work, int64_t *out)
{
	struct sf_array_work w = *work;

	/* Patches made on the chip are one operand as deep as they are. */
	if (a->conv != SF_CONV_TAPS) {
		if (!sf_mul(w.kk, w.taps, &w.kk))
			return false;
		w.taps = 1;
	}
	return sf_dataflows[a->dataflow]->cycles(a, &w, out);
}

bool
sf_array_fold(const struct sf_accel *a, int64_t length, int64_t over,
    int64_t load, int64_t *out)
{
	switch ((enum sf_array_fill)a->array_fill) {
	case SF_FILL_FOLD:
		return sf_add(length, over, out);
	case SF_FILL_LOAD:
		return sf_add(length, load, out);
	case SF_FILL_PRELOAD:
		*out = length > load ? length : load;
		return true;
	case SF_FILL_TILE:
		break;
	}
	*out = length;
	return true;
}

int64_t
sf_array_once(const struct sf_accel *a)
{
	return a->array_fill == SF_FILL_FOLD ? 0
					     : a->array_rows + a->array_cols;
}

bool
sf_array_stationary(const struct sf_accel *a, const struct sf_array_work *w,
    int64_t columns, int64_t length, int64_t *out)
{
	const int64_t pieces[] = { w->nb, w->taps,
		sf_ceil_div(w->kk, a->array_rows) };
	int64_t across = sf_ceil_div(columns, a->array_cols), depth;
	int64_t over = 2 * a->array_rows + a->array_cols - 2, fold, part;
	int64_t folds;

	if (!sf_mul_all(pieces, 3, &depth))
		return false;
	/* Fills shared out: DEPTH ceil(ACROSS / arrays), each at full length. */
	if (!sf_array_fold(a, length, over, a->array_rows, &fold) ||
	    !sf_mul(depth, sf_ceil_div(across, a->arrays), &folds) ||
	    !sf_mul(folds, fold, &fold))
		return false;
	if (!sf_array_fold(a, sf_ceil_div(length, a->arrays), over,
		a->array_rows, &part) ||
	    !sf_mul(depth, across, &folds) || !sf_mul(folds, part, &part))
		return false;
	return sf_add(fold < part ? fold : part, sf_array_once(a), out);
}

void
sf_array_units(const struct sf_accel *a, int64_t unit[3])
{
	unit[0] = a->array_rows;
	unit[1] = a->array_cols;
	unit[2] = a->array_rows;
}
