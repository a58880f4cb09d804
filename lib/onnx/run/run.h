/*
 * Goes through a model as if running it, on shapes: functions are expanded,
 * branches whose condition is known are taken, and every operator that is left
 * gets the shapes of its outputs.
 */
#ifndef SF_ONNX_RUN_H
#define SF_ONNX_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"
#include "onnx/run/function.h"
#include "onnx/run/params.h"
#include "onnx/run/scope.h"
#include "rules/price.h"
#include "trace/choice.h"

/* Elements of contents followed in a model; resnet50 needs a 38th of it. */
enum {
	SF_ONNX_MAX_CONTENTS = 1 << 22
};

/*
 * Bounds of expansion, so that a small file cannot grow without end: calls and
 * branches inside one another, nodes that come from them in all, and bytes of
 * names made up for them.
 */
enum {
	SF_ONNX_MAX_CALL_DEPTH = 256,
	SF_ONNX_MAX_EXPANDED = 200000,
	SF_ONNX_MAX_OUTPUTS = 2 * SF_ONNX_MAX_EXPANDED, /* of them all */
	SF_ONNX_MAX_WASTED = 2 * SF_ONNX_MAX_EXPANDED,  /* tried in vain */
	SF_ONNX_MAX_TEXT = 1 << 25,
};

/* One operator of the trace. */
struct sf_onnx_op {
	const struct sf_onnx_node *node;
	struct sf_str name;         /* of the node in the trace; may be empty */
	struct sf_str module;       /* where it is in the model; the same */
	struct sf_value **inputs;   /* NULL: left out */
	struct sf_value **outputs;  /* NULL: not used */
	struct sf_value **captured; /* what the graphs inside take */
	/* Weights that stand in attributes of the node. */
	struct sf_value **learned;
	int ninputs, noutputs, ncaptured, nlearned;
	const struct sf_infer_entry *entry; /* NULL: no rule */
	int64_t opset;                      /* of the node's domain */
	bool folded;
	bool dead;
	unsigned seen; /* by a search of lib/onnx/run/depends.c */
	/* Control flow whose graphs were not expanded: why; otherwise NULL. */
	const char *closed;
};

/*
 * What control flow was expanded to, up to operator END: all of it runs when
 * one of the values that it hands out is needed.
 */
struct sf_onnx_group {
	int64_t end;
	struct sf_value **out, **within;
	int64_t nout, nwithin;
};

/* What the operators from FROM to TO cost, where that is asked for. */
struct sf_onnx_run;
typedef void sf_onnx_price(void *context, const struct sf_onnx_run *run,
    int64_t from, int64_t to, struct sf_price *cost);

/* What the user says beyond the model; see onnx/run/stated.h. */
struct sf_onnx_stated {
	struct sf_rulebook *rules; /* the user's alone; NULL: none */
	struct sf_table replaced;  /* operators whose built-in rule they took */
	/* By the name of a value: struct sf_onnx_given; NULL: none. */
	struct sf_table *shapes;
	const char
	    *inputs; /* "the model has: x, y", for whom it is no name of */
	struct sf_buf name;
};

/* What the caller adds to a run. */
struct sf_onnx_plan {
	struct sf_choices *choices;    /* of the user; NULL: none */
	struct sf_onnx_stated *stated; /* by the user; NULL: nothing */
	sf_onnx_price *price;          /* NULL: no cost is told */
	void *context;
};

struct sf_onnx_run {
	struct sf_arena *arena;
	struct sf_arena *base; /* ARENA, but for what is tried */
	const struct sf_onnx_model *model;
	struct sf_onnx_params *params;
	const struct sf_onnx_plan *plan;
	struct sf_error *error;
	struct sf_onnx_stated *stated; /* or NULL */
	bool
	    misstated; /* the error is in what the user says, not in the file */
	bool placed;   /* the error names its node already */
	struct sf_onnx_functions functions;
	struct sf_onnx_scope root; /* the model's own graph */
	struct sf_onnx_tids tids, prefixes;
	struct sf_table bodies; /* struct sf_onnx_body by the graph's address */
	int64_t expanded;
	int64_t widened;  /* outputs of those nodes */
	bool overflow;    /* the error is that this is too much */
	int64_t contents; /* elements that may still be followed */
	/* ---- lib/onnx/run/attempt.c ---- */
	int64_t wasted; /* nodes that were walked and dropped again */
	int64_t lost;   /* those of them whose memory is not free again */
	int trials;     /* that are going on, inside one another */
	bool apart;     /* ARENA is dropped with what is tried */
	struct sf_arena **kept; /* of attempts that came out well */
	int nkept;

	struct sf_onnx_op *ops;
	int64_t nops, room;
	struct sf_onnx_group *groups; /* by their ends */
	int64_t ngroups, group_room;
	struct sf_value **outputs; /* of the model */
	int noutputs;
	/* The last one first. */
	struct sf_onnx_value *leaves, *left_out, *aliases;
	/* The first input that is no parameter; NULL when there is none. */
	const struct sf_value *first_input;
	/* Declared types that are not what was found. */
	int64_t ncontradictions;
	const char *contradiction; /* the first one */
	int64_t nodd;              /* operators that no runtime would run */
	const char *odd;           /* the first one, and why */
	int64_t nreplaced; /* Constants that later ones of their name replace */

	/* ---- lib/onnx/run/depends.c: the search, and what all of them did ---- */
	unsigned mark;
	int64_t nvisits, ntrials, trial_contents;

	struct sf_value *scratch; /* outputs of the rule that runs */
	int scratch_room;
};

/*
 * Runs MODEL, whose sizes were bound, as PLAN says. False
 * with the error set when it can not be a valid model, or what is stated is not
 * so. Values live in ARENA; sf_onnx_run_release frees the rest.
 */
bool sf_onnx_run(struct sf_onnx_run *run, struct sf_onnx_model *model,
    struct sf_onnx_params *params, const struct sf_onnx_plan *plan,
    struct sf_arena *arena, struct sf_error *error);
void sf_onnx_run_release(struct sf_onnx_run *run);

/* It is a sequence of maps, whose numbers are a table of its shape. */
bool sf_onnx_value_maps(const struct sf_value *value);

/*
 * Why VALUE is not known well enough to be counted: its rank, a size or its
 * type; NULL when all is known.
 */
const char *sf_onnx_value_open(const struct sf_value *value);

/* The most elements of a sequence that are written one by one. */
enum {
	SF_ONNX_MAX_ITEMS = 64
};

#endif
