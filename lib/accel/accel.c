/* The parameters of the block: setting, checking, and durations. */
#include "accel/accel.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "accel/key.h"
#include "base/num.h"

const struct sf_accel_key sf_accel_keys[SF_ACCEL_NKEYS] = {
#define SF_ACCEL_KEY(name, type, unit, least, most, fallback, meaning) \
	{ #name, SF_ACCEL_T_##type, SF_UNIT_##unit,                    \
		offsetof(struct sf_accel, name), least, most, fallback },
#include "accel/key.def"
#undef SF_ACCEL_KEY
};

static const struct sf_accel_key *
find_key(struct sf_str name, struct sf_error *error)
{
	char names[400] = "";

	for (int i = 0; i < SF_ACCEL_NKEYS; i++) {
		if (sf_str_is(name, sf_accel_keys[i].name))
			return &sf_accel_keys[i];
		strcat(names, i == 0 ? "" : ", ");
		strcat(names, sf_accel_keys[i].name);
	}
	sf_fail(error, "unknown key '%.*s', expected one of: %s",
	    (int)(name.n < 60 ? name.n : 60), name.p, names);
	return NULL;
}

static bool
fail_range(
    const struct sf_accel_key *key, const char *text, struct sf_error *error)
{
	const char *unit = sf_unit_name(key->unit);

	return sf_fail(error,
	    "%s is '%s', expected %s from %.16g to %.16g%s%s%s", key->name,
	    text, key->type == SF_ACCEL_T_INT ? "a whole number" : "a number",
	    key->least, key->most, unit[0] != '\0' ? " " : "", unit,
	    key->type == SF_ACCEL_T_OFF ? ", or 'off'" : "");
}

static bool
set_number(struct sf_accel *accel, const struct sf_accel_key *key,
    const char *text, struct sf_error *error)
{
	char *field = (char *)accel + key->offset;
	struct sf_error why;
	double x;

	if (key->type == SF_ACCEL_T_OFF && strcmp(text, "off") == 0)
		text = "0";
	if (!sf_quantity_parse(text, key->unit, &x, &why))
		return sf_fail(error, "%s: %s%s", key->name, why.text,
		    key->type == SF_ACCEL_T_OFF ? ", or 'off'" : "");
	if (key->type == SF_ACCEL_T_OFF && x == 0) {
		*(double *)(void *)field = 0;
		return true;
	}
	if (!(x >= key->least && x <= key->most))
		return fail_range(key, text, error);
	if (key->type != SF_ACCEL_T_INT) {
		*(double *)(void *)field = x;
		return true;
	}
	/* Every bound is below 2^53, so X holds the number exactly. */
	if (x != floor(x))
		return fail_range(key, text, error);
	*(int64_t *)(void *)field = (int64_t)x;
	return true;
}

static bool
set_flag(
    bool *field, const char *name, const char *text, struct sf_error *error)
{
	bool on = strcmp(text, "on") == 0 || strcmp(text, "true") == 0;
	bool off = strcmp(text, "off") == 0 || strcmp(text, "false") == 0;

	if (!on && !off)
		return sf_fail(
		    error, "%s is '%s', expected on or off", name, text);
	*field = on;
	return true;
}

/* A category that has work to do, which views and unknowns have not. */
static bool
has_work(enum sf_category category)
{
	return category != SF_CAT_COUNT && category != SF_CAT_VIEW &&
	    category != SF_CAT_UNKNOWN;
}

static bool
fail_category(const char *key, struct sf_str word, struct sf_error *error)
{
	char names[300] = "";

	for (int c = 0; c < SF_CAT_COUNT; c++)
		if (has_work((enum sf_category)c)) {
			strcat(names, names[0] == '\0' ? "" : ", ");
			strcat(names, sf_category_name((enum sf_category)c));
		}
	return sf_fail(error, "%s has '%.*s', expected some of: %s", key,
	    (int)(word.n < 60 ? word.n : 60), word.p, names);
}

