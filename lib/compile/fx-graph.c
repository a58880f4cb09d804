/* From lines of text to the lines of a graph. */
#include "compile/fx-graph.h"

#include <stdint.h>
#include <string.h>

struct reader {
	struct sf_fx_lexer lexer;
	struct sf_arena *arena;
	struct sf_error *error;
	struct sf_fx_graph *graph;
	struct sf_fx_module *module; /* the current one */
	bool inputs_only;
};

void *
sf_fx_one_more(
    struct sf_arena *arena, void *array, int n, int *room, size_t size)
{
	void *wider;

	if (n < *room)
		return array;
	*room = *room != 0 ? *room * 2 : 4;
	wider = sf_arena_calloc(arena, (size_t)*room, size);
	if (n != 0)
		memcpy(wider, array, (size_t)n * size);
	return wider;
}

static struct sf_fx_input *
add_input(struct reader *r, struct sf_str name, struct sf_str type)
{
	struct sf_fx_module *m = r->module;

	m->inputs = sf_fx_one_more(
	    r->arena, m->inputs, m->ninputs, &m->input_room, sizeof *m->inputs);
	m->inputs[m->ninputs] =
	    (struct sf_fx_input){ .name = name, .type = type };
	return &m->inputs[m->ninputs++];
}

static void
add_line(struct reader *r, struct sf_fx_line line)
{
	struct sf_fx_module *m = r->module;

	m->lines = sf_fx_one_more(
	    r->arena, m->lines, m->nlines, &m->line_room, sizeof *m->lines);
	m->lines[m->nlines++] = line;
}

static bool
need(struct reader *r, const char *mark)
{
	return sf_fx_take(&r->lexer, mark) ||
	    sf_fx_expected(&r->lexer, mark, r->error);
}

static struct sf_fx_value *
read_value(struct reader *r)
{
	return sf_fx_value_parse(&r->lexer, r->arena, r->error);
}

/*
 * Behind a colon: a string, or in old texts the type itself. A type of
 * Python's, as torch.Tensor, says nothing.
 */
static bool
read_type(struct reader *r, struct sf_str *type)
{
	struct sf_str bare = r->lexer.token.text;
	const char *end;

	if (r->lexer.token.kind == SF_FX_STRING) {
		*type = r->lexer.token.text;
		sf_fx_next(&r->lexer);
		return true;
	}
	if (read_value(r) == NULL)
		return false;
	end = r->lexer.token.kind == SF_FX_END ? r->lexer.end
					       : r->lexer.token.text.p;
	if (r->lexer.token.kind == SF_FX_NEWLINE)
		end = r->lexer.line_start - 1;
	/* A string with escapes lies elsewhere, and ends no type. */
	if ((uintptr_t)end < (uintptr_t)bare.p ||
	    (uintptr_t)end > (uintptr_t)r->lexer.end)
		end = bare.p;
	bare = sf_str_trim((struct sf_str){ bare.p, (size_t)(end - bare.p) });
	if (sf_str_chr(bare, '[') != NULL && !sf_str_starts(bare, "torch.") &&
	    !sf_str_starts(bare, "typing."))
		*type = bare;
	return true;
}

/* One of a function's parameters, with the comment behind its comma. */
static bool
read_parameter(struct reader *r)
{
	struct sf_str name, type = SF_STR("");
	struct sf_fx_input *input = NULL;
	int64_t line = r->lexer.token.line;

	if (!sf_fx_take(&r->lexer, "*"))
		sf_fx_take(&r->lexer, "**");
	name = r->lexer.token.text;
	if (r->lexer.token.kind != SF_FX_NAME)
		return sf_fx_expected(&r->lexer, "a parameter", r->error);
	sf_fx_next(&r->lexer);
	if (sf_fx_take(&r->lexer, ":") && !read_type(r, &type))
		return false;
	if (sf_fx_take(&r->lexer, "=") && read_value(r) == NULL)
		return false;
	if (!sf_str_is(name, "self"))
		input = add_input(r, name, type);
	if (sf_fx_take(&r->lexer, ",") || sf_fx_is(&r->lexer, ")")) {
		if (input != NULL && r->lexer.comment_line == line)
			input->comment = r->lexer.comment;
		return true;
	}
	return sf_fx_expected(&r->lexer, "',' or ')'", r->error);
}

