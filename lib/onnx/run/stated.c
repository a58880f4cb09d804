/* What the user says beyond the model. */
#include "onnx/run/stated.h"

#include "base/buf.h"
#include "onnx/infer/declared.h"
#include "onnx/infer/given.h"
#include "onnx/infer/shape.h"
#include "onnx/read/attrs.h"
#include "rules/rule.h"
#include "rules/rulebook.h"
#include "stream/json.h"

struct sf_str
sf_onnx_type_name(struct sf_buf *buf, const struct sf_onnx_node *node)
{
	buf->n = 0;
	if (node->domain.n == 0)
		SF_BUF_LIT(buf, "onnx");
	else
		sf_buf_put(buf, node->domain.p, node->domain.n);
	sf_buf_putc(buf, '.');
	sf_buf_put(buf, node->op_type.p, node->op_type.n);
	return (struct sf_str){ buf->p, buf->n };
}

/* ---- rules ---- */

static struct sf_tensor
tensor_of(const struct sf_value *value)
{
	struct sf_tensor t = { .dtype = SF_DT_UNKNOWN,
		.absent = value == NULL };

	if (value == NULL)
		return t;
	t.tid = value->name;
	t.dtype = value->dtype;
	if (!value->rank_known || value->kind != SF_ONNX_TYPE_TENSOR)
		return t;
	t.rank_known = true;
	t.rank = value->rank;
	t.shape = value->dims;
	t.dim_names = value->dim_names;
	sf_tensor_measure(&t);
	return t;
}

/* The node as an operator of a trace, of which only the inputs are known. */
static void
make_op(const struct sf_infer *infer, struct sf_op *op)
{
	struct sf_arena *arena = infer->arena;
	struct sf_jsonw attrs = { 0 };
	char *text; /* a reader of JSON looks beyond its end */

	*op = (struct sf_op){ .ninputs = infer->ninputs,
		.noutputs = infer->noutputs };
	op->inputs =
	    sf_arena_calloc(arena, (size_t)op->ninputs, sizeof *op->inputs);
	for (int i = 0; i < op->ninputs; i++)
		op->inputs[i] = tensor_of(infer->inputs[i]);
	op->outputs =
	    sf_arena_calloc(arena, (size_t)op->noutputs, sizeof *op->outputs);
	op->attrs = SF_STR("");
	if (infer->node->nattrs == 0)
		return;
	sf_onnx_write_attrs(&attrs, infer->node);
	text = sf_arena_calloc(arena, attrs.buf.n + SF_JSON_PADDING, 1);
	memcpy(text, attrs.buf.p, attrs.buf.n);
	op->attrs = (struct sf_str){ text, attrs.buf.n };
	sf_buf_release(&attrs.buf);
}

static void
set_output(struct sf_infer *infer, int i, const struct sf_tensor *t)
{
	struct sf_shape shape = { .known = t->rank_known, .rank = t->rank };

	for (int k = 0; k < t->rank; k++)
		shape.d[k] =
		    (struct sf_onnx_dim){ t->shape[k], t->dim_names[k] };
	sf_infer_set(infer, i, t->dtype, &shape);
}

static bool
run_output(struct sf_infer *infer, struct sf_eval *e, int i)
{
	const struct sf_rule *rule = infer->entry->stated;
	const struct sf_shape_rule *shape = sf_rule_out(rule, i);
	struct sf_tensor out = { .dtype = SF_DT_UNKNOWN };

	if (shape == NULL) {
		sf_infer_unknown(
		    infer, i, "the rule in %s states no out%d", rule->place, i);
		return true;
	}
	if (!sf_shape_rule_eval(shape, e, sf_onnx_dtype, &out)) {
		struct sf_error inner = *e->error;

		return sf_fail(e->error, "%s: out%d = %.*s: %s", rule->place, i,
		    SF_STR_ARG(sf_shape_rule_text(shape)), inner.text);
	}
	set_output(infer, i, &out);
	if (e->open != NULL)
		sf_infer_unknown_from(
		    infer, i, infer->inputs[e->open - e->op->inputs]);
	else if (out.dtype == SF_DT_UNKNOWN)
		sf_infer_unknown(infer, i,
		    "the rule in %s states no type for out%d", rule->place, i);
	return true;
}

