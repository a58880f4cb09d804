/* From the lines of a graph to operators. */
#include "compile/fx-program.h"

#include <string.h>

#include "base/num.h"
#include "compile/fx-op.h"

/* ---- lines ---- */

static struct sf_fx_val *
walk_module(struct sf_fx_walk *w, const struct sf_fx_module *module,
    struct sf_str name, struct sf_fx_val **args, int nargs);

/*
 * Operators that run a graph once, on the arguments behind it; all others that
 * take graphs decide whether and how often.
 */
static bool
runs_once(struct sf_str op)
{
	static const struct sf_str once =
	    SF_STR_INIT("invoke_subgraph wrap wrap_with_set_grad_enabled "
			"wrap_with_autocast wrap_activation_checkpoint "
			"tag_activation_checkpoint strict_mode hints_wrapper "
			"inductor_compiled_code dynamo_bypassing_wrapper "
			"invoke_quant_packed invoke_quant local_map_hop");

	return sf_fx_place_of(once, op) >= 0;
}

/* The values behind argument GRAPH that the graph is given, lists apart. */
static struct sf_fx_val **
graph_arguments(
    struct sf_fx_walk *w, const struct sf_fx_value *value, int graph, int *n)
{
	struct sf_fx_val **args = NULL;
	int room = 0;

	*n = 0;
	for (int i = graph + 1; i < value->nitems; i++) {
		const struct sf_fx_value *arg = value->items[i];
		struct sf_fx_val *v;

		if (arg->key.n != 0 || arg->kind == SF_FX_TEXT)
			continue;
		v = sf_fx_val_of(w, arg);
		for (int k = 0;
		     k < (v->kind == SF_FX_VAL_ITEMS ? v->nitems : 1); k++) {
			args = sf_fx_one_more(
			    w->program->arena, args, *n, &room, sizeof(*args));
			args[(*n)++] =
			    v->kind == SF_FX_VAL_ITEMS ? v->items[k] : v;
		}
	}
	return args;
}

/* auto_functionalized(torch.ops.ns.op, x = ...): its operator, as named. */
static struct sf_fx_val *
call_wrapped(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value)
{
	for (int i = 1; i < value->nitems; i++) {
		const struct sf_fx_value *arg = value->items[i];

		if (arg->kind == SF_FX_WORD &&
		    sf_str_starts(arg->text, "torch.ops.")) {
			struct sf_fx_callee callee = sf_fx_callee_of(
			    arg->text, w->program->rules, w->program->arena);

			callee.op = SF_STR("");
			return sf_fx_call_op(w, line, &callee, value);
		}
	}
	return NULL;
}

static struct sf_fx_val *
call_higher_order(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_callee *callee, const struct sf_fx_value *value)
{
	const struct sf_fx_module *module = NULL;
	struct sf_fx_val **args, *v;
	int graph = 0, n;

	for (int i = 1; module == NULL && i < value->nitems; i++) {
		v = sf_fx_val_of(w, value->items[i]);
		module = v->kind == SF_FX_VAL_MODULE ? v->module : NULL;
		graph = i;
	}
	if (module != NULL && runs_once(callee->op)) {
		args = graph_arguments(w, value, graph, &n);
		if (n >= module->ninputs)
			return walk_module(w, module, line->name, args, n);
	}
	if (sf_fx_place_of(SF_STR("auto_functionalized auto_functionalized_v2 "
				  "with_effects call_torchbind"),
		callee->op) >= 0 &&
	    (v = call_wrapped(w, line, value)) != NULL)
		return v;
	if ((v = sf_fx_call_op(w, line, callee, value)) != NULL &&
	    module != NULL &&
	    sf_rulebook_find(w->program->rules, callee->name) == NULL)
		w->program->ops[v->op].closed =
		    "which of its graphs run, and how often, depends on data "
		    "and not on the graph";
	return v;
}