/* def forward(self, ...) -> ...: */
static bool
read_def(struct reader *r)
{
	sf_fx_next(&r->lexer);
	if (r->lexer.token.kind != SF_FX_NAME)
		return sf_fx_expected(
		    &r->lexer, "the function's name", r->error);
	sf_fx_next(&r->lexer);
	if (!need(r, "("))
		return false;
	while (!sf_fx_take(&r->lexer, ")"))
		if (!read_parameter(r))
			return false;
	if (sf_fx_take(&r->lexer, "->") && read_value(r) == NULL)
		return false;
	return need(r, ":");
}

/* class NAME(torch.nn.Module): whose parent is the last one further left. */
static bool
read_class(struct reader *r)
{
	int column = r->lexer.token.column;
	struct sf_fx_module *parent = r->module,
			    *m = sf_arena_calloc(r->arena, 1, sizeof *m);
	struct sf_str rest, name;
	const char *end;

	sf_fx_next(&r->lexer);
	rest = sf_fx_rest_of_line(&r->lexer);
	end = sf_str_chr(rest, '(');
	name = (struct sf_str){ rest.p,
		end != NULL ? (size_t)(end - rest.p) : rest.n };
	if (end == NULL || name.n == 0)
		return sf_fail(r->error,
		    "found 'class %.*s', expected class NAME(...):",
		    SF_STR_ARG(rest));
	while (parent != NULL && parent->column >= column)
		parent = parent->parent;
	*m = (struct sf_fx_module){
		.name = name, .column = column, .parent = parent
	};
	if (r->module != NULL)
		r->module->next = m;
	else
		r->graph->top = m;
	r->module = m;
	return true;
}

/* return pytree.tree_unflatten([...], self._out_spec) returns the list. */
static bool
read_return(struct reader *r)
{
	struct sf_fx_value *v;

	sf_fx_next(&r->lexer);
	if ((v = read_value(r)) == NULL)
		return false;
	if (v->kind == SF_FX_CALL &&
	    sf_fx_value_is(v->items[0], "pytree.tree_unflatten") &&
	    v->nitems >= 2)
		v = v->items[1];
	if (sf_fx_is(&r->lexer, ",")) {
		/* A tuple without its brackets. */
		struct sf_fx_value *tuple =
		    sf_arena_calloc(r->arena, 1, sizeof *tuple);
		int room = 0;

		tuple->kind = SF_FX_TUPLE;
		do {
			tuple->items = sf_fx_one_more(r->arena, tuple->items,
			    tuple->nitems, &room, sizeof(*tuple->items));
			tuple->items[tuple->nitems++] = v;
			if (!sf_fx_take(&r->lexer, ","))
				break;
			v = r->lexer.token.kind == SF_FX_NEWLINE ||
				sf_fx_is(&r->lexer, ";")
			    ? NULL
			    : read_value(r);
		} while (v != NULL);
		v = tuple;
	}
	r->module->result = v;
	return true;
}

/* a, b, = fx_pytree.tree_flatten_spec(...): the inputs by their names. */
static bool
read_names(struct reader *r, struct sf_str name)
{
	for (;;) {
		const struct sf_fx_module *m = r->module;
		bool known = false;

		for (int i = 0; m->declared && i < m->ninputs; i++)
			known = known || sf_str_eq(m->inputs[i].name, name);
		if (!m->declared) {
			r->module->declared = true;
			r->module->ninputs = 0;
		}
		if (!known)
			add_input(r, name, SF_STR(""));
		if (!sf_fx_take(&r->lexer, ",") || sf_fx_is(&r->lexer, "="))
			break;
		name = r->lexer.token.text;
		if (r->lexer.token.kind != SF_FX_NAME)
			return sf_fx_expected(&r->lexer, "a name", r->error);
		sf_fx_next(&r->lexer);
	}
	return need(r, "=") && read_value(r) != NULL;
}

