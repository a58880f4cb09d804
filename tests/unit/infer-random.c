/*
 * Every shape rule on random inputs and attributes: it says no with a text, or
 * gives outputs that are what struct sf_value says. And the table is sorted.
 *
 *	infer-random SEED ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "check.h"
#include "onnx/ops/rules.h"

enum {
	MAX = 8,
	MAX_ATTRS = 24,
	MAX_INPUTS = 32
};

static unsigned long long seed = 1;
static int common_rank; /* that most inputs of one node have */

static int
below(int n)
{
	return (int)(check_random(&seed) % (unsigned long long)n);
}

/* Small, now and then at the edges. */
static int64_t
any_int(void)
{
	static const int64_t edges[] = { INT64_MIN, INT64_MAX, INT32_MAX,
		INT64_C(1) << 40, -1, 0, 1, INT64_MIN + 1 };

	if (below(6) == 0)
		return edges[below(8)];
	return below(9) - 2;
}

static double
any_float(void)
{
	static const double edges[] = { 1e30, -1e30, 0, -1, 1e-30, 2 };

	return below(4) == 0 ? edges[below(6)] : below(20) * 0.25;
}

static int64_t
any_size(void)
{
	static const int64_t edges[] = { INT64_MAX, INT64_C(1) << 40, 0, -1 };

	return below(12) == 0 ? edges[below(4)] : below(7) - 1;
}

static void
any_contents(struct sf_arena *arena, struct sf_value *v)
{
	int64_t n = sf_value_numel(v);
	int64_t *ints;
	double *floats;
	uint8_t *known;

	if (n < 0 || n > 200 || below(3) == 0)
		return;
	ints = sf_arena_calloc(arena, (size_t)n + 1, sizeof *ints);
	floats = sf_arena_calloc(arena, (size_t)n + 1, sizeof *floats);
	known = sf_arena_calloc(arena, (size_t)n + 1, 1);
	for (int64_t i = 0; i < n; i++) {
		ints[i] = v->dtype == SF_DT_B8 ? below(2) : any_int();
		floats[i] = any_float();
		known[i] = below(4) != 0;
	}
	if (v->dtype == SF_DT_I64 || v->dtype == SF_DT_B8)
		v->ints = ints;
	else if (v->dtype == SF_DT_F32)
		v->floats = sf_reals_of(floats);
	else
		return;
	v->known = below(2) ? known : NULL;
}

static struct sf_value *
any_value(struct sf_arena *arena, int depth)
{
	static const enum sf_dtype dtypes[] = { SF_DT_I64, SF_DT_F32, SF_DT_I64,
		SF_DT_F32, SF_DT_B8, SF_DT_STR, SF_DT_F16, SF_DT_UNKNOWN };
	struct sf_value *v = sf_arena_calloc(arena, 1, sizeof *v);
	int64_t *dims = sf_arena_calloc(arena, SF_VALUE_MAX_RANK, sizeof *dims);
	struct sf_str *names =
	    sf_arena_calloc(arena, SF_VALUE_MAX_RANK, sizeof *names);

	v->name = SF_STR("v");
	v->kind = SF_ONNX_TYPE_TENSOR;
	v->dtype = dtypes[below(8)];
	v->rank_known = below(8) != 0;
	v->rank = below(60) == 0 ? 64 : below(4) ? common_rank : below(5);
	v->rank = v->rank_known ? v->rank : 0;
	v->dims = dims;
	for (int i = 0; i < v->rank; i++) {
		dims[i] = any_size();
		if (dims[i] < 0 && below(2))
			names[i] = SF_STR("N");
	}
	if (below(2))
		v->dim_names = names;
	any_contents(arena, v);
	if (depth < 2 && below(12) == 0) {
		struct sf_value **items =
		    sf_arena_calloc(arena, 4, sizeof *items);

		v->kind =
		    below(2) ? SF_ONNX_TYPE_SEQUENCE : SF_ONNX_TYPE_OPTIONAL;
		v->ints = NULL;
		v->floats = sf_reals_of(NULL);
		v->known = NULL;
		v->nitems = below(4) - 1;
		v->items = items;
		for (int i = 0; i < v->nitems; i++)
			items[i] = any_value(arena, depth + 1);
	}
	return v;
}

static const char *const attr_names[] = { "axis", "axes", "perm", "pads",
	"strides", "dilations", "kernel_shape", "auto_pad", "group", "keepdims",
	"to", "shape", "split", "starts", "ends", "value", "equation",
	"blocksize", "num_heads", "q_num_heads", "kv_num_heads", "hidden_size",
	"direction", "scales", "k", "output_shape", "batch_dims", "start",
	"end", "num_outputs", "new_axis", "broadcast", "ceil_mode", "K", "N",
	"onesided", "inverse", "transA", "transB", "dtype", "reduction",
	"keep_aspect_ratio_policy", "layout", "value_ints", "upper",
	"noop_with_empty_axes", "allowzero", "inputdimensions", "n_targets",
	"pooled_shape", "ngram_indexes", "output_padding", "qkv_hidden_sizes",
	"height_scale", "width_scale", "output_height", "num_groups", "border",
	"scale", "extra_shape", "input_as_shape", "pooled_size",
	"max_output_boxes", "map_form", "cast_to", "max_map", "channels_last",
	"channels", "state_channels_last", "state_length", "state_window",
	"state_update_capacity", "input_channels", "dilation", "policy_mode",
	"compress_ratio", "index_topk", "token_budget", "max_output_entries",
	"v_head_size", "past_present_share_buffer", "max_ngram_size",
	"n_head_per_ngram", "num_branches", "heads", "head_dim", "size", "step",
	"dim", "router_size", "Nq", "Nkv", "input_width", "flatten_batch" };

