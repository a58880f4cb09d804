/*
 * The symbols in sizes: what each is, by the command line or by the hint that
 * the file has of it, within the range that the program states.
 */
#ifndef SF_EXPORT_SYMBOLS_H
#define SF_EXPORT_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"
#include "torch/size.h"

struct sf_export_symbol {
	struct sf_str name;
	bool known, given; /* it has a VALUE; --dim says so */
	bool declared;     /* the program names it in a range or a size */
	int64_t value;
	bool has_min, has_max;
	int64_t min, max;
};

struct sf_export_symbols {
	struct sf_arena *arena;
	struct sf_table names; /* to struct sf_export_symbol, in order */
	struct sf_table sizes; /* texts of expressions, to what they are */
	int ngiven;
	bool blame; /* what failed last is the command line's */
};

/* A size or a number that the program computes from sizes. */
struct sf_export_size {
	struct sf_size_value value; /* open: not known */
	struct sf_str text; /* of an open one, as people write it: "2*u0" */
};

/*
 * RANGES is the program's range_constraints, GIVEN what --dim says, NAME=N
 * each. False, with a reason, when these are no such thing or out of range.
 */
bool sf_export_symbols_init(struct sf_export_symbols *symbols,
    struct sf_str ranges, const struct sf_list *given, struct sf_arena *arena,
    struct sf_error *error);
void sf_export_symbols_release(struct sf_export_symbols *symbols);

/*
 * Takes the hint of a size that is a symbol alone: SIZE is a union of as_int
 * and as_expr. False when it is out of the symbol's range.
 */
bool sf_export_symbols_hint(struct sf_export_symbols *symbols,
    struct sf_str size, struct sf_error *error);

/* What a size, such a union, comes to. False when it cannot be. */
bool sf_export_size(struct sf_export_symbols *symbols, struct sf_str size,
    struct sf_export_size *out, struct sf_error *error);

/* The same where it has to be a count; SF_DIM_UNKNOWN and the text else. */
bool sf_export_dim(struct sf_export_symbols *symbols, struct sf_str size,
    int64_t *out, struct sf_str *text, struct sf_error *error);

/* False when --dim names what the program has not. */
bool sf_export_symbols_check(
    const struct sf_export_symbols *symbols, struct sf_error *error);

#endif