/* A name with its type, and no value: an input of the graph. */
static void
declare(struct reader *r, struct sf_str name, struct sf_str type, int64_t line)
{
	struct sf_fx_input *input;

	if (!r->module->declared) {
		r->module->declared = true;
		r->module->ninputs = 0;
	}
	input = add_input(r, name, type);
	if (r->lexer.comment_line == line)
		input->comment = r->lexer.comment;
}

/* The value behind a "="; of "a = b = None" NULL and true: a name is dropped. */
static bool
read_right(struct reader *r, struct sf_fx_value **v)
{
	bool chain = false;

	do {
		sf_fx_next(&r->lexer);
		if ((*v = read_value(r)) == NULL)
			return false;
		chain = chain || sf_fx_is(&r->lexer, "=");
	} while (sf_fx_is(&r->lexer, "="));
	if (chain || sf_fx_value_is(*v, "None"))
		*v = NULL;
	return true;
}

/* x = next(args_iter) hands on an input; args_list.clear() does nothing. */
static bool
is_boxing(struct reader *r, const struct sf_fx_line *line)
{
	const struct sf_fx_value *v = line->value;

	if (v->kind != SF_FX_CALL || v->items[0]->kind != SF_FX_WORD)
		return false;
	if (line->name.n == 0)
		return sf_str_is(v->items[0]->text, "args_list.clear");
	if (sf_str_is(v->items[0]->text, "next")) {
		declare(r, line->name, line->type, -2);
		return true;
	}
	return sf_str_is(v->items[0]->text, "iter");
}

static struct sf_fx_value *
pair(struct reader *r, struct sf_fx_value *a, struct sf_fx_value *b)
{
	struct sf_fx_value *v = sf_arena_calloc(r->arena, 1, sizeof *v);

	v->kind = SF_FX_TUPLE;
	v->nitems = 2;
	v->items = sf_arena_calloc(r->arena, 2, sizeof(*v->items));
	v->items[0] = a;
	v->items[1] = b;
	return v;
}

/* x += y, x @= y. */
static bool
read_update(struct reader *r, struct sf_fx_line *line, struct sf_fx_value *left)
{
	struct sf_fx_value *right;

	line->kind = SF_FX_UPDATE;
	line->mark = r->lexer.token.text;
	line->mark.n--;
	sf_fx_next(&r->lexer);
	if ((right = read_value(r)) == NULL)
		return false;
	line->value = pair(r, left, right);
	add_line(r, *line);
	return true;
}

static bool
is_update(const struct sf_fx_lexer *l)
{
	struct sf_str t = l->token.text;

	return l->token.kind == SF_FX_MARK && t.n >= 2 && t.p[t.n - 1] == '=' &&
	    memchr("=!<>", t.p[0], 4) == NULL;
}

