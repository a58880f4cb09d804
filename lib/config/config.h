/*
 * Configurations: JSON files that describe an accelerator, a device, a link or
 * a model. They are data that users add to, so every complaint about one names
 * the file and the line.
 */
#ifndef SF_CONFIG_CONFIG_H
#define SF_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/decl.h"
#include "base/error.h"
#include "base/place.h"

SF_PUBLIC_BEGIN

enum sf_config_type {
	SF_CONFIG_NULL,
	SF_CONFIG_BOOL,
	SF_CONFIG_NUMBER,
	SF_CONFIG_STR,
	SF_CONFIG_LIST,
	SF_CONFIG_OBJECT,
};

/* One value of the file; all of it lives in the arena of the load. */
struct sf_config_value {
	enum sf_config_type type;
	int line;        /* where it begins, from 1 */
	const char *key; /* of a member of an object, else NULL */
	bool boolean;
	/*
	 * A string's text. A number's digits as they stand in the file, so
	 * that the reader decides what is exact; they fit a double.
	 */
	const char *text;
	/* Elements of a list, members of an object, in the file's order. */
	struct sf_config_value *items;
	size_t nitems;
};

struct sf_config {
	const char *path; /* as it was opened */
	const char *name; /* the file's name without directory and ".json" */
	uint32_t crc32;   /* of the file's bytes */
	/*
	 * What Python's json writes besides, Infinity, -Infinity and NaN, are
	 * numbers, too; their text fits no double.
	 */
	bool python;
	struct sf_config_value root; /* an object */
	/* What counts less than it; NULL when nothing, or not looked at. */
	const struct sf_config *base;
};

enum {
	SF_CONFIG_DEEPEST = 8 /* bases behind a configuration */
};

/*
 * Reads LEN bytes of JSON into CONFIG, whose path, name and python are set;
 * the outermost value must be an object and no object may name a key twice.
 */
bool sf_config_parse(struct sf_config *config, const char *text, size_t len,
    struct sf_arena *arena, struct sf_error *error);

/*
 * Loads the configuration of KIND ("accel", "devices") that the user called
 * NAME: a path when it has a '/' or ends in ".json", else NAME.json in the
 * directory of that kind, see sf_config_dir. Dies when there is none, listing
 * the names there are, or when it is not such a file.
 */
struct sf_config *
sf_config_load(const char *kind, const char *name, struct sf_arena *arena);

/* The member of the outermost object of that name, NULL when there is none. */
const struct sf_config_value *
sf_config_find(const struct sf_config *config, const char *key);

/*
 * The same with the configurations that it is based on. "base" is a name, or
 * the path of a file as seen from the directory of the file that says it, or a
 * list of these, of which the last counts most. Dies
 * at the member's line when there is none of that name, when it leads back to
 * a file before it, or when there are more than SF_CONFIG_DEEPEST.
 */
struct sf_config *sf_config_load_based(
    const char *kind, const char *name, struct sf_arena *arena);

/* The names of the configurations of KIND, sorted: "dc-npu, edge-npu". */
const char *sf_config_names(const char *kind, struct sf_arena *arena);

/* "; did you mean 'edge-npu'?" where some name is near, else "". */
const char *
sf_config_meant(const char *kind, const char *name, struct sf_arena *arena);

/*
 * A line for each of them: its name, what it says "about" itself or what it is
 * based on does, and WHAT when that is not NULL, with tabs between. Dies at one
 * that is no configuration.
 */
void sf_config_list(const char *kind, const char *what, struct sf_arena *arena,
    struct sf_buf *out);

/*
 * Dies with SF_EX_INPUT, naming the file and the line of VALUE, or where the
 * whole begins when it is NULL.
 */
SF_NORETURN void sf_config_die(const struct sf_config *config,
    const struct sf_config_value *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

SF_PUBLIC_END

#endif
