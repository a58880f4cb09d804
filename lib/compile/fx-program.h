/*
 * The operators that a graph runs, one after the other: results of several are
 * told by their places, graphs that it calls stand in place of the call, and
 * what only computes sizes or renames a value is none.
 */
#ifndef SF_COMPILE_FX_PROGRAM_H
#define SF_COMPILE_FX_PROGRAM_H

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "compile/fx-graph.h"
#include "compile/fx-type.h"
#include "rules/rulebook.h"

struct sf_fx_op {
	struct sf_str name;  /* "aten.add" */
	struct sf_str node;  /* the graph's name of it */
	struct sf_str attrs; /* the text of an object; empty: none */
	struct sf_tensor *inputs, *outputs;
	int ninputs, noutputs;
	const char *closed; /* why it cannot be counted; NULL: it may be */
	/* While it is made: */
	int input_room, output_room;
	bool python; /* none at all when it has to do with no tensor */
};

/* How deep and how often graphs may call graphs, and what may come of it. */
enum {
	SF_FX_DEEPEST = 64,
	SF_FX_MAX_CALLS = 100000,
	SF_FX_MAX_OPS = 500000,
};

struct sf_fx_program {
	struct sf_arena *arena;
	struct sf_rulebook *rules;
	struct sf_fx_symbols *symbols;
	struct sf_fx_op *ops;
	int nops, room;
	struct sf_fx_type *inputs; /* as the graph has them */
	/* The names of its values that depend on parameters alone. */
	struct sf_table params;
};

/*
 * Walks GRAPH, of whose inputs those are parameters that PARAMS marks (NULL:
 * none is known to be). ARENA, RULES and SYMBOLS are set before. False, with
 * what is wrong in *ERROR and the line of the text in *LINE.
 */
bool sf_fx_program_make(struct sf_fx_program *program,
    const struct sf_fx_graph *graph, const bool *params, int64_t *line,
    struct sf_error *error);
void sf_fx_program_release(struct sf_fx_program *program);

/*
 * Reads the types of the inputs alone, which are SYMBOLS' first use: see
 * program.inputs.
 */
bool sf_fx_program_inputs(struct sf_fx_program *program,
    const struct sf_fx_graph *graph, struct sf_error *error);

#endif
