/*
 * What a device asks for an operator: its rates by category and by the type
 * that products multiply, and how often a type had no peak of its own.
 */
#ifndef SF_COST_TARIFF_H
#define SF_COST_TARIFF_H

#include "base/decl.h"
#include "cost/peak.h"
#include "cost/roofline.h"

SF_PUBLIC_BEGIN

struct sf_tariff {
	const struct sf_device *device;
	bool typed; /* it has more than one peak */
	struct sf_rates rates[SF_CAT_COUNT][SF_PEAK_COUNT + 1];
	enum sf_precision used[SF_PEAK_COUNT + 1];
	int64_t missed[SF_PEAK_COUNT + 1]; /* operators, by their type */
};

void sf_tariff_init(
    struct sf_tariff *tariff, const struct sf_device *device, int64_t devices);

/*
 * The rates for an operator of that category and type, which is counted in
 * MISSED when another type's peak is used. *USED is that type.
 */
struct sf_rates sf_tariff_of(struct sf_tariff *tariff,
    enum sf_category category, enum sf_precision type, enum sf_precision *used);

/*
 * Appends "device 'a100' has no peak of f8: 3 operators costed at that of bf16",
 * the next such sentence from *TYPE on, and forgets it; false when there is none.
 */
bool sf_tariff_complain(
    struct sf_tariff *tariff, enum sf_precision *type, struct sf_buf *text);

SF_PUBLIC_END

#endif
