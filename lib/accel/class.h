/*
 * The operators of a program by what they are: those of one class have the same
 * nest on every block, so what is made for one serves all. A model has
 * thousands of operators and some dozens of classes.
 */
#ifndef SF_ACCEL_CLASS_H
#define SF_ACCEL_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decl.h"
#include "base/error.h"
#include "base/table.h"

SF_PUBLIC_BEGIN

/* An operator that has tiles. */
struct sf_class_op {
	int64_t i;           /* in the trace */
	int64_t which;       /* class */
	const int64_t *deps; /* places among the operators here, rising */
	int ndeps;
};

struct sf_class {
	const void *key;
	int64_t uses;  /* operators of it */
	int64_t first; /* place of the first of them */
};

struct sf_classes {
	struct sf_arena *arena; /* of keys and dependencies */
	struct sf_table table;  /* key -> class */
	size_t key_bytes;
	struct sf_class *v;
	int64_t n, room;
	struct sf_class_op *ops;
	int64_t nops, ops_room;
};

/* Keys have KEY_BYTES bytes, every one of which counts. */
void sf_classes_init(struct sf_classes *classes, size_t key_bytes);
void sf_classes_release(struct sf_classes *classes);

/* Forgets the trace. */
void sf_classes_reset(struct sf_classes *classes);

/*
 * Adds operator I of the trace, which has tiles and waits for the operators
 * DEPS of the trace; the indices of operators rise. Fails when one that it waits
 * for has no tiles.
 */
bool sf_classes_add(struct sf_classes *classes, int64_t i, const void *key,
    const int64_t *deps, int ndeps, struct sf_error *error);

SF_PUBLIC_END

#endif
