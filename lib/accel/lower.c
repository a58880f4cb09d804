/* From an operator to its unit, its dependencies and its loop nest. */
#include "accel/lower.h"

#include <stdlib.h>

#include "base/num.h"
#include "rules/rule.h"
#include "rules/rulebook.h"

void
sf_lowering_init(struct sf_lowering *lowering)
{
	lowering->arena = sf_arena_new();
	sf_values_init(&lowering->values);
	sf_table_init(&lowering->unknown, lowering->arena);
	sf_table_init(&lowering->ideal, lowering->arena);
	lowering->macs = lowering->ideal_macs = 0;
	lowering->rules_arena = sf_arena_new();
	lowering->rules = NULL;
}

void
sf_lowering_release(struct sf_lowering *lowering)
{
	sf_values_release(&lowering->values);
	sf_table_release(&lowering->unknown);
	sf_table_release(&lowering->ideal);
	if (lowering->rules != NULL)
		sf_rulebook_release(lowering->rules);
	sf_arena_free(lowering->rules_arena);
	sf_arena_free(lowering->arena);
}

void
sf_lowering_reset(struct sf_lowering *lowering)
{
	sf_values_reset(&lowering->values);
	sf_table_clear(&lowering->unknown);
	sf_table_clear(&lowering->ideal);
	lowering->macs = lowering->ideal_macs = 0;
	sf_arena_reset(lowering->arena);
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The operators that made the inputs which are no parameters. */
static void
find_deps(const struct sf_lowering *lowering, struct sf_arena *arena,
    const struct sf_op *op, struct sf_lower *lower)
{
	int64_t *deps = sf_arena_calloc(
	    arena, (size_t)(op->ninputs != 0 ? op->ninputs : 1), sizeof *deps);
	int n = 0, kept = 0;

	for (int i = 0; i < op->ninputs; i++) {
		struct sf_trace_value value =
		    sf_value_of(&lowering->values, &op->inputs[i]);

		if (!value.param && value.maker >= 0)
			deps[n++] = value.maker;
	}
	qsort(deps, (size_t)n, sizeof *deps, by_value);
	for (int i = 0; i < n; i++)
		if (i == 0 || deps[i] != deps[i - 1])
			deps[kept++] = deps[i];
	lower->deps = deps;
	lower->ndeps = kept;
}

static enum sf_where
where_of(struct sf_stream *stream, const struct sf_accel *accel,
    const struct sf_op *op)
{
	enum sf_category category = op->counts.category;

	if (op->folded || op->dead)
		return SF_ON_NONE;
	if (accel->transit_ops_per_byte > 0 &&
	    (accel->transit_categories >> category & 1) != 0)
		return SF_ON_TRANSIT;
	if (sf_category_multiplies(category))
		return SF_ON_ARRAY;
	switch (category) {
	case SF_CAT_VIEW:
	case SF_CAT_UNKNOWN:
		return SF_ON_NONE;
	case SF_CAT_ELEMENTWISE:
	case SF_CAT_SOFTMAX:
	case SF_CAT_NORM:
	case SF_CAT_REDUCTION:
	case SF_CAT_COPY:
	case SF_CAT_CREATION:
	case SF_CAT_GATHER:
	case SF_CAT_NTT:
		return SF_ON_VECTOR;
	case SF_CAT_MATMUL:
	case SF_CAT_ATTENTION:
	case SF_CAT_COUNT:
		break;
	}
	sf_op_die(stream, op, "no unit computes the category '%s'",
	    sf_category_name(category));
}

/* Work items of the vector unit. */
static int64_t
work_of(struct sf_stream *stream, const struct sf_op *op)
{
	int64_t work, elements = 0;

	if (op->counts.category == SF_CAT_NTT) {
		if (!sf_op_attr_int(stream, op, "butterflies", &work))
			sf_op_die(stream, op,
			    "no attribute 'butterflies', which its category "
			    "'ntt' needs");
		if (work < 0)
			sf_op_die(
			    stream, op, "%lld butterflies", (long long)work);
		return work;
	}
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *t = &op->outputs[i];

		if (t->absent || !t->resolved)
			continue;
		if (!sf_add(elements, t->numel, &elements))
			sf_op_die(stream, op,
			    "its outputs have more than 2^63 - 1 elements");
	}
	return op->counts.flops > elements ? op->counts.flops : elements;
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
 * Which GEMMs the operator is: what its rule stated. False when it stated
 * none, or there is nothing to multiply.
 */
static bool
take_products(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_op *op, struct sf_lower *lower)
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
		return false;
	if (products.v[0].a >= 0)
		in = &op->inputs[products.v[0].a];
	lower->e_in = element(in);
	lower->e_out = element(out);
	if (lower->e_in < 1 || lower->e_out < 1)
		return false;
	for (int i = 0; i < products.n; i++) {
		const struct sf_product *p = &products.v[i];

		lower->gemms[lower->ngemms++] =
		    (struct sf_gemm){ .batch = p->batch,
			    .m = p->m,
			    .k = p->k,
			    .n = p->n,
			    .b_bytes = p->b_bytes,
			    .b_elements = p->b_elements };
	}
	return true;
}

