/*
 * What a sweep runs a trace on: parameters that are set by their names, and the
 * results that a run comes to. A target reads the trace once; sweep/ knows
 * nothing else of it.
 */
#ifndef SF_SWEEP_TARGET_H
#define SF_SWEEP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"
#include "config/key.h"
#include "stream/stream.h"

enum sf_result_type {
	SF_RESULT_INT,
	SF_RESULT_DOUBLE,
	SF_RESULT_STR
};

/* Results of one object stand together. */
struct sf_result_row {
	const char *object; /* the object that holds it, or "" */
	const char *name;
	enum sf_result_type type;
};

struct sf_outcome {
	int64_t i;
	double d; /* of an integer, too */
	struct sf_str s;
};

enum {
	SF_TARGET_SCOPES = 4,
	SF_TARGET_RESULTS = 64
};

struct sf_target;

struct sf_target_type {
	/* Takes what the target is of its trace's current record. */
	void (*record)(struct sf_target *target, enum sf_kind kind);
	/* Writes the record of the base. */
	void (*put_base)(struct sf_target *target);
	/* The design is the base again. */
	void (*reset)(struct sf_target *target);
	/* KEY may be TEXT, which stands for something. NULL: none does. */
	void (*name)(struct sf_target *target, const struct sf_key *key,
	    const char *text);
	/* KEY, or any where it is NULL, may differ in a design. NULL: unasked. */
	void (*vary)(struct sf_target *target, const struct sf_key *key);
	/* All names are known: reads what they stand for. NULL: is read. */
	void (*ready)(struct sf_target *target);
	/*
	 * The parameters of the first scope are set, and those of the others
	 * follow from them. NULL: there is one scope.
	 */
	bool (*load)(struct sf_target *target, struct sf_error *error);
	/*
	 * Runs the trace on the design and sets the results. False, and why,
	 * when it cannot be run. ENGINE is named where it is not the usual one,
	 * and is NULL else.
	 */
	bool (*run)(struct sf_target *target, struct sf_outcome *results,
	    const char **engine, struct sf_error *error);
	/* Forgets the trace. */
	void (*forget)(struct sf_target *target);
	void (*free)(struct sf_target *target);
};

struct sf_target {
	const struct sf_target_type *type;
	struct sf_stream *stream;
	/* Of the design that is next. */
	struct sf_key_scope scopes[SF_TARGET_SCOPES];
	size_t nscopes;
	struct sf_result_row rows[SF_TARGET_RESULTS];
	int nrows;
	void *state;
};

/*
 * An accelerator. MOST is the number of tiles above which a design is refused.
 * Dies with SF_EX_USAGE when the preset or a setting is wrong.
 */
struct sf_target *sf_accel_target(struct sf_stream *stream, const char *preset,
    const struct sf_list *settings, bool quantise, int64_t most);

/*
 * The analytic model: a roofline, or an offload where `supports` says of what.
 * What sf-cost has options for are parameters here.
 */
struct sf_target *
sf_cost_target(struct sf_stream *stream, const struct sf_list *settings);

/* Designs may differ in KEY, or in any where it is NULL. */
void sf_target_vary(struct sf_target *target, const struct sf_key *key);

/* The scope and the row that NAME is; NULL when it is none of the target's. */
const struct sf_key *sf_target_key(const struct sf_target *target,
    struct sf_str name, const struct sf_key_scope **scope);

/* The row of results that the path NAME is, "stalls_s.compute"; -1: none. */
int sf_target_row(const struct sf_target *target, struct sf_str name);

#endif
