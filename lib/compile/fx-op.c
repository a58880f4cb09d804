/* Operators of a graph: what they take and what they give. */
#include "compile/fx-op.h"

#include <string.h>

#include "rules/rule.h"

/* ---- operators ---- */

static struct sf_fx_op *
add_op(struct sf_fx_walk *w, struct sf_str name, struct sf_str node)
{
	struct sf_fx_program *p = w->program;

	if (p->nops == SF_FX_MAX_OPS) {
		sf_fail(
		    w->error, "found more than %d operators", SF_FX_MAX_OPS);
		return NULL;
	}
	p->ops =
	    sf_fx_one_more(p->arena, p->ops, p->nops, &p->room, sizeof *p->ops);
	p->ops[p->nops] =
	    (struct sf_fx_op){ .name = name, .node = sf_fx_full_name(w, node) };
	return &p->ops[p->nops++];
}

/* A view's results depend on what it views alone. */
static bool
hands_on(struct sf_fx_walk *w, const struct sf_fx_op *op)
{
	const struct sf_rule *rule =
	    sf_rulebook_find(w->program->rules, op->name);

	return rule != NULL && rule->aliases && op->ninputs != 0 &&
	    !op->inputs[0].absent && op->inputs[0].param;
}

/* Result PLACE of operator I: TENSOR, by that name. */
void
sf_fx_set_output(
    struct sf_fx_walk *w, int i, int place, struct sf_tensor tensor)
{
	struct sf_fx_op *op = &w->program->ops[i];

	while (op->noutputs <= place) {
		op->outputs = sf_fx_one_more(w->program->arena, op->outputs,
		    op->noutputs, &op->output_room, sizeof *op->outputs);
		op->outputs[op->noutputs++] =
		    (struct sf_tensor){ .absent = true };
	}
	tensor.param = hands_on(w, op);
	op->outputs[place] = tensor;
	if (tensor.param)
		sf_table_add(&w->program->params, tensor.tid);
}

/* ---- arguments ---- */

/* The tensors of a call, and how many None wait for one behind them. */
struct call {
	struct sf_fx_op *op;
	struct sf_jsonw attrs;
	int missing;
};

static struct sf_tensor *
add_input(struct sf_fx_walk *w, struct sf_fx_op *op)
{
	op->inputs = sf_fx_one_more(w->program->arena, op->inputs, op->ninputs,
	    &op->input_room, sizeof *op->inputs);
	return &op->inputs[op->ninputs++];
}

static void
take_tensor(
    struct sf_fx_walk *w, struct call *call, const struct sf_tensor *tensor)
{
	for (; call->missing > 0; call->missing--)
		*add_input(w, call->op) = (struct sf_tensor){ .absent = true };
	*add_input(w, call->op) = *tensor;
}

/*
 * The tensors in V; in a list that has some, None stands for one left out.
 * False when there is none.
 */
static bool
take_tensors(struct sf_fx_walk *w, struct call *call, struct sf_fx_val *v)
{
	const struct sf_tensor *tensor = sf_fx_val_tensor(w, v);

	if (tensor != NULL) {
		take_tensor(w, call, tensor);
		return true;
	}
	if (v->kind != SF_FX_VAL_ITEMS || !sf_fx_val_has_tensor(v))
		return false;
	for (int i = 0; i < v->nitems; i++)
		if (!take_tensors(w, call, v->items[i]) &&
		    v->items[i]->kind == SF_FX_VAL_NONE)
			call->missing++;
	return true;
}

/* An argument that is no tensor, by its name where that is known. */
static void
take_attr(struct sf_fx_walk *w, struct call *call, struct sf_str name,
    const struct sf_fx_value *value)
{
	size_t n = call->attrs.buf.n;
	bool comma = call->attrs.comma;

	if (name.n == 0)
		return;
	if (n == 0)
		sf_jsonw_open(&call->attrs, '{');
	sf_jsonw_name(&call->attrs, name);
	if (sf_fx_put_value(w, &call->attrs, value))
		return;
	call->attrs.buf.n = n;
	call->attrs.comma = comma;
}

static void
take_argument(struct sf_fx_walk *w, struct call *call, struct sf_str name,
    const struct sf_fx_value *value)
{
	struct sf_fx_val *v = sf_fx_val_of(w, value);

	if (take_tensors(w, call, v))
		return;
	if (v->kind == SF_FX_VAL_NONE)
		call->missing += value->key.n == 0;
	else
		take_attr(w, call, name, value);
}

/* The arguments in the order of the operator, NULL for one that is not given. */
static const struct sf_fx_value **
arrange(struct sf_fx_walk *w, const struct sf_fx_callee *callee,
    const struct sf_fx_value *call, int *n)
{
	const struct sf_fx_value **given, **ordered;
	int room = call->nitems + 8, from, next = 0;

	given = sf_arena_calloc(w->program->arena, (size_t)room, sizeof *given);
	*n = 0;
	for (int i = 1; i < call->nitems; i++) {
		const struct sf_fx_value *v = call->items[i];
		int place = v->key.n != 0
		    ? sf_fx_place_of(callee->parameters, v->key)
		    : -1;

		if (place < 0)
			place = *n;
		given[place] = v;
		*n = place >= *n ? place + 1 : *n;
	}
	if (callee->order.n == 0)
		return given;
	ordered =
	    sf_arena_calloc(w->program->arena, (size_t)room, sizeof *given);
	for (struct sf_str order = callee->order; order.n != 0;) {
		struct sf_str word = sf_str_cut(&order, ' ');

		from = word.p[0] - '0';
		ordered[next++] = from < *n ? given[from] : NULL;
	}
	for (from = next; from < *n; from++)
		ordered[next++] = given[from];
	*n = next;
	return ordered;
}

