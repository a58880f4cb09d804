/* What an operator asks of whatever block it is lowered to. */
#include "accel/task.h"

#include <string.h>

#include "accel/conv.h"
#include "base/num.h"
#include "rules/rule.h"
#include "rules/rulebook.h"

/* ---- from an operator ---- */

/* Work items of the vector unit; a fault is told of where they are wanted. */
static void
read_work(struct sf_stream *stream, const struct sf_op *op, struct sf_task *t)
{
	int64_t elements = 0;

	if (op->counts.category == SF_CAT_NTT) {
		if (!sf_op_attr_int(stream, op, "butterflies", &t->work))
			t->fault = SF_TASK_NO_BUTTERFLIES;
		return;
	}
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *out = &op->outputs[i];

		if (out->absent || !out->resolved)
			continue;
		if (!sf_add(elements, out->numel, &elements)) {
			t->fault = SF_TASK_TOO_MANY_ELEMENTS;
			return;
		}
	}
	t->work = op->counts.flops > elements ? op->counts.flops : elements;
}

/* The products of an op that was counted before rules stated them. */
static bool
products_by_rule(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_op *op, struct sf_products *out)
{
	struct sf_error error;
	struct sf_eval e = { .op = op,
		.arena = sf_stream_record_arena(stream),
		.error = &error };
	const struct sf_rule *rule;

	if (lowering->rules == NULL)
		lowering->rules = sf_rulebook_new(lowering->rules_arena);
	rule = sf_rulebook_find(lowering->rules, op->name);
	return rule != NULL && rule->gemm != NULL &&
	    sf_gemm_rule_eval(rule->gemm, &e, out);
}

/* Whole bytes of a real number of a tensor's element, 0 without a size. */
static int64_t
element(const struct sf_tensor *t)
{
	return (sf_dtype_bits(t->dtype) / sf_dtype_parts(t->dtype) + 7) / 8;
}

/* The first of N tensors that is there, NULL when none is. */
static const struct sf_tensor *
first_there(const struct sf_tensor *tensors, int n)
{
	for (int i = 0; i < n; i++)
		if (!tensors[i].absent)
			return &tensors[i];
	return NULL;
}

/*
 * Which GEMMs the operator is: what its rule stated. None when it stated none,
 * or there is nothing to multiply.
 */
static void
read_products(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_op *op, struct sf_task *task)
{
	const struct sf_place here = { NULL, "op", op->i, &op->name };
	const struct sf_tensor *in = first_there(op->inputs, op->ninputs);
	const struct sf_tensor *out = first_there(op->outputs, op->noutputs);
	struct sf_products products;
	bool stated = op->gemms.n != 0;

	if (stated)
		sf_products_read(
		    stream, op->gemms, &here, op->ninputs, &products);
	else if (!products_by_rule(lowering, stream, op, &products))
		products.n = 0;
	if (products.n == 0 || in == NULL || out == NULL)
		return;
	if (products.v[0].a >= 0)
		in = &op->inputs[products.v[0].a];
	task->e_in = element(in);
	task->e_out = element(out);
	if (task->e_in < 1 || task->e_out < 1)
		return;
	for (int i = 0; i < products.n; i++) {
		const struct sf_product *p = &products.v[i];

		task->gemms[task->ngemms++] =
		    (struct sf_gemm){ .batch = p->batch,
			    .m = p->m,
			    .k = p->k,
			    .n = p->n,
			    .b_bytes = p->b_bytes,
			    .b_elements = p->b_elements };
	}
	if (products.n == 1)
		sf_conv_read(
		    stream, op, &products.v[0], &task->conv, &task->channels);
}

void
sf_task_read(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_op *op, struct sf_task *t)
{
	if (!op->counted)
		sf_op_die(stream, op,
		    "is not counted, expected a trace from sf-rules");
	if (op->lower.n != 0)
		sf_op_die(stream, op,
		    "is lowered already, expected a trace that has not been "
		    "through sf-lower");
	/* With what is between its members: tasks are compared as bytes. */
	memset(t, 0, sizeof *t);
	t->category = op->counts.category;
	t->idle = op->folded || op->dead || t->category == SF_CAT_VIEW ||
	    t->category == SF_CAT_UNKNOWN;
	if (t->idle)
		return;
	t->rd = op->counts.bytes_read;
	t->wr = op->counts.bytes_written;
	t->flops = op->counts.flops;
	t->type = sf_lower_type(op);
	if (sf_category_multiplies(t->category))
		read_products(lowering, stream, op, t);
	else
		read_work(stream, op, t);
}