/* self.NAME(...): a graph that is there, or a module that is not. */
static struct sf_fx_val *
call_module(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value, struct sf_str name)
{
	const struct sf_fx_module *module =
	    sf_fx_module_find(w->scope->module, name);
	struct sf_fx_callee callee = { .kind = SF_TORCH_OP };
	struct sf_fx_val **args;
	int n;

	if (module != NULL) {
		args = graph_arguments(w, value, 0, &n);
		if (n >= module->ninputs)
			return walk_module(w, module, line->name, args, n);
	}
	callee.name = sf_str_of(sf_arena_printf(
	    w->program->arena, "module.%.*s", SF_STR_ARG(name)));
	return sf_fx_call_op(w, line, &callee, value);
}

/* x.view(2, 3): the tensor is the first argument. */
static struct sf_fx_val *
call_method(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value, struct sf_fx_value *self,
    struct sf_str method)
{
	struct sf_arena *arena = w->program->arena;
	struct sf_fx_value call = *value;
	struct sf_fx_callee callee =
	    sf_fx_callee_of(sf_str_of(sf_arena_printf(arena,
				"torch.Tensor.%.*s", SF_STR_ARG(method))),
		w->program->rules, arena);

	call.nitems++;
	call.items =
	    sf_arena_calloc(arena, (size_t)call.nitems, sizeof(*call.items));
	call.items[0] = value->items[0];
	call.items[1] = self;
	memcpy(call.items + 2, value->items + 1,
	    ((size_t)value->nitems - 1) * sizeof(*call.items));
	return sf_fx_call_op(w, line, &callee, &call);
}

/* The last name behind a dot, cut off *TEXT. */
static struct sf_str
cut_last(struct sf_str *text)
{
	const char *dot = sf_str_rchr(*text, '.');
	struct sf_str last = *text;

	if (dot == NULL)
		return SF_STR("");
	last.p = dot + 1;
	last.n = (size_t)(text->p + text->n - last.p);
	text->n = (size_t)(dot - text->p);
	return last;
}

/* getattr(self.m, '0')(...), or a method of what is no name. */
static struct sf_fx_val *
call_odd(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value)
{
	struct sf_fx_value *callee = value->items[0];

	if (callee->kind == SF_FX_ATTR)
		return call_method(
		    w, line, value, callee->items[0], callee->text);
	if (callee->kind == SF_FX_CALL && callee->nitems == 3 &&
	    sf_fx_value_is(callee->items[0], "getattr") &&
	    callee->items[2]->kind == SF_FX_TEXT)
		return call_module(w, line, value, callee->items[2]->text);
	sf_fail(w->error, "found a call of a value, expected one of a name");
	return NULL;
}

static struct sf_fx_val *
call(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value)
{
	struct sf_arena *arena = w->program->arena;
	struct sf_fx_value *self;
	struct sf_fx_callee callee;
	struct sf_str text, last;

	if (value->items[0]->kind != SF_FX_WORD)
		return call_odd(w, line, value);
	text = value->items[0]->text;
	if (sf_str_starts(text, "self."))
		return call_module(
		    w, line, value, (struct sf_str){ text.p + 5, text.n - 5 });
	if (sf_fx_lookup(w, text) != NULL) {
		last = cut_last(&text);
		self = sf_arena_calloc(arena, 1, sizeof *self);
		self->kind = SF_FX_WORD;
		self->text = text;
		return call_method(w, line, value, self, last);
	}
	callee = sf_fx_callee_of(text, w->program->rules, arena);
	if (callee.kind == SF_TORCH_HIGHER_ORDER)
		return call_higher_order(w, line, &callee, value);
	if (callee.kind == SF_TORCH_PYTHON && !sf_fx_touches_tensor(w, value))
		return sf_fx_val_new(w, SF_FX_VAL_SCALAR);
	return sf_fx_call_op(w, line, &callee, value);
}