/* One statement; several stand in a line with ";" between. */
static bool
read_statement(struct reader *r)
{
	struct sf_fx_line line = { .line = r->lexer.token.line };
	struct sf_fx_value *left, *right;

	if (r->lexer.token.kind == SF_FX_STRING) {
		sf_fx_next(&r->lexer); /* what FX_GRAPH_SHOW_META adds */
		return true;
	}
	if ((left = read_value(r)) == NULL)
		return false;
	if (left->kind == SF_FX_WORD && sf_fx_is(&r->lexer, ","))
		return read_names(r, left->text);
	if (is_update(&r->lexer))
		return read_update(r, &line, left);
	if (left->kind == SF_FX_WORD && sf_fx_take(&r->lexer, ":")) {
		if (!read_type(r, &line.type))
			return false;
		if (!sf_fx_is(&r->lexer, "=")) {
			declare(r, left->text, line.type, line.line);
			return true;
		}
	}
	if (!sf_fx_is(&r->lexer, "=")) {
		line.value = left;
		if (!is_boxing(r, &line))
			add_line(r, line);
		return true;
	}
	if (!read_right(r, &right) || right == NULL)
		return right == NULL && r->error->text[0] == '\0';
	if (left->kind == SF_FX_WORD) {
		line.name = left->text;
		line.value = right;
	} else {
		line.kind = SF_FX_STORE;
		line.value = pair(r, left, right);
	}
	if (!is_boxing(r, &line))
		add_line(r, line);
	return true;
}

static bool
read_statements(struct reader *r)
{
	do {
		if (r->lexer.token.kind <= SF_FX_NEWLINE)
			break;
		if (sf_fx_is(&r->lexer, "return") ? !read_return(r)
						  : !read_statement(r))
			return false;
	} while (sf_fx_take(&r->lexer, ";"));
	if (r->lexer.token.kind <= SF_FX_NEWLINE)
		return true;
	return sf_fx_expected(&r->lexer, "the end of the line", r->error);
}

/* Lines before the first class are stepped over. */
static bool
read_lines(struct reader *r)
{
	struct sf_fx_lexer *l = &r->lexer;

	while (l->token.kind != SF_FX_END) {
		bool class = sf_fx_is(l, "class");
		bool outside = r->module != NULL &&
		    l->token.column <= r->graph->top->column;

		if (l->token.kind == SF_FX_NEWLINE) {
			sf_fx_next(l);
		} else if (outside) {
			r->graph->tail = (struct sf_str){ l->line_start,
				(size_t)(l->end - l->line_start) };
			return true;
		} else if (r->module == NULL && !class) {
			sf_fx_rest_of_line(l);
		} else if (class) {
			if (!read_class(r))
				return false;
		} else if (sf_fx_is(l, "def")) {
			if (!read_def(r))
				return false;
			if (r->inputs_only)
				return true;
		} else if (sf_fx_take(l, "pass")) {
			continue;
		} else if (!read_statements(r)) {
			return false;
		}
	}
	return true;
}

static bool
parse(struct reader *r, struct sf_str text, int64_t *line)
{
	bool read;

	*r->graph = (struct sf_fx_graph){ .tail = SF_STR("") };
	r->error->text[0] = '\0';
	sf_fx_lexer_init(&r->lexer, text);
	read = read_lines(r);
	*line = r->lexer.token.line;
	return read &&
	    (r->graph->top != NULL ||
		sf_fail(r->error, "found no class, expected a graph"));
}

bool
sf_fx_graph_parse_inputs(struct sf_fx_graph *graph, struct sf_str text,
    struct sf_arena *arena, int64_t *line, struct sf_error *error)
{
	struct reader r = { .arena = arena,
		.error = error,
		.graph = graph,
		.inputs_only = true };

	return parse(&r, text, line);
}

bool
sf_fx_graph_parse(struct sf_fx_graph *graph, struct sf_str text,
    struct sf_arena *arena, int64_t *line, struct sf_error *error)
{
	struct reader r = { .arena = arena, .error = error, .graph = graph };

	if (!parse(&r, text, line))
		return false;
	for (const struct sf_fx_module *m = graph->top; m != NULL; m = m->next)
		if (m->result == NULL)
			return sf_fail(error,
			    "graph '%.*s' ends without its return",
			    SF_STR_ARG(m->name));
	return true;
}

const struct sf_fx_module *
sf_fx_module_find(const struct sf_fx_module *module, struct sf_str name)
{
	for (const struct sf_fx_module *m = module->next; m != NULL;
	     m = m->next)
		if (m->parent == module && sf_str_eq(m->name, name))
			return m;
	return NULL;
}
