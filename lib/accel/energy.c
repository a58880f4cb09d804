/* Energy and area: counts times coefficients. */
#include "accel/energy.h"

#include <math.h>
#include <stddef.h>

#include "accel/accel.h"
#include "accel/dataflow.h"
#include "accel/lower.h"
#include "base/num.h"

/* ---- tables ---- */

static const struct sf_key energy_rows[] = {
#define SF_ENERGY_KEY(name, unit, range, meaning) \
	{ SF_KEY_ROW(sf_energy, name, MAYBE, NONE, "unknown", meaning), range },
#include "accel/energy.def"
#undef SF_ENERGY_KEY
};

static const struct sf_key area_rows[] = {
#define SF_AREA_KEY(name, unit, range, meaning) \
	{ SF_KEY_ROW(sf_area, name, MAYBE, NONE, "unknown", meaning), range },
#include "accel/area.def"
#undef SF_AREA_KEY
};

const char *const sf_energy_units[] = {
#define SF_ENERGY_KEY(name, unit, range, meaning) unit,
#include "accel/energy.def"
#undef SF_ENERGY_KEY
};

const char *const sf_area_units[] = {
#define SF_AREA_KEY(name, unit, range, meaning) unit,
#include "accel/area.def"
#undef SF_AREA_KEY
};

const struct sf_keys sf_energy_keys = {
	.rows = energy_rows,
	.n = sizeof energy_rows / sizeof energy_rows[0],
	.seconds = "",
	.sourced = true,
	.keeps_sources = true,
};

const struct sf_keys sf_area_keys = {
	.rows = area_rows,
	.n = sizeof area_rows / sizeof area_rows[0],
	.seconds = "",
	.sourced = true,
	.keeps_sources = true,
};

/* ---- what an operator uses ---- */

/* The row of multiply-accumulates of TYPE; -1 when there is none. */
static int
mac_row(enum sf_dtype type)
{
	struct sf_str name = sf_str_of(sf_dtype_name(type));

	if (sf_str_starts(name, "f8"))
		name = SF_STR("f8");
	for (int i = 0; i < SF_ENERGY_MACS; i++) {
		struct sf_str of = sf_str_of(energy_rows[i].name + 4);

		of.n -= 3; /* "mac_i8_pj" is of i8, and of u8 */
		if (of.n == name.n &&
		    memcmp(of.p + 1, name.p + 1, of.n - 1) == 0 &&
		    (*of.p == *name.p || (*of.p == 'i' && *name.p == 'u')))
			return i;
	}
	return -1;
}

static double
mac_pj(const struct sf_energy *energy, int row)
{
	return sf_key_number(&energy_rows[row], energy);
}

static bool
has_macs(const struct sf_energy *energy)
{
	for (int i = 0; i < SF_ENERGY_MACS; i++)
		if (mac_pj(energy, i) != 0)
			return true;
	return false;
}

bool
sf_energy_given(const struct sf_energy *energy)
{
	for (size_t i = 0; i < sf_energy_keys.n; i++)
		if (sf_key_number(&energy_rows[i], energy) != 0)
			return true;
	return false;
}

static bool
use_macs(const struct sf_accel *accel, enum sf_dtype type, int64_t macs,
    struct sf_energy_use *use, struct sf_error *error)
{
	int row;

	if (macs == 0 || !has_macs(&accel->energy))
		return true;
	if (type == SF_DT_UNKNOWN)
		return sf_fail(error,
		    "the type of its multiply-accumulates is not known, and so "
		    "what energy they take");
	row = mac_row(type);
	if (row < 0)
		return sf_fail(error,
		    "its multiply-accumulates are of %s, for which energy has "
		    "no coefficient",
		    sf_dtype_name(type));
	if (mac_pj(&accel->energy, row) == 0)
		return sf_fail(error,
		    "energy has no %s, expected it for multiply-accumulates "
		    "of %s",
		    energy_rows[row].name, sf_dtype_name(type));
	use->macs[row] = macs;
	return true;
}

/* *TO += COUNT x EACH. */
static bool
tally(int64_t *to, int64_t count, int64_t each)
{
	int64_t n;

	return sf_mul(count, each, &n) && sf_add(*to, n, to);
}

/* Bytes of COUNT elements of the second operand, as they are stored. */
static bool
stored(const struct sf_gemm *g, int64_t e_in, int64_t count, int64_t *out)
{
	int64_t rest;

	if (g->b_elements == 0)
		return sf_mul(count, e_in, out);
	return sf_mul(count / g->b_elements, g->b_bytes, out) &&
	    sf_mul(count % g->b_elements, g->b_bytes, &rest) &&
	    sf_add(*out, sf_ceil_div(rest, g->b_elements), out);
}

/*
 * Of a product: an operand that streams is read once for each row or column of
 * the array that it meets; one that stays is read once a fill, which is once for
 * each block of the side that it has not; a result that stays is written once,
 * and one that streams once for each row of products that is added up.
 */