/* A sign between tensors, or before one; of sizes it is no operator. */
static struct sf_fx_val *
apply(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value, struct sf_str sign, bool update)
{
	struct sf_arena *arena = w->program->arena;
	struct sf_fx_value call = { .kind = SF_FX_CALL,
		.nitems = value->nitems + 1 };
	struct sf_fx_callee callee;

	if (!sf_fx_touches_tensor(w, value))
		return sf_fx_val_new(w, SF_FX_VAL_SCALAR);
	call.items =
	    sf_arena_calloc(arena, (size_t)call.nitems, sizeof(*call.items));
	memcpy(call.items + 1, value->items,
	    (size_t)value->nitems * sizeof(*call.items));
	callee = sf_fx_callee_of(value->nitems == 1
		? sf_str_of(
		      sf_arena_printf(arena, "unary%.*s", SF_STR_ARG(sign)))
		: sign,
	    w->program->rules, arena);
	if (update)
		callee.name = sf_str_of(
		    sf_arena_printf(arena, "%.*s_", SF_STR_ARG(callee.name)));
	return sf_fx_call_op(w, line, &callee, &call);
}

/* x[...]: a result of several, an item of a tuple, or a view of a tensor. */
static struct sf_fx_val *
subscript(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value)
{
	const struct sf_fx_value *index = value->items[1];
	struct sf_fx_val *base = sf_fx_val_of(w, value->items[0]);
	struct sf_fx_callee callee = { .kind = SF_TORCH_OP,
		.name = SF_STR("prim.getitem") };
	struct sf_fx_value call = { .kind = SF_FX_CALL, .nitems = 3 };
	int64_t k = -1;

	if (index->kind == SF_FX_INT &&
	    !sf_int_parse(index->text.p, index->text.n, &k))
		k = -1;
	if (base->kind == SF_FX_VAL_RESULTS && index->kind == SF_FX_INT) {
		if (k >= 0 && k < SF_FX_MAX_RESULTS)
			return sf_fx_pick(w, line, base, (int)k);
		sf_fail(w->error, "found result %.*s, expected 0 to %d",
		    SF_STR_ARG(index->text), SF_FX_MAX_RESULTS - 1);
		return NULL;
	}
	if (base->kind == SF_FX_VAL_ITEMS && k >= 0 && k < base->nitems)
		return base->items[k];
	if (sf_fx_val_tensor(w, base) == NULL)
		return sf_fx_val_new(w, SF_FX_VAL_SCALAR);
	if (sf_fx_gathers(w, index))
		callee.name = SF_STR("aten.index");
	call.items = sf_arena_calloc(w->program->arena, 3, sizeof(*call.items));
	call.items[1] = value->items[0];
	call.items[2] = value->items[1];
	return sf_fx_call_op(w, line, &callee, &call);
}

/* self.NAME: a graph, or a tensor that the module holds; x.T: a view. */
static struct sf_fx_val *
attribute(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_value *value)
{
	struct sf_str text = value->text, name;
	struct sf_fx_value call = { .kind = SF_FX_CALL, .nitems = 1 };
	struct sf_fx_value *self;
	struct sf_fx_type type;
	struct sf_fx_val *v;

	if (!sf_fx_read_type(w, line, &type))
		return NULL;
	if (sf_str_starts(text, "self.")) {
		name = (struct sf_str){ text.p + 5, text.n - 5 };
		v = sf_fx_val_new(w, SF_FX_VAL_MODULE);
		v->module = sf_fx_module_find(w->scope->module, name);
		if (v->module != NULL)
			return v;
		v->kind = type.kind == SF_FX_TENSOR ? SF_FX_VAL_TENSOR
						    : SF_FX_VAL_UNTYPED;
		v->tensor = type.tensor;
		v->tensor.tid = sf_fx_full_name(w, line->name);
		return v;
	}
	if (sf_fx_lookup(w, text) == NULL || type.kind != SF_FX_TENSOR)
		return sf_fx_val_of(w, value);
	name = cut_last(&text);
	self = sf_arena_calloc(w->program->arena, 1, sizeof *self);
	self->kind = SF_FX_WORD;
	self->text = text;
	call.items = &self; /* stands for the function, which is not read */
	return call_method(w, line, &call, self, name);
}

