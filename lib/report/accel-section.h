/* What the accelerator's section gathers and what follows from it. */
#ifndef SF_REPORT_ACCEL_SECTION_H
#define SF_REPORT_ACCEL_SECTION_H

#include "accel/accel.h"
#include "report/histogram.h"
#include "report/section.h"
#include "report/summary.h"
#include "report/top.h"

struct sf_accel_report {
	bool lowered;           /* there is an accel record */
	struct sf_accel accel;  /* it */
	struct sf_pairs params; /* its members */
	bool simulated;         /* there is a summary */
	struct sf_summary summary;
	struct sf_top top;
	struct sf_buf spans; /* a double a simulated operator */
	int64_t compute_bound, memory_bound;
	int64_t tiled_bytes;           /* of all simulated operators */
	struct sf_histogram histogram; /* once all is read */
};

/* A member of the summary that is there. */
static inline double
sf_accel_number(const struct sf_accel_report *a, enum sf_summary_id id)
{
	return a->summary.v[id].d;
}

static inline int64_t
sf_accel_count(const struct sf_accel_report *a, enum sf_summary_id id)
{
	return a->summary.v[id].i;
}

/*
 * Ratios; each returns false when it is no finite number: a time's share of the
 * makespan; FLOP/s, a multiply-add being two FLOPs; the bytes that tiles moved
 * over the operators' own.
 */
bool sf_accel_share(const struct sf_accel_report *a, double x_s, double *out);
bool sf_accel_flops_per_s(const struct sf_accel_report *a, double *out);
bool sf_accel_traffic(const struct sf_accel_report *a,
    const struct sf_totals *totals, double *out);

/* Writing the section, see struct sf_section. */
void sf_accel_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_accel_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