static bool
run_rule(struct sf_infer *infer)
{
	const struct sf_rule *rule = infer->entry->stated;
	struct sf_attrs attrs = { .read = false };
	struct sf_error inner;
	struct sf_op op;
	struct sf_eval e = { .op = &op,
		.arena = infer->arena,
		.error = infer->error,
		.attrs = &attrs };

	make_op(infer, &op);
	if (!sf_rule_check_inputs(rule, &e)) {
		inner = *infer->error;
		return sf_fail(infer->error, "%s: %s", rule->place, inner.text);
	}
	for (int i = 0; i < infer->noutputs; i++)
		if (infer->node->outputs[i].n != 0 && !run_output(infer, &e, i))
			return false;
	return true;
}

const struct sf_infer_entry *
sf_onnx_stated_entry(struct sf_onnx_run *run, const struct sf_onnx_node *node,
    const struct sf_infer_entry *builtin)
{
	struct sf_onnx_stated *stated = run->stated;
	const struct sf_rule *rule = NULL;
	struct sf_infer_entry *entry;
	struct sf_str name;

	if (stated == NULL || stated->rules == NULL)
		return builtin;
	name = sf_onnx_type_name(&stated->name, node);
	rule = sf_rulebook_find(stated->rules, name);
	if (rule == NULL || rule->nouts == 0)
		return builtin;
	entry = sf_arena_calloc(run->arena, 1, sizeof *entry);
	if (builtin != NULL) {
		*entry = *builtin;
		sf_table_add(&stated->replaced, name);
	} else {
		entry->random = 1;
	}
	entry->min_inputs = entry->min_outputs = 0;
	entry->max_inputs = entry->max_outputs = -1;
	entry->rule = run_rule;
	entry->stated = rule;
	return entry;
}

/* ---- shapes ---- */

/* The type of the first input that has one, as a rule would take it. */
static enum sf_dtype
type_of_inputs(const struct sf_onnx_op *op)
{
	for (int i = 0; op != NULL && i < op->ninputs; i++)
		if (op->inputs[i] != NULL &&
		    op->inputs[i]->dtype != SF_DT_UNKNOWN)
			return op->inputs[i]->dtype;
	return SF_DT_UNKNOWN;
}

bool
sf_onnx_stated_shape(struct sf_onnx_run *run, struct sf_value *value,
    const struct sf_onnx_op *op)
{
	const struct sf_onnx_type *type;
	struct sf_value given = { .name = value->name };
	struct sf_onnx_given *said;
	struct sf_entry *e;

	if (run->stated == NULL || run->stated->shapes == NULL)
		return true;
	e = sf_table_find(run->stated->shapes, value->name);
	if (e == NULL)
		return true;
	said = e->ptr;
	said->used = true;
	type = &said->type;
	if ((value->kind != SF_ONNX_TYPE_NONE &&
		value->kind != SF_ONNX_TYPE_TENSOR) ||
	    sf_onnx_declare_more(value, type, run->arena) != NULL) {
		sf_onnx_declare(&given, type, run->arena);
		if (given.dtype == SF_DT_UNKNOWN)
			given.dtype = value->dtype;
		run->misstated = true;
		return sf_fail(run->error,
		    "option '--shape': '%.*s' is given %s, but it is %s%s",
		    SF_STR_ARG(value->name),
		    sf_onnx_type_text(&given, run->arena),
		    value->kind > SF_ONNX_TYPE_TENSOR ? "no tensor of " : "",
		    sf_onnx_type_text(value, run->arena));
	}
	if (value->dtype == SF_DT_UNKNOWN)
		value->dtype = type_of_inputs(op);
	if (sf_value_resolved(value))
		value->why = NULL;
	else if (value->dtype == SF_DT_UNKNOWN)
		value->why = sf_arena_printf(run->arena,
		    "'%.*s' has a shape and no type: --shape %.*s=...:TYPE",
		    SF_STR_ARG(value->name), SF_STR_ARG(value->name));
	return true;
}

bool
sf_onnx_stated_check(struct sf_onnx_run *run)
{
	const struct sf_table *shapes =
	    run->stated != NULL ? run->stated->shapes : NULL;

	for (size_t i = 0; shapes != NULL && i < shapes->n; i++) {
		const struct sf_entry *e = shapes->order[i];
		const struct sf_onnx_given *said = e->ptr;

		if (said->used)
			continue;
		run->misstated = true;
		return sf_fail(run->error,
		    "option '--shape': no input and no value is named '%.*s'; "
		    "%s",
		    SF_STR_ARG(e->name), run->stated->inputs);
	}
	return true;
}
