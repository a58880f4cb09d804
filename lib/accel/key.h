/* The rows of key.def as data, for setting, reading and writing them. */
#ifndef SF_ACCEL_KEY_H
#define SF_ACCEL_KEY_H

#include <stddef.h>

#include "base/quantity.h"

enum sf_accel_type {
	SF_ACCEL_T_REAL,
	SF_ACCEL_T_INT,
	SF_ACCEL_T_OFF,
	SF_ACCEL_T_WORDS,
	SF_ACCEL_T_FLAG,
};

struct sf_accel_key {
	const char *name;
	enum sf_accel_type type;
	enum sf_unit unit;
	size_t offset; /* in struct sf_accel */
	double least, most;
	const char *fallback; /* NULL: required */
};

enum {
#define SF_ACCEL_KEY(name, type, unit, least, most, fallback, meaning) \
	SF_ACCEL_KEY_##name,
#include "accel/key.def"
#undef SF_ACCEL_KEY
	SF_ACCEL_NKEYS
};

extern const struct sf_accel_key sf_accel_keys[SF_ACCEL_NKEYS];

#endif
