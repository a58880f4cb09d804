/*
 * From an exported program's graph to operators: its nodes in order, the graphs
 * of wrappers expanded where they stand.
 */
#ifndef SF_EXPORT_WALK_H
#define SF_EXPORT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"
#include "export/program.h"
#include "export/symbols.h"
#include "rules/rulebook.h"
#include "stream/jsonw.h"
#include "torch/target.h"
#include "trace/choice.h"
#include "trace/op.h"

/* What a name in a graph stands for. */
struct sf_export_value {
	bool is_tensor;
	bool used;               /* some node or output reads it */
	struct sf_tensor tensor; /* with tid and param */
	struct sf_str strides;   /* their text */
	const char *open;        /* why a size of it is not known, or NULL */
	struct sf_export_size number; /* when it is no tensor */
};

/* A parameter of the program. */
struct sf_export_param {
	struct sf_str name;
	struct sf_export_value *value;
};

struct sf_export_walk {
	struct sf_arena *arena;
	const struct sf_export_program *program;
	struct sf_export_symbols symbols;
	struct sf_choices *choices; /* of the user; NULL: none */
	struct sf_rulebook *rules;  /* which operators are views */
	struct sf_op *ops;
	int64_t nops, room;
	struct sf_export_param *params;
	int64_t nparams;
	int64_t params_count, params_bytes; /* of distinct ones */
	int64_t nshared;                    /* taken for other names */
	const char *shared;                 /* the first of these, for people */
	const struct sf_tensor *first_input;
	int64_t nopen; /* operators that are not resolved */
	const char *open;
	struct sf_buf list; /* of tensors, for one operator at a time */
	struct sf_jsonw attrs;
	struct sf_str module; /* of the node that is walked; may be empty */
	int depth;
	/* Nodes in graphs of nodes, and of these what was taken back. */
	int64_t expanded, wasted;
};

/* A graph that is walked, and what its names stand for. */
struct sf_export_scope {
	struct sf_export_walk *walk;
	struct sf_str graph;
	struct sf_str prefix;    /* of the tids of its values */
	struct sf_table metas;   /* tensor_values: texts by name */
	struct sf_table numbers; /* sym_*_values: the same */
	struct sf_table values;  /* to struct sf_export_value */
};

/* A node, taken apart. */
struct sf_export_node {
	struct sf_torch_target target;
	struct sf_str name; /* of its own, or of its first result */
	struct sf_str inputs, outputs, metadata;
};

/*
 * Walks the whole program, DIMS being what --dim says. CHOICES may be NULL and
 * is not checked, as other programs may follow. False with a reason:
 * walk->symbols.blame says whether the command line is at fault.
 */
bool sf_export_walk(struct sf_export_walk *walk,
    const struct sf_export_program *program, const struct sf_list *dims,
    struct sf_choices *choices, struct sf_arena *arena, struct sf_error *error);
void sf_export_walk_release(struct sf_export_walk *walk);

/* ---- for the files of this directory ---- */

/* Opens GRAPH; its names are not bound yet. */
bool
sf_export_scope_open(struct sf_export_scope *scope, struct sf_export_walk *walk,
    struct sf_str graph, struct sf_str prefix, struct sf_error *error);
void sf_export_scope_close(struct sf_export_scope *scope);

/* All its nodes, in order. */
bool sf_export_nodes(struct sf_export_scope *scope, struct sf_error *error);

/* Makes NAME stand for VALUE. */
void sf_export_bind(struct sf_export_scope *scope, struct sf_str name,
    struct sf_export_value *value);

/*
 * A new value, with what the graph says of the tensor NAME; NULL when it says
 * nothing, or what cannot be.
 */
struct sf_export_value *sf_export_define(
    struct sf_export_scope *scope, struct sf_str name, struct sf_error *error);

/* The name of an input of the scope's graph, a union; empty: it has none. */
struct sf_str
sf_export_input_name(const struct sf_export_scope *scope, struct sf_str input);

/* The tensor that NAME stands for by now; NULL when it is none. */
struct sf_export_value *sf_export_named(
    struct sf_export_scope *scope, struct sf_str name, struct sf_error *error);

/*
 * What the number of a union of as_name and as_int (as_float, as_bool) is;
 * open when it is not known.
 */
bool sf_export_number(struct sf_export_scope *scope, struct sf_str text,
    struct sf_export_size *out, struct sf_error *error);

/*
 * What an argument, a union, stands for: no value of a literal, one of a
 * tensor or a symbolic number, any number of a list; NULL for None. They are
 * appended to walk->list.
 */
bool sf_export_values(struct sf_export_scope *scope, struct sf_str tag,
    struct sf_str value, struct sf_error *error);

/* The values of walk->list, and how many there are. */
struct sf_export_value **sf_export_listed(struct sf_export_walk *walk, int *n);

/* Adds the operator of NODE, one with a schema. */
bool sf_export_call(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error);

/* Adds what a higher-order operator comes to. */
bool sf_export_higher(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error);

/*
 * Adds an operator that reads and makes these values; NULL is one left out.
 * ATTRS is the text of an object or empty; WHY says why it cannot be counted,
 * or is NULL.
 */
void sf_export_add(struct sf_export_walk *walk, struct sf_str name,
    struct sf_str node, struct sf_export_value *const *inputs, int ninputs,
    struct sf_export_value *const *outputs, int noutputs, struct sf_str attrs,
    const char *why);

/* Defines the results of NODE and appends them to walk->list. */
bool sf_export_results(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_error *error);

/* The name of NODE among people: the module that it is of, and its own. */
struct sf_str sf_export_node_name(
    const struct sf_export_scope *scope, const struct sf_export_node *node);

/* Binds the inputs of the whole program by its signature. */
bool sf_export_signature(struct sf_export_scope *scope, struct sf_error *error);

/* Counts the parameters, when all that reads them is known. */
bool sf_export_params(struct sf_export_walk *walk, struct sf_error *error);

#endif
