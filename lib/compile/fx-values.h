/*
 * Values while a graph is walked, and the names they go by. For
 * compile/fx-program.c and its parts.
 */
#ifndef SF_COMPILE_FX_VALUES_H
#define SF_COMPILE_FX_VALUES_H

#include "compile/fx-program.h"
#include "stream/jsonw.h"

enum {
	SF_FX_MAX_RESULTS = 1 << 16, /* of one operator */
	SF_FX_MAX_ITEMS = 1 << 20,   /* in a list, and the lists in it */
};

enum sf_fx_val_kind {
	SF_FX_VAL_NONE,
	SF_FX_VAL_TENSOR,
	SF_FX_VAL_UNTYPED, /* a tensor of any shape, when it is used as one */
	SF_FX_VAL_RESULTS, /* what an operator gives, of which nothing is said */
	SF_FX_VAL_SCALAR,  /* a size, a constant, an object */
	SF_FX_VAL_MODULE,  /* a graph that may be called */
	SF_FX_VAL_ITEMS,   /* a list or a tuple */
};

struct sf_fx_val {
	enum sf_fx_val_kind kind;
	struct sf_tensor tensor;
	/* Of results: which operator's, which of them, and whether some have
	 * been taken out by their places. */
	int op, place;
	bool picked, nested;
	const struct sf_fx_module *module;
	struct sf_fx_val **items;
	int nitems;
	int leaves; /* of the items, at any depth */
};

/* A graph while its lines are walked. */
struct sf_fx_scope {
	const struct sf_fx_module *module;
	struct sf_table names; /* to struct sf_fx_val */
	struct sf_str prefix;  /* of names in it */
	struct sf_fx_scope *up;
};

struct sf_fx_walk {
	struct sf_fx_program *program;
	struct sf_error *error;
	struct sf_fx_scope *scope;
	int depth, calls; /* of graphs */
	bool too_long;    /* a list has more items than it may */
	int64_t line;     /* of the text */
};

struct sf_fx_val *sf_fx_val_new(struct sf_fx_walk *w, enum sf_fx_val_kind kind);

/* The value of an argument. */
struct sf_fx_val *
sf_fx_val_of(struct sf_fx_walk *w, const struct sf_fx_value *value);

/*
 * Its tensor, NULL when it is none. What an operator gives becomes one of
 * unknown shape by being used as one.
 */
const struct sf_tensor *
sf_fx_val_tensor(struct sf_fx_walk *w, struct sf_fx_val *v);

/* Whether a tensor is among the items, at any depth. */
bool sf_fx_val_has_tensor(const struct sf_fx_val *v);

/* The value that NAME, or a name with dots, begins with; NULL: none. */
struct sf_fx_val *sf_fx_lookup(struct sf_fx_walk *w, struct sf_str name);

/* NAME as it stands in the stream: with those of the graphs around it. */
struct sf_str sf_fx_full_name(struct sf_fx_walk *w, struct sf_str name);

/* Whether one of the operands is a tensor, or may be. */
bool
sf_fx_touches_tensor(struct sf_fx_walk *w, const struct sf_fx_value *value);

/* Whether an index takes elements one by one: a tensor or a list is in it. */
bool sf_fx_gathers(struct sf_fx_walk *w, const struct sf_fx_value *index);

/*
 * Writes an argument that is no tensor. False when the stream has no word for
 * it; what was written is the caller's to take back.
 */
bool sf_fx_put_value(struct sf_fx_walk *w, struct sf_jsonw *json,
    const struct sf_fx_value *value);

#endif