static const char *const texts[] = { "SAME_UPPER", "VALID", "none", "sum",
	"ij,jk->ik", "...ij->...ji", "ii", "", "not_larger", "not_smaller",
	"bidirectional", "ij,j", "->", "a,b,c->", "qsa", "csa", "SPARSE" };

static void
any_attr(struct sf_arena *arena, struct sf_onnx_attr *attr)
{
	int64_t *ints = sf_arena_calloc(arena, MAX, sizeof *ints);
	double *floats = sf_arena_calloc(arena, MAX, sizeof *floats);
	static const enum sf_onnx_attr_type types[] = { SF_ONNX_ATTR_INT,
		SF_ONNX_ATTR_INT, SF_ONNX_ATTR_INTS, SF_ONNX_ATTR_INTS,
		SF_ONNX_ATTR_STRING, SF_ONNX_ATTR_FLOATS, SF_ONNX_ATTR_FLOAT };

	attr->name = sf_str_of(
	    attr_names[below(sizeof attr_names / sizeof attr_names[0])]);
	attr->type = types[below(7)];
	if (sf_str_is(attr->name, "equation"))
		attr->type = SF_ONNX_ATTR_STRING;
	attr->i = any_int();
	attr->f = any_float();
	attr->s = sf_str_of(texts[below(sizeof texts / sizeof texts[0])]);
	attr->n = (size_t)below(MAX);
	for (size_t i = 0; i < attr->n; i++) {
		ints[i] = any_int();
		floats[i] = any_float();
	}
	attr->ints = ints;
	attr->floats = floats;
}

/* ---- what must hold ---- */

static void
check_value(const char *op, const struct sf_value *v)
{
	CHECK_FOR(op,
	    !v->rank_known || (v->rank >= 0 && v->rank <= SF_VALUE_MAX_RANK));
	for (int i = 0; v->rank_known && i < v->rank; i++)
		CHECK_FOR(op, v->dims[i] >= -1);
	CHECK_FOR(op, v->ints == NULL || v->floats.at == NULL);
	if (v->ints != NULL || v->floats.at != NULL) {
		CHECK_FOR(op, sf_value_numel(v) >= 0);
		CHECK_FOR(op, sf_value_numel(v) <= SF_VALUE_MAX_ELEMENTS);
	}
	if (v->kind == SF_ONNX_TYPE_TENSOR && !sf_value_resolved(v))
		CHECK_FOR(op, v->why != NULL && v->why[0] != '\0');
	if (v->kind == SF_ONNX_TYPE_SEQUENCE)
		for (int i = 0; i < v->nitems; i++)
			CHECK_FOR(op, v->items[i] != NULL);
}

static bool
try_once(const struct sf_infer_entry *entry)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_onnx_attr attrs[MAX_ATTRS] = { 0 };
	struct sf_value *inputs[MAX_INPUTS] = { 0 };
	struct sf_value outputs[4] = { 0 };
	struct sf_error error = { "" };
	struct sf_onnx_node node = { .op_type = sf_str_of(entry->op_type),
		.domain = sf_str_of(entry->domain),
		.attrs = attrs };
	struct sf_infer infer = { .arena = arena,
		.node = &node,
		.inputs = inputs,
		.outputs = outputs,
		.error = &error };
	int spread =
	    entry->max_inputs < 0 ? 4 : entry->max_inputs - entry->min_inputs;
	bool ok;

	CHECK_FOR(entry->op_type, entry->min_inputs + spread <= MAX_INPUTS);
	common_rank = below(5);
	infer.opset = entry->since + below(20);
	infer.ninputs = entry->min_inputs + below(spread + 1);
	for (int i = 0; i < infer.ninputs; i++)
		if (i < entry->min_inputs || below(4) != 0)
			inputs[i] = any_value(arena, 0);
	infer.noutputs = entry->max_outputs == 1 ? 1 : 1 + below(3);
	for (int i = 0; i < infer.noutputs; i++)
		outputs[i].dtype = SF_DT_UNKNOWN;
	node.nattrs = below(MAX_ATTRS);
	for (int i = 0; i < node.nattrs; i++)
		any_attr(arena, &attrs[i]);
	ok = sf_infer_run(&infer, entry);
	CHECK_FOR(entry->op_type, ok || error.text[0] != '\0');
	for (int i = 0; ok && i < infer.noutputs; i++)
		check_value(entry->op_type, &outputs[i]);
	sf_arena_free(arena);
	return ok;
}

static int
order(const struct sf_infer_entry *a, const struct sf_infer_entry *b)
{
	int c = strcmp(a->domain, b->domain);

	if (c == 0)
		c = strcmp(a->op_type, b->op_type);
	return c == 0 ? a->since - b->since : c;
}

int
main(int argc, char *argv[])
{
	const struct sf_infer_entry *table;
	int n, rounds;
	int64_t accepted = 0;

	CHECK(argc == 3);
	seed = strtoull(argv[1], NULL, 10);
	rounds = atoi(argv[2]);
	CHECK(seed != 0 && rounds > 0);
	table = sf_infer_table(&n);
	for (int i = 1; i < n; i++)
		CHECK_FOR(
		    table[i].op_type, order(&table[i - 1], &table[i]) < 0);
	for (int i = 0; i < n; i++) {
		CHECK_FOR(table[i].op_type,
		    sf_infer_find(sf_str_of(table[i].domain),
			sf_str_of(table[i].op_type),
			table[i].since) == &table[i]);
		for (int k = 0; k < rounds; k++)
			accepted += try_once(&table[i]);
	}
	/* Otherwise the test says little of the outputs. */
	CHECK(accepted > (int64_t)n * rounds / 10);
	return 0;
}