static struct sf_fx_val *
evaluate(struct sf_fx_walk *w, const struct sf_fx_line *line)
{
	const struct sf_fx_value *value = line->value;

	switch (value->kind) {
	case SF_FX_CALL:
		return call(w, line, value);
	case SF_FX_UNARY:
	case SF_FX_BINARY:
		return apply(w, line, value, value->text, false);
	case SF_FX_INDEX:
		return subscript(w, line, value);
	case SF_FX_WORD:
		return sf_str_chr(value->text, '.') != NULL
		    ? attribute(w, line, value)
		    : sf_fx_val_of(w, value);
	default:
		return sf_fx_val_of(w, value);
	}
}

/* x += y, x[i] = y: what was x is made anew, by the same name. */
static bool
change(struct sf_fx_walk *w, const struct sf_fx_line *line)
{
	const struct sf_fx_value *target = line->value->items[0];
	struct sf_fx_callee setitem = { .kind = SF_TORCH_OP,
		.name = SF_STR("operator.setitem") };
	struct sf_fx_line made = *line;
	struct sf_fx_value call = { .kind = SF_FX_CALL, .nitems = 4 };
	struct sf_fx_val *old, *v;
	const struct sf_tensor *tensor;
	int n = w->program->nops;

	if (line->kind == SF_FX_STORE && target->kind != SF_FX_INDEX)
		return sf_fail(
		    w->error, "found a value before '=', expected a name");
	if (target->kind == SF_FX_INDEX && line->kind == SF_FX_STORE)
		target = target->items[0];
	old = sf_fx_val_of(w, target);
	if (target->kind == SF_FX_WORD)
		made.name = target->text;
	made.type = SF_STR("");
	if (line->kind == SF_FX_UPDATE) {
		v = apply(w, &made, line->value, line->mark, true);
	} else {
		call.items = (struct sf_fx_value *[]){ NULL,
			line->value->items[0]->items[0],
			line->value->items[0]->items[1],
			line->value->items[1] };
		v = sf_fx_call_op(w, &made, &setitem, &call);
	}
	if (v == NULL)
		return false;
	if (w->program->nops > n && (tensor = sf_fx_val_tensor(w, old)) != NULL)
		sf_fx_set_output(w, w->program->nops - 1, 0, *tensor);
	return true;
}

static bool
walk_line(struct sf_fx_walk *w, const struct sf_fx_line *line)
{
	struct sf_fx_val *v;

	w->line = line->line;
	if (line->kind != SF_FX_ASSIGN)
		return change(w, line);
	v = evaluate(w, line);
	if (v == NULL)
		return false;
	if (w->too_long)
		return sf_fail(w->error, "found a list of more than %d items",
		    SF_FX_MAX_ITEMS);
	if (line->name.n != 0)
		sf_table_add(&w->scope->names, line->name)->ptr = v;
	return true;
}

/* ---- graphs ---- */

static bool
walk_lines(struct sf_fx_walk *w)
{
	for (int i = 0; i < w->scope->module->nlines; i++)
		if (!walk_line(w, &w->scope->module->lines[i]))
			return false;
	return true;
}

/* The values that a graph returns are used. */
static struct sf_fx_val *
result_of_module(struct sf_fx_walk *w)
{
	struct sf_fx_val *v = sf_fx_val_of(w, w->scope->module->result);

	sf_fx_val_tensor(w, v);
	for (int i = 0; v->kind == SF_FX_VAL_ITEMS && i < v->nitems; i++)
		sf_fx_val_tensor(w, v->items[i]);
	return v;
}

/* Runs a graph that is called by NAME, whose values stand under it. */
static struct sf_fx_val *
walk_module(struct sf_fx_walk *w, const struct sf_fx_module *module,
    struct sf_str name, struct sf_fx_val **args, int nargs)
{
	struct sf_fx_scope scope = { .module = module, .up = w->scope };
	struct sf_fx_val *v = NULL;

	if (w->depth == SF_FX_DEEPEST || ++w->calls > SF_FX_MAX_CALLS) {
		sf_fail(w->error,
		    "found graphs in graphs more than %d deep, or more than "
		    "%d calls of them",
		    SF_FX_DEEPEST, SF_FX_MAX_CALLS);
		return NULL;
	}
	scope.prefix = sf_str_of(sf_arena_printf(
	    w->program->arena, "%.*s/", SF_STR_ARG(sf_fx_full_name(w, name))));
	sf_table_init(&scope.names, w->program->arena);
	for (int i = 0; i < nargs && i < module->ninputs; i++)
		sf_table_add(&scope.names, module->inputs[i].name)->ptr =
		    args[i];
	w->scope = &scope;
	w->depth++;
	if (walk_lines(w))
		v = result_of_module(w);
	w->depth--;
	w->scope = scope.up;
	sf_table_release(&scope.names);
	return v;
}

