/* Follows parameters through a model that was run. */
#include "onnx/run/track.h"

#include <string.h>

#include "base/num.h"
#include "onnx/run/control.h"
#include "onnx/run/values.h"
#include "trace/tensor.h"

__extension__ typedef unsigned __int128 wide;

/* What a value turns out to be used for. */
enum {
	USED_AS_DATA = 1,
	USED_AS_NUMBERS = 2
};

void
sf_onnx_track_leaf(struct sf_onnx_run *run, struct sf_value *value,
    enum sf_onnx_leaf leaf, const void *source)
{
	struct sf_onnx_value *of = sf_onnx_value_of(value);

	if (leaf == SF_ONNX_LEAF_NOT || of->leaf != SF_ONNX_LEAF_NOT)
		return;
	of->leaf = leaf;
	of->source = source;
	of->next = run->leaves;
	run->leaves = of;
}

/* The types that sizes, indices and conditions have. */
static bool
is_index(const struct sf_value *value)
{
	return value->dtype == SF_DT_I64 || value->dtype == SF_DT_I32 ||
	    value->dtype == SF_DT_B8 || value->dtype == SF_DT_STR;
}

/* ---- uses, from the last operator to the first ---- */

/*
 * What VALUE is used for when OUT is made of it. Integers made of integers, and
 * what is computed before the run, are used for what their results are.
 */
static unsigned
uses_through(const struct sf_onnx_op *op, const struct sf_value *value,
    struct sf_value *out)
{
	unsigned uses = sf_onnx_value_of(out)->uses;

	if (is_index(out))
		return op->folded || is_index(value) ? uses : USED_AS_DATA;
	return op->folded && uses != 0 ? uses : USED_AS_DATA;
}

static enum sf_infer_read
reads(const struct sf_onnx_op *op, int i)
{
	if (op->closed != NULL && sf_onnx_control_decides(op->node, i))
		return SF_READ_NUMBERS;
	return sf_infer_reads(op->entry, i);
}

static void
use(struct sf_value *value, unsigned uses)
{
	struct sf_onnx_value *of = sf_onnx_value_of(value);

	of->uses |= uses;
	if (of->alias_of != NULL)
		of->alias_of->uses |= uses;
}

static void
use_input(const struct sf_onnx_op *op, int i)
{
	struct sf_value *value = op->inputs[i];

	switch (reads(op, i)) {
	case SF_READ_SHAPE:
		return;
	case SF_READ_NUMBERS:
		use(value, USED_AS_NUMBERS);
		return;
	case SF_READ_DATA:
		for (int k = 0; k < op->noutputs; k++)
			if (op->outputs[k] != NULL)
				use(value,
				    uses_through(op, value, op->outputs[k]));
		return;
	}
}

/* Integers that a graph inside takes are mostly sizes and indices there. */
static void
use_captured(struct sf_value *value)
{
	use(value, is_index(value) ? USED_AS_NUMBERS : USED_AS_DATA);
}

static void
find_packed(const struct sf_onnx_run *run, const struct sf_onnx_op *op)
{
	struct sf_error error;
	struct sf_infer in = { .arena = run->arena,
		.node = op->node,
		.inputs = op->inputs,
		.ninputs = op->ninputs,
		.error = &error };

	for (int i = 0; i < op->ninputs; i++) {
		int64_t n = op->entry->packed(&in, i);

		if (op->inputs[i] != NULL && n >= 0)
			sf_onnx_value_of(op->inputs[i])->elements = n;
	}
}

static void
find_uses(struct sf_onnx_run *run)
{
	for (int i = 0; i < run->noutputs; i++)
		if (run->outputs[i] != NULL)
			use(run->outputs[i], USED_AS_DATA);
	for (int64_t at = run->nops - 1; at >= 0; at--) {
		const struct sf_onnx_op *op = &run->ops[at];

		for (int i = 0; i < op->ninputs; i++)
			if (op->inputs[i] != NULL)
				use_input(op, i);
		for (int i = 0; i < op->ncaptured; i++)
			if (op->captured[i] != NULL)
				use_captured(op->captured[i]);
		if (op->entry != NULL && op->entry->packed != NULL)
			find_packed(run, op);
	}
}

/* ---- parameters, from the first operator to the last ---- */

/* The bytes of VALUE by its shape and type; -1 when they are not known. */
static int64_t
bytes_of(const struct sf_value *value)
{
	struct sf_tensor t = { .rank_known = value->rank_known,
		.rank = value->rank,
		.shape = value->dims,
		.dtype = value->dtype };

	if (value->kind != SF_ONNX_TYPE_TENSOR || !sf_tensor_measure(&t) ||
	    !t.resolved)
		return -1;
	return t.bytes;
}

