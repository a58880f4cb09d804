/*
 * What the user decides where the model does not: which branch an If takes,
 * how often a loop runs.
 */
#ifndef SF_ONNX_CHOICE_H
#define SF_ONNX_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"
#include "onnx/read/model.h"
#include "onnx/run/scope.h"
#include "stream/jsonw.h"

enum sf_onnx_choice_kind {
	SF_ONNX_CHOICE_BRANCH, /* 1: then, 0: else */
	SF_ONNX_CHOICE_TRIPS,
};

struct sf_onnx_choice {
	enum sf_onnx_choice_kind kind;
	struct sf_str node; /* empty: all that are not known */
	int64_t value;
	bool met; /* a node has that name */
};

/* One that was taken, once a node of the file. */
struct sf_onnx_assumed {
	enum sf_onnx_choice_kind kind;
	struct sf_str node;
	int64_t value;
};

struct sf_onnx_choices {
	struct sf_arena *arena;
	struct sf_onnx_choice *v;
	size_t n;
	struct sf_onnx_assumed *assumed;
	size_t nassumed, room;
	struct sf_table nodes[2]; /* names that could be chosen, by kind */
	const char *conflict;     /* a choice that is not the user's to make */
};

/*
 * Reads "then", "else" or "NODE=then" of BRANCHES, and "N" or "NODE=N" of
 * TRIPS, split at the last '='. False with the error set when one is neither.
 */
bool
sf_onnx_choices_init(struct sf_onnx_choices *choices, struct sf_list branches,
    struct sf_list trips, struct sf_arena *arena, struct sf_error *error);
void sf_onnx_choices_release(struct sf_onnx_choices *choices);

/*
 * What the user chose for NODE in SCOPE, by its name in the trace, by that in
 * the file (an unnamed node goes by its first output), or for all; NULL when
 * nothing was. CHOICES may be NULL.
 */
const struct sf_onnx_choice *sf_onnx_choice_find(
    struct sf_onnx_choices *choices, enum sf_onnx_choice_kind kind,
    const struct sf_onnx_scope *scope, const struct sf_onnx_node *node);

/* NODE is known to do VALUE, whatever was chosen for it by name. */
void sf_onnx_choice_known(struct sf_onnx_choices *choices,
    enum sf_onnx_choice_kind kind, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int64_t value);

/* VALUE was taken for NODE because the user says so. */
void sf_onnx_choice_assume(struct sf_onnx_choices *choices,
    enum sf_onnx_choice_kind kind, const struct sf_onnx_node *node,
    int64_t value);

/*
 * False with the error set when a choice names no node of the model that was
 * run, or contradicts what is known of it.
 */
bool sf_onnx_choices_check(
    const struct sf_onnx_choices *choices, struct sf_error *error);

/* [{"node":"if1","branch":"then"},{"node":"loop","trips":3}] */
void
sf_onnx_choices_put(const struct sf_onnx_choices *choices, struct sf_jsonw *w);

/* The name of a node that the user can choose for. */
struct sf_str sf_onnx_choice_name(const struct sf_onnx_node *node);

#endif
