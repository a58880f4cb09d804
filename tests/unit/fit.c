/* The fit of a roofline, on calls whose truth is known. */
#include <math.h>
#include <stdint.h>

#include "calibrate/fit.h"
#include "check.h"

enum {
	MOST = 400
};

static uint64_t state = 1;

/* In [0, 1). */
static double
uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(state >> 11) / 9007199254740992.0;
}

static bool
near(double x, double want, double share)
{
	return fabs(x - want) <= share * fabs(want);
}

/* N calls of sizes over six decades, with intensities around RIDGE. */
static void
make(struct sf_sample *v, size_t n, const struct sf_fit *truth, double ridge)
{
	for (size_t i = 0; i < n; i++) {
		v[i].bytes = pow(10, 3 + 6 * uniform());
		v[i].flops = v[i].bytes * ridge * pow(10, 2 * uniform() - 1);
		v[i].time_s = sf_fit_time(truth, v[i].flops, v[i].bytes);
	}
}

/* What was put in comes out, to nine digits, whatever the terms. */
static void
test_exact(void)
{
	for (int i = 0; i < 60; i++) {
		struct sf_fit truth = {
			.s_per_flop = pow(10, -14 + 3 * uniform()),
			.s_per_byte = pow(10, -12 + 2 * uniform()),
			.call_s = i % 3 == 0 ? 0 : pow(10, -7 + uniform()),
		};
		struct sf_sample v[MOST];
		struct sf_fit fit;

		make(v, MOST, &truth, truth.s_per_byte / truth.s_per_flop);
		fit = sf_fit(v, MOST, SF_FIT_ALL);
		CHECK(fit.open == 0);
		CHECK(near(fit.s_per_flop, truth.s_per_flop, 1e-3));
		CHECK(near(fit.s_per_byte, truth.s_per_byte, 1e-3));
		CHECK(i % 3 == 0 || near(fit.call_s, truth.call_s, 1e-2));
		CHECK(fit.deviation < 1e-2);
	}
}

/* With one term the solution is a weighted median of the rates. */
static void
test_median(void)
{
	static const double rates[] = { 1, 2, 4, 8, 100 };
	struct sf_sample v[5];
	struct sf_fit fit;
	double least = 1e9, at = 0;

	for (int i = 0; i < 5; i++)
		v[i] =
		    (struct sf_sample){ .bytes = 10, .time_s = 10 * rates[i] };
	/* The least sum of |r - y| / y lies at one of the rates. */
	for (int i = 0; i < 5; i++) {
		double sum = 0;

		for (int k = 0; k < 5; k++)
			sum += fabs(rates[i] - rates[k]) / rates[k];
		if (sum < least) {
			least = sum;
			at = rates[i];
		}
	}
	fit = sf_fit_terms(v, 5, SF_FIT_BYTES);
	CHECK(near(fit.s_per_byte, at, 1e-4));
	CHECK(near(fit.deviation, least / 5, 1e-4));
}

/* A fifth of the calls took up to a hundred times as long. */
static void
test_outliers(void)
{
	const struct sf_fit truth = {
		.s_per_flop = 1e-13, .s_per_byte = 1e-11, .call_s = 3e-6
	};
	struct sf_sample v[MOST];
	struct sf_fit fit;

	make(v, MOST, &truth, 100);
	for (size_t i = 0; i < MOST; i += 5)
		v[i].time_s *= 2 + 98 * uniform();
	fit = sf_fit(v, MOST, SF_FIT_ALL);
	CHECK(fit.terms == SF_FIT_ALL);
	CHECK(near(fit.s_per_flop, 1e-13, 0.02));
	CHECK(near(fit.s_per_byte, 1e-11, 0.02));
	CHECK(near(fit.call_s, 3e-6, 0.02));
}

/* What the calls do not say is not said. */
static void
test_open(void)
{
	struct sf_sample v[MOST];
	struct sf_fit fit;

	/* All of one size. */
	for (size_t i = 0; i < MOST; i++)
		v[i] = (struct sf_sample){ 1e9, 1e6,
			1e-3 * (1 + 0.01 * uniform()) };
	fit = sf_fit(v, MOST, SF_FIT_ALL);
	CHECK(fit.terms == 0);
	CHECK(fit.open == SF_FIT_ALL);
	/* FLOPs are a multiple of the bytes: which of them, nobody knows. */
	for (size_t i = 0; i < MOST; i++) {
		v[i].bytes = pow(10, 3 + 6 * uniform());
		v[i].flops = v[i].bytes / 8;
		v[i].time_s = v[i].bytes * 1e-11;
	}
	fit = sf_fit(v, MOST, SF_FIT_ALL);
	CHECK(fit.open == (SF_FIT_FLOPS | SF_FIT_BYTES));
	/* Unless one of them cannot be. */
	fit = sf_fit(v, MOST, SF_FIT_BYTES | SF_FIT_CALL);
	CHECK(fit.terms == SF_FIT_BYTES && fit.open == 0);
	CHECK(near(fit.s_per_byte, 1e-11, 1e-6));
	/* Nothing but calls. */
	for (size_t i = 0; i < MOST; i++)
		v[i].time_s = 5e-6;
	fit = sf_fit(v, MOST, SF_FIT_ALL);
	CHECK(fit.terms == SF_FIT_CALL && near(fit.call_s, 5e-6, 1e-6));
}

int
main(void)
{
	test_exact();
	test_median();
	test_outliers();
	test_open();
	return 0;
}