static bool
is_parameter(const struct sf_onnx_value *of)
{
	if (of->leaf == SF_ONNX_LEAF_SURE)
		return true;
	if (of->v.kind != SF_ONNX_TYPE_TENSOR || of->v.dtype == SF_DT_STR)
		return false;
	return of->uses != 0 ? (of->uses & USED_AS_DATA) != 0
			     : !is_index(&of->v);
}

/* What is not resolved adds nothing. */
static bool
count(struct sf_onnx_run *run, const struct sf_onnx_value *of)
{
	int64_t n = of->elements >= 0 ? of->elements : sf_value_numel(&of->v);

	return !sf_value_resolved(&of->v) ||
	    sf_onnx_params_add(run->params, &of->v, n, of->source, run->error);
}

static bool
settle_leaf(struct sf_onnx_run *run, struct sf_onnx_value *of)
{
	int64_t bytes = bytes_of(&of->v);

	if (!is_parameter(of))
		return true;
	of->v.param = true;
	of->v.stored = bytes > 0 ? bytes : 0;
	return count(run, of);
}

/* N of FROM's elements have so many of its stored bytes. */
static int64_t
share(const struct sf_value *from, const struct sf_value *out)
{
	int64_t all = sf_value_numel(from), n = sf_value_numel(out);
	wide part;

	if (from->kind != SF_ONNX_TYPE_TENSOR || all <= 0 || n < 0 || n >= all)
		return from->stored;
	part = (wide)n * (uint64_t)from->stored;
	return (int64_t)((part + (uint64_t)all - 1) / (uint64_t)all);
}

/* The bytes of all parameters that OP computes with, or -1 without one. */
static int64_t
stored_before(const struct sf_onnx_op *op)
{
	int64_t sum = 0;
	bool any = false;

	for (int i = 0; i < op->ninputs + op->nlearned; i++) {
		const struct sf_value *in = i < op->ninputs
		    ? op->inputs[i]
		    : op->learned[i - op->ninputs];

		if (in == NULL || !in->param ||
		    (i < op->ninputs && reads(op, i) != SF_READ_DATA))
			continue;
		any = true;
		if (!sf_add(sum, in->stored, &sum))
			sum = INT64_MAX;
	}
	return any ? sum : -1;
}

/* OUT depends on parameters, of which SUM bytes are stored. */
static void
settle_output(const struct sf_onnx_op *op, struct sf_value *out, int64_t sum)
{
	const struct sf_value *first = op->ninputs > 0 ? op->inputs[0] : NULL;
	bool kept = op->entry->keeps && first != NULL && first->param;
	int64_t bytes = bytes_of(out);

	out->param = true;
	out->stored = kept ? share(first, out) : sum;
	if (bytes >= 0 && bytes < out->stored)
		out->stored = bytes;
}

/* The tensors of a sequence that was split off a parameter. */
static void
settle_items(const struct sf_onnx_op *op, const struct sf_value *out)
{
	if (!op->entry->keeps || out->kind != SF_ONNX_TYPE_SEQUENCE)
		return;
	for (int i = 0; i < out->nitems && out->items != NULL; i++)
		if (!out->items[i]->param)
			settle_output(op, out->items[i], 0);
}

static bool
settle_op(struct sf_onnx_run *run, const struct sf_onnx_op *op)
{
	int64_t sum = op->folded ? stored_before(op) : -1;

	for (int i = 0; i < op->noutputs; i++) {
		struct sf_value *out = op->outputs[i];

		if (out == NULL)
			continue;
		if (sum >= 0) {
			settle_output(op, out, sum);
			settle_items(op, out);
		} else if (sf_onnx_value_of(out)->computed &&
		    !settle_leaf(run, sf_onnx_value_of(out))) {
			return false;
		}
	}
	return true;
}

/* ---- weights in attributes ---- */

/* NAME has no namesake among the values. */
static struct sf_str
own_name(
    struct sf_onnx_run *run, const struct sf_onnx_op *op, struct sf_str attr)
{
	struct sf_str base = op->name, name;
	const char *text;

	for (int i = 0; i < op->noutputs; i++)
		if (op->outputs[i] != NULL) {
			base = op->outputs[i]->name;
			break;
		}
	text = sf_arena_printf(
	    run->arena, "%.*s.%.*s", (int)base.n, base.p, (int)attr.n, attr.p);
	do
		name =
		    sf_onnx_tids_make(&run->tids, SF_STR(""), sf_str_of(text));
	while (sf_table_find(&run->root.values, name) != NULL);
	return name;
}

