/*
 * The results of a call while they are derived: what the call was given, and
 * what is said of types and sizes. What does not follow is given without a
 * shape, or of an unknown type, or not at all.
 */
#ifndef SF_DISPATCH_RESULT_H
#define SF_DISPATCH_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/call.h"
#include "dispatch/derive.h"

struct sf_result {
	const char *names; /* of the arguments, apart by blanks */
	const struct sf_profiled_arg *args;
	int nargs;
	bool concrete; /* the file says what is no tensor */
	struct sf_made_op *call;
	bool fits; /* no result's bytes pass 2^63 - 1 */
};

/* ---- lib/dispatch/result.c: the call ---- */

/* The tensor that is argument I; NULL when that is none. */
const struct sf_tensor *sf_result_tensor(const struct sf_result *w, int i);

/* What the argument NAME was; empty when it is not known. */
struct sf_str sf_result_concrete(const struct sf_result *w, const char *name);

/* "[1, 2]" or "1" as at most MOST integers; -1 when it is no such text. */
int sf_result_integers(struct sf_str text, int64_t *out, int most);

/* Adds a result; one like T, if any; one of which no more is known. */
void sf_result_give(
    struct sf_result *w, enum sf_dtype dtype, int rank, const int64_t *shape);
void sf_result_give_like(
    struct sf_result *w, const struct sf_tensor *t, enum sf_dtype dtype);
void sf_result_give_unknown(struct sf_result *w);

/* ---- lib/dispatch/result-type.c; SF_DT_UNKNOWN: it does not follow ---- */

bool sf_result_is_real(enum sf_dtype dtype);

/*
 * The type of a result of arguments FROM on: a tensor without dimensions, or a
 * number, only counts where it is of a higher kind than all tensors that have
 * some.
 */
enum sf_dtype sf_result_joined_type(const struct sf_result *w, int from);

/* The type that is said; the tensor's own where none is. */
enum sf_dtype
sf_result_said_type(const struct sf_result *w, const struct sf_tensor *t);

/* A softmax may widen what it is given, and says so in its third argument. */
enum sf_dtype
sf_result_real_type(const struct sf_result *w, enum sf_dtype type);

/* ---- lib/dispatch/result-size.c: each gives a result, if it follows ---- */

/*
 * Of the sizes that the tensors are broadcast to, from the argument before FROM
 * on, which chooses among them.
 */
void sf_result_join(struct sf_result *w, int from, enum sf_dtype dtype);

/* A and B with B's last size; with ALL what is before is broadcast. */
void sf_result_product(struct sf_result *w, const struct sf_tensor *a,
    const struct sf_tensor *b, bool all);

/* The sizes of A with the last one LAST. */
void sf_result_relast(struct sf_result *w, const struct sf_tensor *a,
    enum sf_dtype dtype, int64_t last);

void sf_result_convolution(struct sf_result *w);
void sf_result_pool(struct sf_result *w);
void sf_result_create(struct sf_result *w);
void sf_result_reduce(struct sf_result *w);
void sf_result_pick(struct sf_result *w);
void sf_result_rows(struct sf_result *w);

#endif
