/*
 * Parameters as rows of a table: what an accelerator, a device or a link is
 * made of. A row says a parameter's name, type, unit, range or choices, default
 * and meaning, and where in a struct it is kept. The table then sets it from
 * the text of a user, from a configuration or from a record (trace/keyrecord.h),
 * and prints itself. Nothing else in the tree lists parameters.
 */
#ifndef SF_CONFIG_KEY_H
#define SF_CONFIG_KEY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/decl.h"
#include "base/opt.h"
#include "base/quantity.h"
#include "base/str.h"
#include "config/config.h"

SF_PUBLIC_BEGIN

enum sf_key_type {
	SF_KEY_REAL,  /* a number */
	SF_KEY_INT,   /* a whole number */
	SF_KEY_OFF,   /* a number, or 0, which is also spelt "off" */
	SF_KEY_MAYBE, /* a number, or 0, "unknown", which no record has */
	SF_KEY_WORD,  /* one of the choices */
	SF_KEY_WORDS, /* some of the choices, with commas between */
	SF_KEY_FLAG,  /* "on" or "off" */
	SF_KEY_TEXT,  /* any text but an empty one */
};

/* What a parameter of each type is in the struct. */
#define SF_KEY_C_REAL  double
#define SF_KEY_C_INT   int64_t
#define SF_KEY_C_OFF   double
#define SF_KEY_C_MAYBE double
#define SF_KEY_C_WORD  int      /* the place among the choices */
#define SF_KEY_C_WORDS uint32_t /* one bit a choice, by its place */
#define SF_KEY_C_FLAG  bool
#define SF_KEY_C_TEXT  const char *

/* A MAYBE that keeps what it rests on: NULL for nothing that is known. */
struct sf_key_sourced {
	double value;
	const char *source;
};

struct sf_key {
	const char *name;
	enum sf_key_type type;
	enum sf_unit unit;
	size_t offset; /* in the struct */
	/* NULL: required. Else the text that would set what it is without. */
	const char *fallback;
	const char *meaning;
	/* What it might be called, for who asks for that; or NULL. */
	const char *mistaken;
	/* Of a number, both inside; below 2^53, so that a double holds them. */
	double least, most;
	const char *const *choices; /* NULL-terminated; of words at most 32 */
};

/* The range of a row: one of these stands in its place in a .def file. */
#define SF_KEY_RANGE(lo, hi)           .least = lo, .most = hi
#define SF_KEY_RANGE_OF(lo, hi, other) SF_KEY_RANGE(lo, hi), .mistaken = other
#define SF_KEY_CHOICES(list)           .choices = list
#define SF_KEY_ANY                     .choices = NULL

/*
 * A row of the table of STRUCT from a row of its .def file; RANGE is one of
 * those above.
 */
#define SF_KEY_ROW(of, key, kind, of_unit, default_text, what)          \
	.name = #key, .type = SF_KEY_##kind, .unit = SF_UNIT_##of_unit, \
	.offset = offsetof(struct of, key), .fallback = default_text,   \
	.meaning = what

struct sf_keys;

/* An object of a configuration that has parameters of another table. */
struct sf_key_part {
	const char *name;
	const struct sf_keys *keys;
	size_t offset; /* of its struct in the one that it is a part of */
	const char *const *units; /* of its rows, for people */
};

struct sf_keys {
	const char *dir; /* of its configurations, under configs/ */
	const struct sf_key *rows;
	size_t n;
	/* Behind the name of a row in seconds, where it stands in a record. */
	const char *seconds;
	/* In a configuration each is an object of value, kind and source. */
	bool sourced;
	/* The same, and its field is a struct sf_key_sourced. */
	bool keeps_sources;
	const struct sf_key_part *parts;
	size_t nparts;
};

/* ---- one struct ---- */

/* Gives each that has a default its default. */
void sf_keys_init(const struct sf_keys *keys, void *in);

/* The row of that name, NULL when there is none. */
const struct sf_key *
sf_keys_find(const struct sf_keys *keys, struct sf_str name);

/* "clock_hz, array_rows", each with PREFIX in front, behind what is there. */
void sf_keys_names(
    const struct sf_keys *keys, const char *prefix, struct sf_buf *out);

/* The row that goes by another name, MISTAKEN; NULL when there is none. */
const struct sf_key *
sf_keys_mistaken(const struct sf_keys *keys, struct sf_str name);

/*
 * Sets one parameter from text, a number with or without a unit ("512KiB",
 * "off", "ntt,elementwise"). A text is kept in ARENA. On failure the error says
 * what was found, and the range or the choices.
 */
bool sf_key_set(const struct sf_key *key, void *in, const char *text,
    struct sf_arena *arena, struct sf_error *error);

/*
 * Whether one is a number, or a flag, which is 1 or 0; of words and texts there
 * is none.
 */
bool sf_key_is_number(const struct sf_key *key);

/* The value of one that is. */
double sf_key_number(const struct sf_key *key, const void *in);

/* The place of WORD among CHOICES, -1 when it is none of them. */
int sf_key_place(const char *const *choices, struct sf_str word);

/* The same as sf_key_set from a list of words. */
bool sf_key_set_words(const struct sf_key *key, void *in,
    const struct sf_str *words, size_t n, struct sf_error *error);

/* ---- a program's ---- */

/*
 * What a program lets its user set: "link.bw" is the row bw of the table of
 * links, whose scope has the prefix "link.".
 */
struct sf_key_scope {
	const char *prefix;
	const struct sf_keys *keys;
	void *in; /* NULL: these cannot be set now, and WHY says why */
	const char *why;
};

/*
 * "clock_hz, link.bw; did you mean 'link.bw'?": what there is of what can be
 * set now, behind what is there, where NAME is none of it.
 */
void sf_scopes_expected(const struct sf_key_scope *scopes, size_t n,
    struct sf_str name, struct sf_buf *out);

/*
 * Does each SETTING, "KEY=VALUE", of the option --set, later ones winning. Dies
 * with SF_EX_USAGE when one is wrong. A quantity without its unit is taken in
 * the base unit, with a note of what was understood.
 */
void sf_keys_apply(const struct sf_key_scope *scopes, size_t n,
    const struct sf_list *settings, struct sf_arena *arena);

/*
 * A line for each row: name, unit, range or choices, default, meaning, with
 * tabs between; "-" is no unit and no default.
 */
void
sf_keys_print(const struct sf_key_scope *scopes, size_t n, struct sf_buf *out);

/*
 * Fills *IN from the configuration that the user called NAME, see
 * sf_config_load, and before it from those that it is based on. Dies when there
 * is none, listing the names there are, and at the line where one is wrong.
 * Returns the configuration, whose bases are linked to it: the result depends
 * on all their files.
 */
const struct sf_config *sf_keys_load(const struct sf_keys *keys, void *in,
    const char *name, struct sf_arena *arena);

SF_PUBLIC_END

#endif