static struct sf_value *
attr_value(struct sf_onnx_run *run, const struct sf_onnx_op *op,
    const struct sf_onnx_attr *attr)
{
	struct sf_value *value =
	    sf_onnx_value_new(run, own_name(run, op, attr->name));
	int64_t *dims = sf_arena_calloc(run->arena, 1, sizeof *dims);

	dims[0] = (int64_t)attr->n;
	value->kind = SF_ONNX_TYPE_TENSOR;
	value->dtype = attr->type == SF_ONNX_ATTR_INTS ? SF_DT_I64 : SF_DT_F32;
	value->rank_known = true;
	value->rank = 1;
	value->dims = dims;
	if (attr->type == SF_ONNX_ATTR_TENSOR) {
		value->dtype = attr->tensor->dtype;
		value->rank = attr->tensor->rank;
		value->dims = attr->tensor->dims;
	}
	value->constant = true;
	sf_onnx_value_of(value)->uses = USED_AS_DATA;
	return value;
}

/* The attribute NAME when it can hold weights. */
static const struct sf_onnx_attr *
find_attr(const struct sf_onnx_node *node, struct sf_str name)
{
	for (int i = 0; i < node->nattrs; i++) {
		const struct sf_onnx_attr *attr = &node->attrs[i];

		if (sf_str_eq(attr->name, name))
			return attr->type == SF_ONNX_ATTR_FLOATS ||
				attr->type == SF_ONNX_ATTR_INTS ||
				attr->type == SF_ONNX_ATTR_TENSOR
			    ? attr
			    : NULL;
	}
	return NULL;
}

/* *OUT is NULL when the attribute NAME is not there or no parameter. */
static bool
learned(struct sf_onnx_run *run, const struct sf_onnx_op *op,
    struct sf_str name, struct sf_value **out)
{
	const struct sf_onnx_attr *attr = find_attr(op->node, name);
	struct sf_onnx_value *of;

	*out = NULL;
	if (attr == NULL)
		return true;
	of = sf_onnx_value_of(attr_value(run, op, attr));
	of->leaf = sf_onnx_params_constant(run->params, of->v.name);
	of->source = attr;
	if (of->leaf == SF_ONNX_LEAF_NOT)
		return true;
	*out = &of->v;
	return settle_leaf(run, of);
}

/* A place for each, as rules know them by their places; the last is there. */

static bool
find_learned(struct sf_onnx_run *run, struct sf_onnx_op *op)
{
	const char *names = op->entry->learned;
	int n = 0;

	op->learned = sf_arena_calloc(
	    run->arena, strlen(names) / 2 + 1, sizeof(struct sf_value *));
	while (*names != '\0') {
		size_t len = strcspn(names, " ");

		if (!learned(run, op, (struct sf_str){ names, len },
			&op->learned[n++]))
			return false;
		if (op->learned[n - 1] != NULL)
			op->nlearned = n;
		names += len + strspn(names + len, " ");
	}
	return true;
}

static bool
settle_leaves(struct sf_onnx_run *run, struct sf_onnx_value *of)
{
	for (; of != NULL; of = of->next)
		if (!of->computed && !settle_leaf(run, of))
			return false;
	return true;
}

/* What steps take is now called what it is. */
static void
settle_aliases(struct sf_onnx_run *run)
{
	for (struct sf_onnx_value *of = run->aliases; of != NULL;
	     of = of->next) {
		const struct sf_value *from = &of->alias_of->v;

		of->v.name = from->name;
		if (of->item >= 0) {
			of->v.name = sf_str_of(sf_arena_printf(run->arena,
			    "%.*s[%d]", SF_STR_ARG(from->name), of->item));
			continue;
		}
		of->v.param = from->param;
		of->v.stored = from->stored;
	}
}

bool
sf_onnx_track(struct sf_onnx_run *run)
{
	find_uses(run);
	if (!settle_leaves(run, run->left_out) ||
	    !settle_leaves(run, run->leaves))
		return false;
	for (int64_t i = 0; i < run->nops; i++) {
		struct sf_onnx_op *op = &run->ops[i];

		if (op->entry != NULL && op->entry->learned != NULL &&
		    !find_learned(run, op))
			return false;
		if (!settle_op(run, op))
			return false;
	}
	settle_aliases(run);
	return true;
}
