/* Fitting a roofline to measured times. */
#include "calibrate/fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

enum {
	MOST_RIDGES = 24,
	MOST_ROUNDS = 200,
};

/* A deviation below this share of the time is taken for it. */
#define LEAST_DEVIATION 1e-7

/* Deviations that differ by less tell nothing: a share, and an amount. */
#define SAME_SHARE  0.05
#define SAME_AMOUNT 1e-6

double
sf_fit_time(const struct sf_fit *fit, double flops, double bytes)
{
	double compute_s = flops * fit->s_per_flop;
	double memory_s = bytes * fit->s_per_byte;

	return (compute_s >= memory_s ? compute_s : memory_s) + fit->call_s;
}

static double
deviation(const struct sf_fit *fit, const struct sf_sample *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(sf_fit_time(fit, v[i].flops, v[i].bytes) -
			   v[i].time_s) /
		    v[i].time_s;
	return sum / (double)n;
}

/* ---- three unknowns ---- */

/* Sums of a weighted least-squares problem; X is of unit scale. */
struct normal {
	double a[3][3], b[3];
};

/* Solves for the unknowns in SET; false when they are not independent. */
static bool
solve(const struct normal *s, unsigned set, double x[3])
{
	double m[3][4];
	int at[3], n = 0;

	for (int i = 0; i < 3; i++) {
		x[i] = 0;
		if ((set >> i & 1) != 0)
			at[n++] = i;
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			m[i][j] = s->a[at[i]][at[j]];
		m[i][n] = s->b[at[i]];
	}
	for (int i = 0; i < n; i++) {
		if (!(m[i][i] > 1e-12 * s->a[at[i]][at[i]]))
			return false;
		for (int k = i + 1; k < n; k++) {
			double f = m[k][i] / m[i][i];

			for (int j = i; j <= n; j++)
				m[k][j] -= f * m[i][j];
		}
	}
	for (int i = n - 1; i >= 0; i--) {
		double sum = m[i][n];

		for (int j = i + 1; j < n; j++)
			sum -= m[i][j] * x[at[j]];
		x[at[i]] = sum / m[i][i];
	}
	return true;
}

/* The best of all solutions that are not negative: a set that is not needed
 * less is tried without it. */
static void
solve_positive(const struct normal *s, unsigned set, double best[3])
{
	double least = 0;

	best[0] = best[1] = best[2] = 0;
	for (unsigned sub = set; sub != 0; sub = (sub - 1) & set) {
		double x[3], value = 0;

		if (!solve(s, sub, x) || x[0] < 0 || x[1] < 0 || x[2] < 0)
			continue;
		/* At a solution the sum of squares is that of nothing less b x. */
		for (int i = 0; i < 3; i++)
			value -= s->b[i] * x[i];
		if (value < least) {
			least = value;
			for (int i = 0; i < 3; i++)
				best[i] = x[i];
		}
	}
}

/* ---- one ridge ---- */

struct problem {
	const struct sf_sample *v;
	size_t n;
	unsigned terms;
	double unit[3]; /* the largest FLOPs, bytes and time: scales */
	double ridge;   /* FLOPs a byte */
};

/* What multiplies each unknown in sample I, in units. */
static void
row(const struct problem *p, const struct sf_sample *s, double x[3])
{
	bool compute = (p->terms & SF_FIT_FLOPS) != 0 &&
	    ((p->terms & SF_FIT_BYTES) == 0 || s->flops > p->ridge * s->bytes);

	x[0] = compute ? s->flops / p->unit[0] : 0;
	x[1] = compute ? 0 : s->bytes / p->unit[1];
	x[2] = 1;
	for (int i = 0; i < 3; i++)
		if ((p->terms >> i & 1) == 0)
			x[i] = 0;
}

static void
add_row(struct normal *s, const double x[3], double y, double weight)
{
	for (int i = 0; i < 3; i++) {
		s->b[i] += weight * x[i] * y;
		for (int j = 0; j < 3; j++)
			s->a[i][j] += weight * x[i] * x[j];
	}
}

static struct sf_fit
fit_ridge(const struct problem *p)
{
	double now[3] = { 0 }, next[3], change = 1;
	struct sf_fit fit = { .terms = p->terms };

	for (int round = 0; round < MOST_ROUNDS && change > 1e-10; round++) {
		struct normal s = { .b = { 0 } };

		for (size_t i = 0; i < p->n; i++) {
			double y = p->v[i].time_s / p->unit[2], x[3], off;

			row(p, &p->v[i], x);
			off = fabs(x[0] * now[0] + x[1] * now[1] +
				  x[2] * now[2] - y) /
			    y;
			if (round == 0)
				off = 1;
			if (off < LEAST_DEVIATION)
				off = LEAST_DEVIATION;
			add_row(&s, x, y, 1 / (y * y * off));
		}
		solve_positive(&s, p->terms, next);
		change = 0;
		for (int i = 0; i < 3; i++) {
			double step =
			    fabs(next[i] - now[i]) / (fabs(next[i]) + DBL_MIN);

			change = step > change ? step : change;
			now[i] = next[i];
		}
	}
	fit.s_per_flop = now[0] * p->unit[2] / p->unit[0];
	fit.s_per_byte = now[1] * p->unit[2] / p->unit[1];
	fit.call_s = now[2] * p->unit[2];
	fit.deviation = deviation(&fit, p->v, p->n);
	return fit;
}

