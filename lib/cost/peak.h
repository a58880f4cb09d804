/*
 * Peaks by element type: how fast a device multiplies depends on what it
 * multiplies. The type of an operator is the widest of what its products
 * multiply, as its `gemms` say; one without products has none and is costed at
 * peak_flops.
 */
#ifndef SF_COST_PEAK_H
#define SF_COST_PEAK_H

#include "base/decl.h"
#include "cost/device.h"
#include "cost/origin.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

enum sf_precision {
#define SF_PEAK(id, name, wider) SF_PEAK_##id,
#define SF_PEAK_FLOPS(id, name)  SF_PEAK_##id,
#include "cost/peak.def"
#undef SF_PEAK
#undef SF_PEAK_FLOPS
	SF_PEAK_COUNT,
	SF_PEAK_NONE = SF_PEAK_COUNT /* of what has no products */
};

/* "i4", ..., "f64", NULL. */
extern const char *const sf_peak_names[];

/*
 * The type that products of elements of DTYPE run in, SF_PEAK_NONE of a string.
 * Integers of more than 8 bits are exact in F32 or F64 and are taken as that.
 */
enum sf_precision sf_peak_of_dtype(enum sf_dtype dtype);

/* False when it has one peak, whatever is multiplied. */
bool sf_device_has_peaks(const struct sf_device *device);

/*
 * FLOP/s of the device for TYPE. *USED is TYPE where the device has a peak for
 * it, or one for all; else the next wider type that has one, of F16 and BF16 the
 * faster, or the widest that has where none is wider.
 */
double sf_device_peak(const struct sf_device *device, enum sf_precision type,
    enum sf_precision *used);

/*
 * The type of OP, which was read from the current record. ORIGINS: a product of
 * what was only widened is of the type that it had before; NULL: it is of the
 * type that it has. Dies when `gemms` are not as they must be.
 */
enum sf_precision sf_op_peak(struct sf_stream *stream, const struct sf_op *op,
    const struct sf_origins *origins);

/* The peaks that a device has of its own; 0 where it has none of a type. */
void sf_device_own_peaks(
    const struct sf_device *device, double peaks[SF_AT_LEAST(SF_PEAK_COUNT)]);

/*
 * Seconds of FLOPS, of which AT_PEAK were costed at the peak of each type, at
 * FLOPS_PER_S where that is PEAK_FLOPS: each at the rate of its type; one
 * division where they have one rate.
 */
double sf_peaks_compute_s(const double *peaks, double peak_flops,
    double flops_per_s, int64_t flops, const int64_t *at_peak);

SF_PUBLIC_END

#endif
