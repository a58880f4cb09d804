/*
 * Sizes as expressions of symbols, as PyTorch's files write them: sympy's
 * srepr() (Mul(Integer(2), Symbol('s0', positive=True, integer=True))), its
 * str() (2*s0 + 1, (s0//2), Max(1, u0)), which readable graphs have, too, and
 * comparisons of these.
 *
 * They are evaluated as Python does: integers and fractions exactly, what it
 * divides to a float as a double.
 */
#ifndef SF_TORCH_SIZE_H
#define SF_TORCH_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum sf_size_fn {
#define SF_SIZE_FN(id, names, fewest, most) SF_SIZE_##id,
#include "torch/size.def"
#undef SF_SIZE_FN
	SF_SIZE_UNKNOWN_FN /* a function that nothing is known of */
};

enum sf_size_kind {
	SF_SIZE_NUMBER, /* a whole number */
	SF_SIZE_REAL,   /* a double */
	SF_SIZE_TRUTH,  /* true or false: NUMBER is 1 or 0 */
	SF_SIZE_SYMBOL, /* NAME */
	SF_SIZE_CALL,   /* FN of the N ARGS */
};

struct sf_size {
	enum sf_size_kind kind;
	enum sf_size_fn fn;
	int64_t number;
	double real;
	struct sf_str name; /* of a symbol, or of a function as it is spelt */
	struct sf_size **args;
	int n;
};

/*
 * What an expression comes to: num / den with den > 0 and in lowest terms, or
 * a double.
 */
struct sf_size_value {
	enum {
		SF_SIZE_IS_OPEN, /* a symbol or a function is not known */
		SF_SIZE_IS_EXACT,
		SF_SIZE_IS_REAL,
		SF_SIZE_IS_TRUTH, /* num is 0 or 1 */
	} is;
	int64_t num, den;
	double real;
};

/* Gives *VALUE of a symbol; false when it is not known. */
typedef bool sf_size_lookup(void *context, struct sf_str name, int64_t *value);

/* The expression in ARENA; NULL, with what was expected, when it is none. */
struct sf_size *sf_size_parse(
    struct sf_str text, struct sf_arena *arena, struct sf_error *error);

/*
 * False, with a reason, when the arithmetic cannot be done: it passes 2^63 - 1
 * or divides by zero. What is not known makes the value open.
 */
bool sf_size_eval(const struct sf_size *size, sf_size_lookup *lookup,
    void *context, struct sf_size_value *value, struct sf_error *error);

/* Appends it as people write it: "2*s0 + 1". */
void sf_size_print(const struct sf_size *size, struct sf_buf *out);

/* True when the symbol NAME is in it. */
bool sf_size_has(const struct sf_size *size, struct sf_str name);

#endif
