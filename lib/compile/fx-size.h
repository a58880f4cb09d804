/* Sizes in a graph, and the symbols that they are made of. */
#ifndef SF_COMPILE_FX_SIZE_H
#define SF_COMPILE_FX_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/table.h"

/* What symbols stand for. */
struct sf_fx_symbols {
	const struct sf_table *given; /* by the user; may be NULL */
	const struct sf_table *hints; /* by the file; may be NULL */
	struct sf_table used;         /* those that were asked for */
	struct sf_table open;         /* those that were, and are not known */
};

enum sf_fx_size {
	SF_FX_SIZE_KNOWN, /* *OUT holds it */
	SF_FX_SIZE_OPEN,  /* a symbol in it is not known */
	SF_FX_SIZE_WRONG, /* it is no size */
};

/*
 * Evaluates TEXT, for which ARENA has room. What passes 2^63 - 1, is below 0
 * or is no whole number is wrong, as is a text that is no expression.
 */
enum sf_fx_size sf_fx_size_eval(struct sf_str text,
    struct sf_fx_symbols *symbols, struct sf_arena *arena, int64_t *out);

#endif