static bool
use_product(const struct sf_accel *accel, const struct sf_lower *lower,
    const struct sf_gemm *g, struct sf_energy_use *use)
{
	int64_t e_a = lower->e_in, macs, a, b;

	/* Bytes of an operand, each element for each product it is in. */
	if (!sf_gemm_macs(g, &macs) || !sf_mul(macs, e_a, &a) ||
	    !stored(g, e_a, macs, &b))
		return false;
	switch (sf_dataflows[accel->dataflow]->stays) {
	case SF_OPERAND_A:
		return sf_add(use->col_bytes, b, &use->col_bytes) &&
		    tally(&use->bytes, a / g->n, sf_ceil_div(g->n, g->bn)) &&
		    sf_add(use->row_updates, macs, &use->row_updates);
	case SF_OPERAND_B:
		return sf_add(use->col_bytes, a, &use->col_bytes) &&
		    tally(&use->bytes, b / g->m, sf_ceil_div(g->m, g->bm)) &&
		    sf_add(use->row_updates, macs, &use->row_updates);
	case SF_OPERAND_C:
		break;
	}
	return sf_add(use->col_bytes, a, &use->col_bytes) &&
	    sf_add(use->row_bytes, b, &use->row_bytes) &&
	    sf_mul(g->m, g->n, &a) && tally(&use->updates, a, g->batch);
}

bool
sf_energy_use_of(const struct sf_accel *accel, const struct sf_lower *lower,
    int64_t macs, int64_t loaded, struct sf_energy_use *use,
    struct sf_error *error)
{
	bool fits = true;

	*use = (struct sf_energy_use){ .bytes = loaded };
	if (!accel->has_energy)
		return true;
	for (int i = 0; i < lower->ngemms && fits; i++)
		fits = use_product(accel, lower, &lower->gemms[i], use);
	/* What is cut by bytes reads once what was filled in. */
	if (lower->ngemms == 0)
		fits = tally(&use->bytes, loaded, 1);
	if (!fits)
		return sf_fail(
		    error, "bytes to and from the buffer pass 2^63 - 1");
	return use_macs(accel, lower->type, macs, use, error);
}

bool
sf_energy_use_add(
    struct sf_energy_use *to, const struct sf_energy_use *use, int64_t times)
{
	for (int i = 0; i < SF_ENERGY_MACS; i++)
		if (!tally(&to->macs[i], use->macs[i], times))
			return false;
	return tally(&to->bytes, use->bytes, times) &&
	    tally(&to->row_bytes, use->row_bytes, times) &&
	    tally(&to->col_bytes, use->col_bytes, times) &&
	    tally(&to->updates, use->updates, times) &&
	    tally(&to->row_updates, use->row_updates, times);
}

/* ---- in all ---- */

static const double pico = 1e-12;
static const double unknown = -1;

double
sf_energy_at_size(double x, double ref, double size)
{
	return ref != 0 ? x * sqrt(size / ref) : x;
}

/* COUNT times EACH, in pJ; unknown without a coefficient. */
static double
joules(double count, double each, double *total)
{
	double j = count * each * pico;

	if (each == 0)
		return unknown;
	*total = *total < 0 ? j : *total + j;
	return j;
}

/* Partial sums are in the accumulator, or in the buffer where there is none. */
static double
acc_size(const struct sf_accel *a)
{
	return (double)(a->acc_bytes != 0 ? a->acc_bytes : a->buffer_bytes);
}

struct sf_joules
sf_energy_joules(const struct sf_accel *a, const struct sf_energy_use *use,
    double bytes, double makespan_s)
{
	const struct sf_energy *e = &a->energy;
	struct sf_joules j = { .total = unknown };
	double rows = (double)a->array_rows, cols = (double)a->array_cols;
	double macs = 0;

	for (int i = 0; i < SF_ENERGY_MACS; i++)
		macs += (double)use->macs[i] * mac_pj(e, i);
	j.mac = joules(macs, has_macs(e), &j.total);
	j.buffer = joules((double)use->bytes + (double)use->row_bytes / rows +
		(double)use->col_bytes / cols,
	    sf_energy_at_size(e->buffer_pj_per_byte.value,
		e->buffer_ref_bytes.value, (double)a->buffer_bytes),
	    &j.total);
	j.accumulator =
	    joules((double)use->updates + (double)use->row_updates / rows,
		sf_energy_at_size(
		    e->acc_pj.value, e->acc_ref_bytes.value, acc_size(a)),
		&j.total);
	j.dram = joules(bytes, e->dram_pj_per_byte.value, &j.total);
	j.fixed = joules(makespan_s / pico, e->static_w.value, &j.total);
	return j;
}

/* The same of areas. */
static double
area(double count, double each, double *total)
{
	if (each == 0)
		return unknown;
	*total = *total < 0 ? count * each : *total + count * each;
	return count * each;
}

struct sf_square_mm
sf_area_of(const struct sf_accel *a)
{
	struct sf_square_mm mm2 = { .total = unknown };
	double cores = a->cores > 1 ? (double)a->cores : 1;
	double pes = cores * (double)a->arrays * (double)a->array_rows *
	    (double)a->array_cols;

	mm2.array = area(pes, a->area.pe_mm2.value, &mm2.total);
	mm2.buffer = area(cores * (double)a->buffer_bytes / 1024,
	    a->area.buffer_mm2_per_kib.value, &mm2.total);
	mm2.accumulator = area(cores * (double)a->acc_bytes / 1024,
	    a->area.acc_mm2_per_kib.value, &mm2.total);
	return mm2;
}
