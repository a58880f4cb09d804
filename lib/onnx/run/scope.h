/*
 * Names in force: each graph and function body has its own, and a graph sees
 * those of the one around it. Every value also has a name in the trace, which
 * is unique: that of the model for the model's own graph, CALL/NAME inside the
 * call of a function or a branch.
 */
#ifndef SF_ONNX_SCOPE_H
#define SF_ONNX_SCOPE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/table.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"
#include "onnx/run/params.h"

/* A value of the trace; rules are shown its first member. */
struct sf_onnx_value {
	struct sf_value v; /* v.name is the name in the trace */
	bool live;         /* an output of the model needs it */
	bool output;       /* of the model, or what one of them stands for */
	bool input;        /* of the model, without an initializer */
	bool decides;      /* --value of it would settle what is not known */
	int64_t made;      /* 1 + the operator that makes it; 0: none does */
	/* ---- lib/onnx/run/depends.c: the search that was here last ---- */
	unsigned seen, tried;
	struct sf_value *trial;
	/* ---- lib/onnx/run/track.c ---- */
	enum sf_onnx_leaf leaf;
	bool computed; /* in the list, but made of other values */
	unsigned uses;
	int64_t elements; /* where they are packed: how many; otherwise -1 */
	/* What it is of, when several values of the trace are of one thing. */
	const void *source;
	struct sf_onnx_value *next; /* leaf, or alias */
	/*
	 * What a step of a loop takes is the value that it was given, but not
	 * constant: steps are not computed before the run. With ITEM it is that
	 * element of a sequence; otherwise ITEM is -1.
	 */
	struct sf_onnx_value *alias_of;
	int item;
	/* The node whose output it was made last. */
	const struct sf_onnx_node *handed;
};

/* The container of a value that a trace has. */
static inline struct sf_onnx_value *
sf_onnx_value_of(struct sf_value *value)
{
	return (struct sf_onnx_value *)(void *)value;
}

struct sf_onnx_scope {
	const struct sf_onnx_scope *outer; /* whose names are seen, too */
	bool step; /* it has the declared types of OUTER */
	struct sf_arena *arena;
	struct sf_table values;  /* struct sf_value; NULL: left out */
	struct sf_table renamed; /* names that a call gives to its outputs */
	struct sf_table infos;   /* declared types, struct sf_onnx_info */
	struct sf_str prefix;    /* before names in the trace; may be empty */
	struct sf_str module;    /* of a node that says none; may be empty */
	/* The function this is in, and the node that calls it; or NULL. */
	const struct sf_onnx_function *function;
	const struct sf_onnx_node *call;
	int depth; /* calls and branches around it */
};

void sf_onnx_scope_init(struct sf_onnx_scope *scope,
    const struct sf_onnx_scope *outer, struct sf_arena *arena);
void sf_onnx_scope_release(struct sf_onnx_scope *scope);

/* Finds NAME; false when there is none. *VALUE is NULL for one left out. */
bool sf_onnx_scope_find(const struct sf_onnx_scope *scope, struct sf_str name,
    struct sf_value **value);

/* Declared types; the first of two for one name stays. */
void sf_onnx_scope_declare(
    struct sf_onnx_scope *scope, struct sf_onnx_info *infos, int n);
const struct sf_onnx_info *
sf_onnx_scope_declared(const struct sf_onnx_scope *scope, struct sf_str name);

/* Names that are taken in the trace. */
struct sf_onnx_tids {
	struct sf_arena *arena;
	struct sf_table taken; /* with the last number tried behind "~" */
	size_t text;           /* bytes of names made up so far */
};

/* A name like PREFIX/NAME that no one has; it is then taken. */
struct sf_str sf_onnx_tids_make(
    struct sf_onnx_tids *tids, struct sf_str prefix, struct sf_str name);

/*
 * The name by which the user chooses for a node: an unnamed one goes by its
 * first output.
 */
struct sf_str sf_onnx_choice_name(const struct sf_onnx_node *node);

#endif
