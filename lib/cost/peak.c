/* Peaks by element type. */
#include "cost/peak.h"

#include <stddef.h>

const char *const sf_peak_names[] = {
#define SF_PEAK(id, name, wider) [SF_PEAK_##id] = #name,
#define SF_PEAK_FLOPS(id, name)  [SF_PEAK_##id] = #name,
#include "cost/peak.def"
#undef SF_PEAK
#undef SF_PEAK_FLOPS
	[SF_PEAK_COUNT] = NULL,
};

/* Where the peak is in a device, and whose is taken where it has none. */
static const struct {
	size_t at;
	enum sf_precision wider;
} rows[SF_PEAK_COUNT] = {
#define SF_PEAK(id, name, wider)                                    \
	[SF_PEAK_##id] = { offsetof(struct sf_device, peak_##name), \
		SF_PEAK_##wider },
#define SF_PEAK_FLOPS(id, name) \
	[SF_PEAK_##             \
	    id] = { offsetof(struct sf_device, peak_flops), SF_PEAK_##id },
#include "cost/peak.def"
#undef SF_PEAK
#undef SF_PEAK_FLOPS
};

enum sf_precision
sf_peak_of_dtype(enum sf_dtype dtype)
{
	switch (dtype) {
	case SF_DT_BF16:
		return SF_PEAK_BF16;
	case SF_DT_F16:
	case SF_DT_C32:
		return SF_PEAK_F16;
	case SF_DT_F32:
	case SF_DT_C64:
	case SF_DT_I16:
	case SF_DT_U16:
		return SF_PEAK_F32;
	case SF_DT_F64:
	case SF_DT_C128:
	case SF_DT_I32:
	case SF_DT_U32:
	case SF_DT_I64:
	case SF_DT_U64:
		return SF_PEAK_F64;
	case SF_DT_F8E4M3FN:
	case SF_DT_F8E4M3FNUZ:
	case SF_DT_F8E5M2:
	case SF_DT_F8E5M2FNUZ:
	case SF_DT_F8E8M0FNU:
		return SF_PEAK_F8;
	case SF_DT_F4E2M1FN:
	case SF_DT_F4E2M1FNX2:
		return SF_PEAK_F4;
	case SF_DT_I8:
	case SF_DT_U8:
	case SF_DT_B8:
		return SF_PEAK_I8;
	case SF_DT_I4:
	case SF_DT_U4:
	case SF_DT_I2:
	case SF_DT_U2:
		return SF_PEAK_I4;
	case SF_DT_STR:
	case SF_DT_UNKNOWN:
		break;
	}
	return SF_PEAK_NONE;
}

/* FLOP/s, 0 where it has none. */
static double
own(const struct sf_device *d, enum sf_precision type)
{
	return *(const double *)(const void *)((const char *)d + rows[type].at);
}

bool
sf_device_has_peaks(const struct sf_device *d)
{
	for (int i = 0; i < SF_PEAK_COUNT; i++)
		if (i != SF_PEAK_BF16 && own(d, (enum sf_precision)i) != 0)
			return true;
	return false;
}

double
sf_device_peak(
    const struct sf_device *d, enum sf_precision type, enum sf_precision *used)
{
	*used = type;
	if (type == SF_PEAK_NONE || !sf_device_has_peaks(d))
		return d->peak_flops;
	while (own(d, *used) == 0 && rows[*used].wider != *used)
		*used = rows[*used].wider;
	if (*used == SF_PEAK_F16 && type != SF_PEAK_F16 &&
	    own(d, SF_PEAK_BF16) > own(d, SF_PEAK_F16))
		*used = SF_PEAK_BF16; /* holds the narrower as well */
	/* Nothing is wider: then what comes nearest. */
	while (own(d, *used) == 0)
		(*used)--;
	return own(d, *used);
}

/* The type of input I, SF_PEAK_NONE of none. */
static enum sf_precision
type_of(const struct sf_op *op, int64_t i, const struct sf_origins *origins)
{
	const struct sf_tensor *t;

	if (i < 0 || i >= op->ninputs || op->inputs[i].absent)
		return SF_PEAK_NONE;
	t = &op->inputs[i];
	return sf_peak_of_dtype(
	    origins != NULL ? sf_origin_of(origins, t) : t->dtype);
}

static enum sf_precision
wider(enum sf_precision a, enum sf_precision b)
{
	if (a == SF_PEAK_NONE || b == SF_PEAK_NONE)
		return a == SF_PEAK_NONE ? b : a;
	return a > b ? a : b;
}

enum sf_precision
sf_op_peak(struct sf_stream *stream, const struct sf_op *op,
    const struct sf_origins *origins)
{
	const struct sf_place place = sf_op_place(op);
	enum sf_precision type = SF_PEAK_NONE;
	struct sf_products products;

	if (op->gemms.n == 0)
		return SF_PEAK_NONE;
	sf_products_read(stream, op->gemms, &place, op->ninputs, &products);
	for (int i = 0; i < products.n; i++) {
		type = wider(type, type_of(op, products.v[i].a, origins));
		type = wider(type, type_of(op, products.v[i].b, origins));
	}
	/* Of intermediate results alone: of what they were made from. */
	for (int i = 0;
	     i < op->ninputs && products.n != 0 && type == SF_PEAK_NONE; i++)
		type = type_of(op, i, origins);
	return type;
}

void
sf_device_own_peaks(
    const struct sf_device *device, double peaks[static SF_PEAK_COUNT])
{
	for (int i = 0; i < SF_PEAK_COUNT; i++) {
		enum sf_precision used;
		double flops =
		    sf_device_peak(device, (enum sf_precision)i, &used);

		peaks[i] = used == (enum sf_precision)i ? flops : 0;
	}
}

double
sf_peaks_compute_s(const double *peaks, double peak_flops, double flops_per_s,
    int64_t flops, const int64_t *at_peak)
{
	int64_t rest = flops;
	double s = 0;

	for (int i = 0; i < SF_PEAK_COUNT; i++) {
		if (at_peak[i] == 0 || peaks[i] == 0 || peaks[i] == peak_flops)
			continue;
		rest -= at_peak[i];
		s += (double)at_peak[i] /
		    (flops_per_s * (peaks[i] / peak_flops));
	}
	return (double)rest / flops_per_s + s;
}