/* An input of the graph as a value. */
static void
bind_input(struct sf_fx_walk *w, int i, bool param)
{
	const struct sf_fx_input *input = &w->scope->module->inputs[i];
	const struct sf_fx_type *type = &w->program->inputs[i];
	struct sf_fx_val *v = sf_fx_val_new(w, SF_FX_VAL_TENSOR);

	if (type->kind == SF_FX_SCALAR || type->kind == SF_FX_OPAQUE)
		v->kind = SF_FX_VAL_SCALAR;
	else if (type->kind == SF_FX_UNTYPED)
		v->kind = SF_FX_VAL_UNTYPED;
	v->tensor = type->tensor;
	v->tensor.tid = input->name;
	v->tensor.param = param;
	if (param)
		sf_table_add(&w->program->params, input->name);
	sf_table_add(&w->scope->names, input->name)->ptr = v;
}

/* What the graph returns outlives it. */
static void
mark_kept(struct sf_fx_program *p, struct sf_table *kept)
{
	for (int i = 0; i < p->nops; i++)
		for (int k = 0; k < p->ops[i].noutputs; k++) {
			struct sf_tensor *t = &p->ops[i].outputs[k];

			t->kept =
			    !t->absent && sf_table_find(kept, t->tid) != NULL;
		}
}

static void
keep_results(struct sf_table *kept, const struct sf_fx_val *v)
{
	if (v->kind == SF_FX_VAL_TENSOR)
		sf_table_add(kept, v->tensor.tid);
	for (int i = 0; v->kind == SF_FX_VAL_ITEMS && i < v->nitems; i++)
		keep_results(kept, v->items[i]);
}

/* Calls of Python's that have to do with no tensor are no operators. */
static void
drop_idle(struct sf_fx_program *p)
{
	int kept = 0;

	for (int i = 0; i < p->nops; i++)
		if (!p->ops[i].python || p->ops[i].ninputs != 0 ||
		    p->ops[i].noutputs != 0)
			p->ops[kept++] = p->ops[i];
	p->nops = kept;
}

bool
sf_fx_program_inputs(struct sf_fx_program *p, const struct sf_fx_graph *graph,
    struct sf_error *error)
{
	int n = graph->top->ninputs;

	p->inputs = sf_arena_calloc(p->arena, (size_t)n + 1, sizeof *p->inputs);
	for (int i = 0; i < n; i++)
		if (!sf_fx_type_parse(&p->inputs[i], graph->top->inputs[i].type,
			p->symbols, p->arena, error))
			return false;
	return true;
}

bool
sf_fx_program_make(struct sf_fx_program *p, const struct sf_fx_graph *graph,
    const bool *params, int64_t *line, struct sf_error *error)
{
	struct sf_fx_scope scope = { .module = graph->top,
		.prefix = SF_STR("") };
	struct sf_fx_walk w = { .program = p, .error = error, .scope = &scope };
	struct sf_table kept;
	bool walked;

	*line = 0;
	sf_table_init(&kept, p->arena);
	sf_table_init(&p->params, p->arena);
	sf_table_init(&scope.names, p->arena);
	walked = sf_fx_program_inputs(p, graph, error);
	for (int i = 0; walked && i < graph->top->ninputs; i++)
		bind_input(&w, i, params != NULL && params[i]);
	walked = walked && walk_lines(&w);
	if (walked)
		keep_results(&kept, result_of_module(&w));
	*line = w.line;
	mark_kept(p, &kept);
	sf_table_release(&kept);
	sf_table_release(&scope.names);
	drop_idle(p);
	return walked;
}

void
sf_fx_program_release(struct sf_fx_program *p)
{
	sf_table_release(&p->params);
}
