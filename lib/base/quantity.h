/*
 * Numbers with units, as users write sizes and rates: "512KiB", "25.6GB/s",
 * "100ns", "1GHz", "64".
 */
#ifndef SF_BASE_QUANTITY_H
#define SF_BASE_QUANTITY_H

#include "base/buf.h"
#include "base/decl.h"
#include "base/error.h"

SF_PUBLIC_BEGIN

enum sf_unit {
	SF_UNIT_NONE,        /* a plain number */
	SF_UNIT_BYTES,       /* B kB MB GB TB KiB MiB GiB TiB; plain: bytes */
	SF_UNIT_BYTES_PER_S, /* the same with "/s" */
	SF_UNIT_S,           /* s ms us ns ps; plain: seconds */
	SF_UNIT_HZ,          /* Hz kHz MHz GHz; plain: hertz */
	SF_UNIT_FLOPS,       /* FLOP/s GFLOP/s TFLOP/s PFLOP/s; plain */
};

/*
 * Reads all of TEXT as a quantity of UNIT in its base unit. On failure fills
 * *ERROR with what was found and which units are known, and returns false.
 */
bool sf_quantity_parse(
    const char *text, enum sf_unit unit, double *out, struct sf_error *error);

/* Two quantities; both are NAN where nothing is said. */
struct sf_span {
	double from, to;
};

/* Reads "FROM,TO", each as above; FROM must be less than TO. */
bool sf_span_parse(const char *text, enum sf_unit unit, struct sf_span *out,
    struct sf_error *error);

/*
 * Writes X, of UNIT, as the shortest text that reads back to the same double,
 * with a blank before the unit: "25.6 GB/s", "2 MiB", "100 ns".
 */
void sf_quantity_format(struct sf_buf *out, double x, enum sf_unit unit);

/* Whether TEXT, which is a quantity, has no unit behind its number. */
bool sf_quantity_is_plain(const char *text);

/* How the base unit is spelt behind a number: "B", "B/s", "FLOP/s", "". */
const char *sf_unit_symbol(enum sf_unit unit);

/* The units that a quantity of UNIT may have, SEPARATOR between them. */
void sf_unit_list(enum sf_unit unit, const char *separator, struct sf_buf *out);

/* The name of the base unit: "bytes", "bytes/s", "s", "Hz", "FLOP/s", "". */
const char *sf_unit_name(enum sf_unit unit);

SF_PUBLIC_END

#endif
