/*
 * What the user decides where the model does not: which branch is taken,
 * how often a loop runs.
 */
#ifndef SF_TRACE_CHOICE_H
#define SF_TRACE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"
#include "stream/stream.h"

enum sf_choice_kind {
	SF_CHOICE_BRANCH, /* 1: then, 0: else */
	SF_CHOICE_TRIPS,
};

struct sf_choice {
	enum sf_choice_kind kind;
	struct sf_str node; /* empty: all that are not known */
	int64_t value;
	bool met; /* a node has that name */
};

/* One that was taken, once a node of the file. */
struct sf_assumed {
	enum sf_choice_kind kind;
	struct sf_str node;
	int64_t value;
};

struct sf_choices {
	/* What has branches and what runs often, for people. */
	const char *nouns[2];
	struct sf_arena *arena;
	struct sf_choice *v;
	size_t n;
	struct sf_assumed *assumed;
	size_t nassumed, room;
	struct sf_table nodes[2]; /* names that could be chosen, by kind */
	const char *conflict;     /* a choice that is not the user's to make */
};

/*
 * Reads "then", "else" or "NODE=then" of BRANCHES, and "N" or "NODE=N" of
 * TRIPS, split at the last '='. False with the error set when one is neither.
 */
bool sf_choices_init(struct sf_choices *choices, struct sf_list branches,
    struct sf_list trips, struct sf_arena *arena, struct sf_error *error);
void sf_choices_release(struct sf_choices *choices);

/*
 * What the user chose for the node that the file calls NAME: by PREFIX/NAME, its
 * name in the trace, by NAME, or for all; NULL when nothing was. CHOICES may be
 * NULL.
 */
const struct sf_choice *sf_choice_find(struct sf_choices *choices,
    enum sf_choice_kind kind, struct sf_str prefix, struct sf_str name);

/* It is known to do VALUE, whatever was chosen for it by name. */
void sf_choice_known(struct sf_choices *choices, enum sf_choice_kind kind,
    struct sf_str prefix, struct sf_str name, int64_t value);

/* VALUE was taken for NAME because the user says so. */
void sf_choice_assume(struct sf_choices *choices, enum sf_choice_kind kind,
    struct sf_str name, int64_t value);

/*
 * False with the error set when a choice names no node of the model that was
 * run, or contradicts what is known of it.
 */
bool sf_choices_check(const struct sf_choices *choices, struct sf_error *error);

/* [{"node":"if1","branch":"then"},{"node":"loop","trips":3}] */
void sf_choices_put(const struct sf_choices *choices, struct sf_jsonw *w);

/* The same as a member of the tool record, when there is any. */
void
sf_choices_record(const struct sf_choices *choices, struct sf_stream *stream);

/* "NODE=VALUE" as one word of a shell. */
const char *sf_choice_argument(
    struct sf_str node, const char *value, struct sf_arena *arena);

/* One line on what was taken, NULL when nothing was. */
const char *sf_choices_note(const struct sf_choices *choices);

#endif
