/*
 * A graph as PyTorch prints it (GraphModule.print_readable): a class with a
 * function, whose lines are calls; graphs that it calls are classes inside of
 * it, behind its own lines.
 */
#ifndef SF_COMPILE_FX_GRAPH_H
#define SF_COMPILE_FX_GRAPH_H

#include "base/arena.h"
#include "base/error.h"
#include "compile/fx-token.h"
#include "compile/fx-value.h"

/* What the graph is given. */
struct sf_fx_input {
	struct sf_str name;
	struct sf_str type;    /* "f32[2, 3][3, 1]cpu"; empty: not said */
	struct sf_str comment; /* of its line: "PlainAOTInput(idx=0)" */
};

enum sf_fx_line_kind {
	SF_FX_ASSIGN, /* name = value */
	SF_FX_UPDATE, /* items[0] of the value MARK= items[1] */
	SF_FX_STORE,  /* items[0] of the value, which is indexed, = items[1] */
};

struct sf_fx_line {
	enum sf_fx_line_kind kind;
	struct sf_str name; /* empty: what it gives is not kept */
	struct sf_str type; /* as above */
	struct sf_str mark; /* of an update: "+" */
	const struct sf_fx_value *value;
	int64_t line; /* of the text, from 0 */
};

struct sf_fx_module {
	struct sf_str name; /* of the class, in its parent the attribute */
	int column;         /* where its class stands */
	struct sf_fx_module *parent, *next; /* as they came */
	struct sf_fx_input *inputs;
	int ninputs;
	struct sf_fx_line *lines;
	int nlines;
	const struct sf_fx_value *result; /* NULL until it returns */
	/* While it is read: */
	int input_room, line_room;
	bool declared; /* inputs stand in lines of their own */
};

struct sf_fx_graph {
	struct sf_fx_module *top;
	struct sf_str tail; /* what is behind it */
};

/*
 * Reads one graph; what is before its first class is stepped over. All lives
 * in ARENA and in the text. False, with what was expected in *ERROR and the
 * line of the text in *LINE, when it is none, or is not whole.
 */
bool sf_fx_graph_parse(struct sf_fx_graph *graph, struct sf_str text,
    struct sf_arena *arena, int64_t *line, struct sf_error *error);

/* The same as far as its first function's parameters: they are all it has. */
bool sf_fx_graph_parse_inputs(struct sf_fx_graph *graph, struct sf_str text,
    struct sf_arena *arena, int64_t *line, struct sf_error *error);

/* The graph inside of MODULE that it calls by NAME; NULL when it has none. */
const struct sf_fx_module *
sf_fx_module_find(const struct sf_fx_module *module, struct sf_str name);

/* Room for one more of SIZE bytes behind N in ARRAY, which moves. */
void *sf_fx_one_more(
    struct sf_arena *arena, void *array, int n, int *room, size_t size);

#endif