/* Multiply-accumulates as the array will count them. */
static double
macs_of(const struct sf_op *op, const struct sf_lower *lower)
{
	double macs = 0;

	if (lower->ideal)
		return (double)(op->counts.flops / 2);
	for (int i = 0; i < lower->ngemms; i++) {
		const struct sf_gemm *g = &lower->gemms[i];

		macs += (double)g->batch * (double)g->m * (double)g->k *
		    (double)g->n;
	}
	return macs;
}

/* Notes an operator of the array, for what is said at the end. */
static void
count_array(struct sf_lowering *lowering, const struct sf_op *op,
    struct sf_lower *lower)
{
	double macs;

	lower->ideal = lower->ngemms == 0 && op->counts.flops != 0;
	macs = macs_of(op, lower);
	lowering->macs += macs;
	if (!lower->ideal)
		return;
	lowering->ideal_macs += macs;
	sf_table_add(&lowering->ideal, op->name)->num++;
}

static void
cut_gemms(struct sf_stream *stream, const struct sf_accel *accel,
    const struct sf_op *op, struct sf_lower *lower)
{
	struct sf_error error;

	lower->tiles = 0;
	for (int i = 0; i < lower->ngemms; i++) {
		struct sf_gemm *g = &lower->gemms[i];

		if (!sf_gemm_block(g, lower->e_in, lower->e_out, accel, &error))
			sf_op_die(stream, op, "%s", error.text);
		if (!sf_add(lower->tiles, g->tiles, &lower->tiles))
			sf_op_die(stream, op, "more than 2^63 - 1 tiles");
	}
}

static void
cut_slices(struct sf_stream *stream, const struct sf_accel *accel,
    const struct sf_op *op, struct sf_lower *lower)
{
	struct sf_error error;

	lower->rd = op->counts.bytes_read;
	lower->wr = op->counts.bytes_written;
	lower->flops = op->counts.flops;
	if (lower->where == SF_ON_VECTOR)
		lower->work = work_of(stream, op);
	if (!sf_slice_count(
		lower->rd, lower->wr, accel->tile_bytes, &lower->tiles, &error))
		sf_op_die(stream, op, "%s", error.text);
}

void
sf_lower_op(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_accel *accel, const struct sf_op *op,
    struct sf_lower *lower)
{
	if (!op->counted)
		sf_op_die(stream, op,
		    "is not counted, expected a trace from sf-rules");
	if (op->lower.n != 0)
		sf_op_die(stream, op,
		    "is lowered already, expected a trace that has not been "
		    "through sf-lower");
	*lower = (struct sf_lower){ .where = where_of(stream, accel, op) };
	if (op->counts.category == SF_CAT_UNKNOWN)
		sf_table_add(&lowering->unknown, op->name)->num++;
	if (lower->where == SF_ON_NONE) {
		sf_values_pass(&lowering->values, op);
		return;
	}
	find_deps(lowering, sf_stream_record_arena(stream), op, lower);
	if (lower->where == SF_ON_ARRAY) {
		take_products(lowering, stream, op, lower);
		count_array(lowering, op, lower);
	}
	if (lower->ngemms != 0)
		cut_gemms(stream, accel, op, lower);
	else
		cut_slices(stream, accel, op, lower);
	sf_values_make(&lowering->values, op, 0);
}
