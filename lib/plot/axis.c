/* Axes and their marks. */
#include "plot/axis.h"

#include <math.h>
#include <stddef.h>

double
sf_axis_place(const struct sf_axis *axis, double value)
{
	if (axis->log)
		return axis->at +
		    axis->size * log(value / axis->from) /
		    log(axis->to / axis->from);
	return axis->at +
	    axis->size * (value - axis->from) / (axis->to - axis->from);
}

double
sf_round_up(double x)
{
	static const double round[] = { 1, 2, 5 };
	double power = pow(10, floor(log10(x)));

	/* A step that is a hair above the round number is the round number. */
	for (size_t i = 0; i < 3; i++)
		if (x <= round[i] * power * (1 + 1e-9))
			return round[i] * power;
	return 10 * power;
}

static struct sf_ticks
marks(double from, double to, double step)
{
	return (struct sf_ticks){ .step = step,
		.first = (int64_t)ceil(from / step - 1e-9),
		.last = (int64_t)floor(to / step + 1e-9) };
}

struct sf_ticks
sf_ticks_decimal(double from, double to, int most)
{
	return marks(from, to, sf_round_up((to - from) / (most - 1)));
}

struct sf_ticks
sf_ticks_binary(double from, double to, int most)
{
	return marks(
	    from, to, exp2(ceil(log2((to - from) / (most - 1)) - 1e-9)));
}

struct sf_tick_unit
sf_tick_time(double max_s)
{
	if (max_s >= 1)
		return (struct sf_tick_unit){ "s", 1 };
	if (max_s >= 1e-3)
		return (struct sf_tick_unit){ "ms", 1e-3 };
	if (max_s >= 1e-6)
		return (struct sf_tick_unit){ "us", 1e-6 };
	return (struct sf_tick_unit){ "ns", 1e-9 };
}

struct sf_tick_unit
sf_tick_bytes(double max)
{
	static const char *const names[] = { "bytes", "KiB", "MiB", "GiB",
		"TiB" };
	int i = 0;

	while (i < 4 && max >= exp2(10 * (i + 1)))
		i++;
	return (struct sf_tick_unit){ names[i], exp2(10 * i) };
}

/* How many decimals show STEP exactly, if nine do. */
static int
decimals_of(double step)
{
	int decimals = 0;

	while (
	    decimals < 9 && fabs(step - nearbyint(step)) > 1e-6 * fabs(step)) {
		step *= 10;
		decimals++;
	}
	return decimals;
}

void
sf_tick_label(struct sf_buf *out, const struct sf_ticks *ticks, int64_t mark,
    struct sf_tick_unit unit)
{
	double step = ticks->step / unit.size;

	sf_buf_printf(out, "%.*f", decimals_of(step), (double)mark * step);
}