static void
take_arguments(struct sf_fx_walk *w, struct call *call,
    const struct sf_fx_callee *callee, const struct sf_fx_value *value)
{
	int n;
	const struct sf_fx_value **args = arrange(w, callee, value, &n);

	if (callee->overload.n != 0) {
		sf_jsonw_open(&call->attrs, '{');
		sf_jsonw_kstr(&call->attrs, "overload", callee->overload);
	}
	for (int i = 0; i < n; i++) {
		if (args[i] == NULL)
			call->missing++;
		else if (args[i]->key.n != 0 && sf_str_is(args[i]->key, "out"))
			continue;
		else
			take_argument(w, call,
			    args[i]->key.n != 0
				? args[i]->key
				: sf_fx_argument_name(callee->op, i),
			    args[i]);
	}
}

static void
finish_call(struct sf_fx_walk *w, struct call *call)
{
	if (call->attrs.buf.n != 0) {
		sf_jsonw_close(&call->attrs, '}');
		call->op->attrs =
		    (struct sf_str){ sf_arena_strndup(w->program->arena,
					 call->attrs.buf.p, call->attrs.buf.n),
			    call->attrs.buf.n };
	}
	sf_buf_release(&call->attrs.buf);
}

/* ---- results ---- */

bool
sf_fx_read_type(struct sf_fx_walk *w, const struct sf_fx_line *line,
    struct sf_fx_type *type)
{
	return sf_fx_type_parse(
	    type, line->type, w->program->symbols, w->program->arena, w->error);
}

/* What the call of the last operator gives. */
static struct sf_fx_val *
result_of(struct sf_fx_walk *w, const struct sf_fx_line *line)
{
	int i = w->program->nops - 1;
	struct sf_fx_type type;
	struct sf_fx_val *v;

	if (!sf_fx_read_type(w, line, &type))
		return NULL;
	v = sf_fx_val_new(w, SF_FX_VAL_RESULTS);
	v->op = i;
	if (type.kind == SF_FX_SCALAR) {
		v->kind = SF_FX_VAL_SCALAR;
	} else if (type.kind == SF_FX_TENSOR) {
		type.tensor.tid = sf_fx_full_name(w, line->name);
		sf_fx_set_output(w, i, 0, type.tensor);
		v->kind = SF_FX_VAL_TENSOR;
		v->tensor = w->program->ops[i].outputs[0];
	}
	return v;
}

/* A result without a type that is used as a tensor is one, of any shape. */
const struct sf_tensor *
sf_fx_val_tensor(struct sf_fx_walk *w, struct sf_fx_val *v)
{
	struct sf_tensor tensor = { .dtype = SF_DT_UNKNOWN };

	if (v->kind == SF_FX_VAL_TENSOR)
		return &v->tensor;
	if (v->kind == SF_FX_VAL_UNTYPED) {
		v->kind = SF_FX_VAL_TENSOR;
		return &v->tensor;
	}
	if (v->kind != SF_FX_VAL_RESULTS || v->picked)
		return NULL;
	tensor.tid = w->program->ops[v->op].node;
	if (v->place > 0)
		tensor.tid = sf_str_of(sf_arena_printf(w->program->arena,
		    "%.*s:%d", SF_STR_ARG(tensor.tid), v->place));
	sf_fx_set_output(w, v->op, v->place, tensor);
	v->kind = SF_FX_VAL_TENSOR;
	v->tensor = w->program->ops[v->op].outputs[v->place];
	return &v->tensor;
}

struct sf_fx_val *
sf_fx_pick(struct sf_fx_walk *w, const struct sf_fx_line *line,
    struct sf_fx_val *results, int k)
{
	struct sf_fx_val *v = sf_fx_val_new(w, SF_FX_VAL_RESULTS);
	const struct sf_fx_op *op = &w->program->ops[results->op];
	struct sf_fx_type type;

	if (!sf_fx_read_type(w, line, &type))
		return NULL;
	v->op = results->op;
	v->place = results->nested ? op->noutputs : k;
	results->picked = true;
	if (type.kind == SF_FX_SCALAR || type.kind == SF_FX_OPAQUE) {
		v->kind = SF_FX_VAL_SCALAR;
		return v;
	}
	if (type.kind == SF_FX_UNTYPED) {
		v->nested = true;
		return v;
	}
	if (v->place >= SF_FX_MAX_RESULTS) {
		sf_fail(w->error, "found result %d, expected fewer than %d",
		    v->place, SF_FX_MAX_RESULTS);
		return NULL;
	}
	v->kind = SF_FX_VAL_TENSOR;
	if (v->place < op->noutputs && !op->outputs[v->place].absent) {
		v->tensor = op->outputs[v->place]; /* asked for again */
		return v;
	}
	type.tensor.tid = sf_fx_full_name(w, line->name);
	sf_fx_set_output(w, v->op, v->place, type.tensor);
	v->tensor = w->program->ops[v->op].outputs[v->place];
	return v;
}

struct sf_fx_val *
sf_fx_call_op(struct sf_fx_walk *w, const struct sf_fx_line *line,
    const struct sf_fx_callee *callee, const struct sf_fx_value *value)
{
	struct call call = { .op = add_op(w, callee->name, line->name) };

	if (call.op == NULL)
		return NULL;
	call.op->python = callee->python;
	take_arguments(w, &call, callee, value);
	finish_call(w, &call);
	return result_of(w, line);
}