/* ---- ridges ---- */

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Some of the FLOPs a byte that samples have, spread over all, ascending. */
static size_t
ridges_of(const struct sf_sample *v, size_t n, double out[MOST_RIDGES])
{
	double *all = sf_reallocarray(NULL, n, sizeof *all);
	size_t distinct = 0, kept = 0;

	for (size_t i = 0; i < n; i++)
		all[i] = v[i].bytes > 0 ? v[i].flops / v[i].bytes
		    : v[i].flops > 0    ? DBL_MAX
					: 0;
	qsort(all, n, sizeof *all, compare_doubles);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || all[i] != all[distinct - 1])
			all[distinct++] = all[i];
	for (size_t i = 0; i < MOST_RIDGES; i++) {
		size_t at = distinct <= MOST_RIDGES
		    ? i
		    : i * (distinct - 1) / (MOST_RIDGES - 1);

		if (at < distinct)
			out[kept++] = all[at];
	}
	free(all);
	return kept;
}

struct sf_fit
sf_fit_terms(const struct sf_sample *v, size_t n, unsigned terms)
{
	struct problem p = { .v = v,
		.n = n,
		.terms = terms,
		.unit = { DBL_MIN, DBL_MIN, DBL_MIN } };
	bool both = (terms & SF_FIT_FLOPS) != 0 && (terms & SF_FIT_BYTES) != 0;
	double ridges[MOST_RIDGES];
	struct sf_fit best = { .deviation = DBL_MAX };
	size_t nridges;

	for (size_t i = 0; i < n; i++) {
		p.unit[0] = fmax(p.unit[0], v[i].flops);
		p.unit[1] = fmax(p.unit[1], v[i].bytes);
		p.unit[2] = fmax(p.unit[2], v[i].time_s);
	}
	if (!both)
		return fit_ridge(&p);
	nridges = ridges_of(v, n, ridges);
	/* Before all: every call is bound by its arithmetic. */
	p.ridge = -1;
	for (size_t i = 0; i <= nridges; i++) {
		struct sf_fit fit = fit_ridge(&p);

		if (fit.deviation < best.deviation)
			best = fit;
		if (i < nridges)
			p.ridge = ridges[i];
	}
	best.terms = terms;
	return best;
}

/* ---- which terms ---- */

static int
size_of(unsigned terms)
{
	return __builtin_popcount(terms);
}

/* Whether X is hardly above LEAST. */
static bool
is_as_good(double x, double least)
{
	return x <= least * (1 + SAME_SHARE) + SAME_AMOUNT;
}

/* A term that comes out as nothing is none. */
static unsigned
terms_there(const struct sf_fit *fit)
{
	return (fit->s_per_flop > 0 ? SF_FIT_FLOPS : 0u) |
	    (fit->s_per_byte > 0 ? SF_FIT_BYTES : 0u) |
	    (fit->call_s > 0 ? SF_FIT_CALL : 0u);
}

struct sf_fit
sf_fit(const struct sf_sample *v, size_t n, unsigned allowed)
{
	struct sf_fit fits[SF_FIT_ALL + 1], best = { .deviation = DBL_MAX };
	double least = DBL_MAX;
	int size = 3;
	unsigned any = 0, every = SF_FIT_ALL;

	for (unsigned t = 1; t <= SF_FIT_ALL; t++) {
		fits[t].deviation = DBL_MAX;
		if ((t & ~allowed) == 0)
			fits[t] = sf_fit_terms(v, n, t);
		least = fmin(least, fits[t].deviation);
	}
	for (unsigned t = 1; t <= SF_FIT_ALL; t++)
		if (is_as_good(fits[t].deviation, least) && size_of(t) < size)
			size = size_of(t);
	for (unsigned t = 1; t <= SF_FIT_ALL; t++) {
		if (size_of(t) != size || !is_as_good(fits[t].deviation, least))
			continue;
		any |= terms_there(&fits[t]);
		every &= terms_there(&fits[t]);
		if (fits[t].deviation < best.deviation)
			best = fits[t];
	}
	best.open = any & ~every;
	best.terms = every;
	/* The others would stand for what is open, too. */
	if (best.open != 0)
		best = (struct sf_fit){ .open = best.open,
			.deviation = best.deviation };
	return best;
}