static bool
set_words(
    uint32_t *field, const char *key, const char *text, struct sf_error *error)
{
	uint32_t set = 0;

	for (const char *p = text; *p != '\0';) {
		struct sf_str word = { p, strcspn(p, ",") };
		enum sf_category category = sf_category_parse(word);

		if (!has_work(category))
			return fail_category(key, word, error);
		set |= UINT32_C(1) << category;
		p += word.n;
		if (*p == ',' && *++p == '\0')
			return fail_category(key, sf_str_of(""), error);
	}
	*field = set;
	return true;
}

bool
sf_accel_set(struct sf_accel *accel, struct sf_str name, struct sf_str value,
    struct sf_error *error)
{
	const struct sf_accel_key *key = find_key(name, error);
	char text[256];
	char *field;
	bool done = false;

	if (key == NULL)
		return false;
	if (value.n >= sizeof text)
		return sf_fail(
		    error, "%s: a value of %zu bytes", key->name, value.n);
	snprintf(text, sizeof text, "%.*s", (int)value.n, value.p);
	field = (char *)accel + key->offset;
	switch (key->type) {
	case SF_ACCEL_T_REAL:
	case SF_ACCEL_T_INT:
	case SF_ACCEL_T_OFF:
		done = set_number(accel, key, text, error);
		break;
	case SF_ACCEL_T_WORDS:
		done = set_words(
		    (uint32_t *)(void *)field, key->name, text, error);
		break;
	case SF_ACCEL_T_FLAG:
		done = set_flag((bool *)(void *)field, key->name, text, error);
		break;
	}
	if (done)
		accel->seen |= UINT32_C(1) << (key - sf_accel_keys);
	return done;
}

static bool
derive(struct sf_accel *a, struct sf_error *error)
{
	double macs = (double)(a->array_rows * a->array_cols);

	a->channel_bw = a->dram_bw / (double)a->dram_channels;
	a->path_bw = a->channel_bw < a->noc_bw ? a->channel_bw : a->noc_bw;
	a->peak_macs = macs * a->clock_hz;
	a->tile_bytes =
	    (int64_t)floor((double)a->buffer_bytes * a->tile_fraction);
	a->second = a->quantise ? 1 / a->clock_hz : 1;
	if (a->tile_bytes < 1)
		return sf_fail(error,
		    "a tile_fraction of %g leaves no byte of a buffer of "
		    "%lld bytes to a tile",
		    a->tile_fraction, (long long)a->buffer_bytes);
	return true;
}

bool
sf_accel_finish(struct sf_accel *accel, struct sf_error *error)
{
	for (int i = 0; i < SF_ACCEL_NKEYS; i++) {
		const struct sf_accel_key *key = &sf_accel_keys[i];

		if ((accel->seen >> i & 1) != 0)
			continue;
		if (key->fallback == NULL)
			return sf_fail(error, "no '%s'", key->name);
		if (!sf_accel_set(accel, sf_str_of(key->name),
			sf_str_of(key->fallback), error))
			return false;
	}
	return derive(accel, error);
}

/* ---- durations ---- */

/* Whole cycles when time is quantised; D is in seconds. */
static double
duration(const struct sf_accel *a, double d)
{
	if (!a->quantise || d <= 0)
		return d;
	return ceil(d * a->clock_hz - 1e-9);
}

double
sf_accel_transfer(const struct sf_accel *a, int64_t bytes, int64_t operations)
{
	double t;

	if (bytes <= 0)
		return 0;
	t = (double)bytes / a->path_bw;
	if (a->transit_ops_per_byte > 0 && operations > 0) {
		double rate = a->transit_ops_per_byte * a->path_bw;
		double compute = (double)operations / rate;

		t = compute > t ? compute : t;
	}
	return duration(a, (a->dram_latency + a->noc_latency) + t);
}

double
sf_accel_cycles(const struct sf_accel *a, int64_t cycles)
{
	return duration(a, (double)cycles / a->clock_hz);
}