/* ---- to a block ---- */

/* What computes it; SF_ON_NONE when nothing of the block does. */
static enum sf_where
where_of(const struct sf_task *t, const struct sf_accel *accel)
{
	enum sf_category category = t->category;

	if (accel->transit_ops_per_byte > 0 &&
	    (accel->transit_categories >> category & 1) != 0)
		return SF_ON_TRANSIT;
	if (sf_category_multiplies(category))
		return SF_ON_ARRAY;
	switch (category) {
	case SF_CAT_ELEMENTWISE:
	case SF_CAT_SOFTMAX:
	case SF_CAT_NORM:
	case SF_CAT_REDUCTION:
	case SF_CAT_COPY:
	case SF_CAT_CREATION:
	case SF_CAT_GATHER:
	case SF_CAT_NTT:
		return SF_ON_VECTOR;
	case SF_CAT_VIEW:
	case SF_CAT_UNKNOWN:
	case SF_CAT_MATMUL:
	case SF_CAT_ATTENTION:
	case SF_CAT_COUNT:
		break;
	}
	return SF_ON_NONE;
}

static bool
cut_gemms(const struct sf_accel *accel, struct sf_lower *lower,
    struct sf_error *error)
{
	for (int i = 0; i < lower->ngemms; i++) {
		struct sf_gemm *g = &lower->gemms[i];

		if (!sf_gemm_block(g, lower->e_in, lower->e_out, accel, error))
			return false;
		if (!sf_add(lower->tiles, g->tiles, &lower->tiles))
			return sf_fail(error, "more than 2^63 - 1 tiles");
	}
	return true;
}

static bool
take_work(
    const struct sf_task *t, struct sf_lower *lower, struct sf_error *error)
{
	switch (t->fault) {
	case SF_TASK_NO_BUTTERFLIES:
		return sf_fail(error,
		    "no attribute 'butterflies', which its category 'ntt' "
		    "needs");
	case SF_TASK_TOO_MANY_ELEMENTS:
		return sf_fail(
		    error, "its outputs have more than 2^63 - 1 elements");
	case SF_TASK_SOUND:
		break;
	}
	if (t->work < 0)
		return sf_fail(error, "%lld butterflies", (long long)t->work);
	lower->work = t->work;
	return true;
}

static bool
cut_slices(const struct sf_task *t, const struct sf_accel *accel,
    struct sf_lower *lower, struct sf_error *error)
{
	lower->rd = t->rd;
	lower->wr = t->wr;
	lower->flops = t->flops;
	if (lower->where == SF_ON_VECTOR && !take_work(t, lower, error))
		return false;
	return sf_slice_count(lower, accel, error);
}

bool
sf_task_lower(const struct sf_task *t, const struct sf_accel *accel,
    struct sf_lower *lower, struct sf_error *error)
{
	*lower = (struct sf_lower){ .where = SF_ON_NONE };
	if (t->idle)
		return true;
	lower->cores = accel->cores;
	lower->where = where_of(t, accel);
	if (lower->where == SF_ON_NONE)
		return sf_fail(error, "no unit computes the category '%s'",
		    sf_category_name(t->category));
	if (lower->where == SF_ON_ARRAY) {
		lower->type = t->type;
		lower->e_in = t->e_in;
		lower->e_out = t->e_out;
		lower->ngemms = t->ngemms;
		memcpy(lower->gemms, t->gemms, sizeof lower->gemms);
		if (t->conv.images != 0 && accel->conv != SF_CONV_IM2COL) {
			lower->gemms[0].conv = t->conv;
			lower->gemms[0].k = t->channels;
		}
		lower->ideal = t->ngemms == 0 && t->flops != 0;
	}
	return lower->ngemms != 0 ? cut_gemms(accel, lower, error)
				  : cut_slices(t, accel, lower, error);
}
