/* Operators of the trace: their rules are run, their outputs kept. */
#include "onnx/run/walk.h"

#include <stdlib.h>

#include "onnx/infer/declared.h"
#include "onnx/ops/rules.h"
#include "onnx/run/depends.h"
#include "onnx/run/stated.h"
#include "onnx/run/track.h"
#include "onnx/run/values.h"

static bool
find_opset(const struct sf_onnx_opset *opsets, int n, struct sf_str domain,
    int64_t *version)
{
	for (int i = 0; i < n; i++)
		if (sf_str_eq(opsets[i].domain, domain)) {
			*version = opsets[i].version;
			return true;
		}
	return false;
}

/* The version of NODE's operator set, as its function or the model has it. */
bool
sf_onnx_opset_of(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, int64_t *version)
{
	const struct sf_onnx_function *f = scope->function;
	const struct sf_onnx_model *model = run->model;

	if (f != NULL &&
	    find_opset(f->opsets, f->nopsets, node->domain, version))
		return true;
	if (find_opset(model->opsets, model->nopsets, node->domain, version))
		return true;
	/* Before IR version 3 there was one set; others begin at 1. */
	*version = 1;
	if (node->domain.n != 0 || model->ir_version < 3)
		return true;
	return sf_fail(run->error,
	    "the model does not say which version of the default operator set "
	    "it uses");
}

static struct sf_onnx_op *
new_op(struct sf_onnx_run *run)
{
	if (run->nops == run->room) {
		run->room = run->room != 0 ? run->room * 2 : 256;
		run->ops = sf_reallocarray(
		    run->ops, (size_t)run->room, sizeof *run->ops);
	}
	run->ops[run->nops] = (struct sf_onnx_op){ 0 };
	return &run->ops[run->nops++];
}

static struct sf_str
op_name(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node)
{
	struct sf_str stem = scope->prefix, name = node->name;
	char *text;

	if (stem.n == 0)
		return name;
	if (name.n == 0)
		return stem;
	text = sf_arena_alloc(run->arena, stem.n + 1 + name.n);
	memcpy(text, stem.p, stem.n);
	text[stem.n] = '/';
	memcpy(text + stem.n + 1, name.p, name.n);
	run->tids.text += stem.n + name.n;
	return (struct sf_str){ text, stem.n + 1 + name.n };
}

static struct sf_value *
clear_scratch(struct sf_onnx_run *run, int n)
{
	if (n > run->scratch_room) {
		run->scratch_room = n;
		run->scratch = sf_reallocarray(
		    run->scratch, (size_t)n, sizeof *run->scratch);
	}
	for (int i = 0; i < n; i++)
		run->scratch[i] =
		    (struct sf_value){ .dtype = SF_DT_UNKNOWN, .nitems = -1 };
	return run->scratch;
}

/* Why the outputs of NODE cannot be found out. */
static const char *
no_rule(struct sf_onnx_run *run, const struct sf_onnx_node *node, int64_t opset,
    struct sf_str output)
{
	const char *of = "";

	if (node->domain.n == 0)
		of = sf_arena_printf(
		    run->arena, " of opset %lld", (long long)opset);
	return sf_arena_printf(run->arena,
	    "no shape rule for operator type '%.*s%s%.*s'%s; --rules FILE with "
	    "'out =', or --shape %s gives it",
	    SF_STR_ARG(node->domain), node->domain.n != 0 ? "." : "",
	    SF_STR_ARG(node->op_type), of,
	    sf_onnx_value_argument(run, output, "..."));
}

/* Runs the rule; op->folded: the outputs can be computed beforehand. */
static bool
infer(struct sf_onnx_run *run, struct sf_infer *in, struct sf_onnx_op *op)
{
	const struct sf_infer_entry *entry = sf_onnx_stated_entry(run, in->node,
	    sf_infer_find(in->node->domain, in->node->op_type, in->opset));

	op->entry = entry;
	if (entry != NULL && !sf_infer_run(in, entry))
		return false;
	op->folded = entry != NULL && op->closed == NULL &&
	    !sf_infer_random(entry, in->node->ninputs);
	for (int i = 0; i < in->ninputs; i++)
		op->folded = op->folded &&
		    (in->inputs[i] == NULL || in->inputs[i]->constant);
	for (int i = 0; i < in->noutputs; i++) {
		struct sf_value *out = &in->outputs[i];

		if (out->why != NULL || sf_onnx_value_open(out) == NULL)
			continue;
		out->why = op->closed;
		if (entry == NULL && op->closed == NULL)
			out->why = no_rule(run, in->node, in->opset, out->name);
	}
	return true;
}

bool
sf_onnx_declare_found(struct sf_onnx_run *run,
    const struct sf_onnx_scope *scope, struct sf_str name,
    struct sf_value *value)
{
	const struct sf_onnx_info *info = sf_onnx_scope_declared(scope, name);
	const char *contradiction;

	if (info == NULL)
		return true;
	contradiction = sf_onnx_declare_more(value, &info->type, run->arena);
	if (contradiction != NULL && run->ncontradictions++ == 0)
		run->contradiction = contradiction;
	if (value->why != NULL && sf_value_resolved(value))
		value->why = NULL;
	return sf_onnx_value_check(run, value);
}

/* What was found out of control flow that is not expanded. */
static void
take_types(struct sf_infer *in, const struct sf_value *types, const char *why)
{
	for (int i = 0; i < in->noutputs; i++) {
		struct sf_str name = in->outputs[i].name;

		if (types[i].kind == SF_ONNX_TYPE_NONE)
			continue;
		in->outputs[i] = types[i];
		in->outputs[i].name = name;
		in->outputs[i].why =
		    sf_onnx_value_open(&types[i]) != NULL ? why : NULL;
	}
}

