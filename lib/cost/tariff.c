/* The rates of a device by category and type. */
#include "cost/tariff.h"

#include "base/buf.h"

void
sf_tariff_init(
    struct sf_tariff *t, const struct sf_device *device, int64_t devices)
{
	*t = (struct sf_tariff){ .device = device,
		.typed = sf_device_has_peaks(device) };
	for (int p = 0; p <= SF_PEAK_COUNT; p++) {
		double flops =
		    sf_device_peak(device, (enum sf_precision)p, &t->used[p]);

		for (int c = 0; c < SF_CAT_COUNT; c++)
			t->rates[c][p] = sf_device_rates_at(
			    device, devices, (enum sf_category)c, flops);
	}
}

struct sf_rates
sf_tariff_of(struct sf_tariff *t, enum sf_category category,
    enum sf_precision type, enum sf_precision *used)
{
	*used = t->used[type];
	t->missed[type] += *used != type;
	return t->rates[category][type];
}

bool
sf_tariff_complain(
    struct sf_tariff *t, enum sf_precision *type, struct sf_buf *text)
{
	int p = (int)*type;

	while (p < SF_PEAK_COUNT && t->missed[p] == 0)
		p++;
	*type = (enum sf_precision)p;
	if (p == SF_PEAK_COUNT)
		return false;
	sf_buf_printf(text,
	    "device '%s' has no peak of %s: %lld operator%s costed at that "
	    "of %s",
	    t->device->name, sf_peak_names[p], (long long)t->missed[p],
	    t->missed[p] == 1 ? "" : "s", sf_peak_names[t->used[p]]);
	t->missed[p] = 0;
	return true;
}
