/*
 * Numbers as people read them, by one rule: thousands in groups of three; one
 * unit for all times of a report, which its longest chooses, and one for the
 * bytes or the operations of a column; the decimals of that unit, or two digits
 * of what they do not show, within nine decimals, so that what is not zero is not
 * printed as zero.
 *
 * Ratios of integers are computed in integers and rounded half to even; doubles
 * are rounded by printf, which rounds the exact binary value half to even.
 */
#ifndef SF_TEXT_HUMAN_H
#define SF_TEXT_HUMAN_H

#include <stdint.h>

#include "base/buf.h"

/* A unit to print in: how many base units it has, and the decimals shown. */
struct sf_scale {
	const char *unit;
	double size;
	int64_t whole; /* SIZE as an integer; 0 when it is a fraction */
	int decimals;
};

/* "1,234,567". */
void sf_human_int(struct sf_buf *out, int64_t x);

/* "1,234.57". X must be finite. */
void sf_human_double(struct sf_buf *out, double x, int decimals);

/* No number has more. */
enum {
	SF_HUMAN_DECIMALS = 9
};

/* NUM / DEN with that many DECIMALS, exactly; DEN > 0, NUM >= 0. */
void sf_human_ratio(struct sf_buf *out, int64_t num, int64_t den, int decimals);

/* "45.2 %" of two integers, or of a share in [0, 1]; "-" when DEN is 0. */
void sf_human_percent(struct sf_buf *out, int64_t num, int64_t den);
void sf_human_share(struct sf_buf *out, double share);

/*
 * The scale of times of which the longest is MAX: ns below 1 us, us below 0.1 s,
 * ms below 100 s, else s; so a latency of a tenth of a second is shown to 10 ns.
 * Of bytes, operations and rates alone: the largest decimal unit not above MAX.
 */
const struct sf_scale *sf_scale_time(double max_s);
const struct sf_scale *sf_scale_bytes(int64_t max);
const struct sf_scale *sf_scale_flops(int64_t max);
const struct sf_scale *sf_scale_rate(double max_flops_per_s);
/*
 * The scale of a column of operators, whose heading has the unit: the largest
 * not above the SUM, and at most MB or GFLOP, with one decimal.
 */
const struct sf_scale *sf_scale_column_bytes(int64_t sum);
const struct sf_scale *sf_scale_column_flops(int64_t sum);

/* "104.44", under a heading that has the unit; X >= 0 when it is an integer. */
void sf_human_amount(struct sf_buf *out, double x, const struct sf_scale *s);
void
sf_human_amount_int(struct sf_buf *out, int64_t x, const struct sf_scale *s);

/* "104.44 us", "1.21 MB". */
void sf_human_scaled(struct sf_buf *out, double x, const struct sf_scale *s);
void
sf_human_scaled_int(struct sf_buf *out, int64_t x, const struct sf_scale *s);

#endif