/* The reason is not one that an input had. */
static bool
own_reason(const struct sf_onnx_op *op, const char *why)
{
	for (int i = 0; i < op->ninputs; i++)
		if (op->inputs[i] != NULL && op->inputs[i]->why == why)
			return false;
	return true;
}

/* What makes up a constant, however often its node is taken. */
static const void *
source_of(const struct sf_onnx_node *node)
{
	const struct sf_onnx_attr *attr = node->attrs;

	if (node->nattrs == 0)
		return node;
	if (attr->tensor != NULL)
		return attr->tensor;
	if (attr->type == SF_ONNX_ATTR_FLOATS && attr->floats != NULL)
		return attr->floats;
	if (attr->type == SF_ONNX_ATTR_INTS && attr->ints != NULL)
		return attr->ints;
	return node;
}

/* Output I of the op is the value that the rule left in the scratch. */
static bool
keep_output(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    struct sf_onnx_op *op, int i)
{
	struct sf_str name = op->node->outputs[i];
	struct sf_value *value = sf_onnx_value_new(run, run->scratch[i].name);

	*value = run->scratch[i];
	value->constant = op->folded;
	sf_onnx_value_of(value)->made = run->nops;
	if (!sf_onnx_declare_found(run, scope, name, value) ||
	    !sf_onnx_stated_shape(run, value, op) ||
	    !sf_onnx_value_check(run, value))
		return false;
	if (value->why != NULL && op->entry != NULL &&
	    op->entry->stated == NULL && op->closed == NULL &&
	    sf_onnx_value_open(value) != NULL && own_reason(op, value->why))
		value->why = sf_onnx_depends_output(run, i, value);
	op->outputs[i] = value;
	sf_table_add(&scope->values, name)->ptr = value;
	if (sf_onnx_params_listed(run->params, value->name)) {
		sf_onnx_value_of(value)->computed = op->ninputs != 0;
		sf_onnx_track_leaf(run, value, SF_ONNX_LEAF_SURE, NULL);
	}
	if (op->folded && op->ninputs == 0)
		sf_onnx_track_leaf(run, value,
		    sf_onnx_params_constant(run->params, value->name),
		    scope != &run->root ? source_of(op->node) : NULL);
	return true;
}

static bool
keep_outputs(
    struct sf_onnx_run *run, struct sf_onnx_scope *scope, struct sf_onnx_op *op)
{
	op->noutputs = op->node->noutputs;
	op->outputs = sf_arena_calloc(
	    run->arena, (size_t)op->noutputs, sizeof(struct sf_value *));
	for (int i = 0; i < op->noutputs; i++)
		if (op->node->outputs[i].n != 0 &&
		    !keep_output(run, scope, op, i))
			return false;
	return true;
}

bool
sf_onnx_op_add(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs, const struct sf_onnx_closed *closed)
{
	struct sf_onnx_op *op = new_op(run);
	struct sf_infer in = { .arena = run->arena,
		.node = node,
		.inputs = inputs,
		.ninputs = node->ninputs,
		.outputs = clear_scratch(run, node->noutputs),
		.noutputs = node->noutputs,
		.contents = &run->contents,
		.error = run->error };

	op->node = node;
	op->name = op_name(run, scope, node);
	op->module = node->module.n != 0 ? node->module : scope->module;
	op->inputs = inputs;
	op->closed = closed != NULL ? closed->why : NULL;
	while (in.ninputs > 0 && node->inputs[in.ninputs - 1].n == 0)
		in.ninputs--;
	op->ninputs = in.ninputs;
	if (captured != NULL) {
		if (!sf_onnx_values_find(
			run, scope, captured->v, captured->n, &op->captured))
			return false;
		op->ncaptured = (int)captured->n;
	}
	for (int i = 0; i < node->noutputs; i++)
		run->scratch[i].name = node->outputs[i].n != 0
		    ? sf_onnx_value_tid(run, scope, node->outputs[i])
		    : SF_STR("");
	if (!sf_onnx_opset_of(run, scope, node, &in.opset))
		return false;
	op->opset = in.opset;
	if (!infer(run, &in, op))
		return false;
	if (closed != NULL && closed->types != NULL)
		take_types(&in, closed->types, op->closed);
	if (in.oddity != NULL && run->nodd++ == 0)
		run->odd = sf_arena_printf(run->arena, "%s: %s",
		    sf_onnx_node_label(node, run->arena), in.oddity);
	return keep_outputs(run, scope, op);
}

void
sf_onnx_op_make(struct sf_onnx_run *run, const struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const char *op_type,
    struct sf_value **inputs, int n, struct sf_value **outputs, int noutputs,
    struct sf_onnx_attr *attrs, int nattrs)
{
	struct sf_onnx_op *op = new_op(run);
	struct sf_onnx_node *made =
	    sf_arena_calloc(run->arena, 1, sizeof *made);

	*made = (struct sf_onnx_node){ .name = sf_onnx_choice_name(node),
		.op_type = sf_str_of(op_type),
		.domain = SF_STR(""),
		.overload = SF_STR(""),
		.module = node->module,
		.attrs = attrs,
		.nattrs = nattrs };
	op->node = made;
	op->name = op_name(run, scope, made);
	op->module = made->module.n != 0 ? made->module : scope->module;
	op->inputs = inputs;
	op->ninputs = n;
	op->outputs = outputs;
	op->noutputs = noutputs;
	for (int i = 0; i < noutputs; i++)
		sf_onnx_value_of(outputs[i])->made = run->nops;
}
