/* Sequences of tensors, optional values and strings. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

enum {
	MAX_ITEMS = SF_VALUE_MAX_ELEMENTS
};

static struct sf_value *
copy_value(struct sf_infer *infer, const struct sf_value *value)
{
	struct sf_value *copy = sf_arena_alloc(infer->arena, sizeof *copy);

	*copy = *value;
	return copy;
}

/* The type that all N items have: their sizes where they agree. */
static void
common_type(struct sf_infer *infer, struct sf_value *out,
    struct sf_value *const *items, int n)
{
	struct sf_shape shape, next;
	struct sf_value *keep = infer->outputs;
	int noutputs = infer->noutputs;

	sf_shape_of(items[0], &shape);
	for (int i = 1; i < n; i++) {
		sf_shape_of(items[i], &next);
		if (!next.known || next.rank != shape.rank) {
			shape.known = false;
			break;
		}
		for (int k = 0; k < shape.rank; k++)
			if (!sf_dim_same(shape.d[k], next.d[k]))
				shape.d[k] = SF_DIM_NONE;
	}
	infer->outputs = out;
	infer->noutputs = 1;
	sf_infer_set(infer, 0, items[0]->dtype, &shape);
	infer->outputs = keep;
	infer->noutputs = noutputs;
}

/* Makes output 0 a sequence of the N items; N < 0 when it is not known. */
static void
set_sequence(struct sf_infer *infer, struct sf_value *const *items, int n)
{
	struct sf_value *out = &infer->outputs[0];

	if (n > 0)
		common_type(infer, out, items, n);
	out->kind = SF_ONNX_TYPE_SEQUENCE;
	out->items = items;
	out->nitems = n;
}

static bool
has_items(const struct sf_value *value)
{
	return value->kind == SF_ONNX_TYPE_SEQUENCE && value->nitems >= 0 &&
	    (value->nitems == 0 || value->items != NULL);
}

/* The element type of SEQUENCE, of which no more is known. */
static void
set_element(struct sf_infer *infer, const struct sf_value *sequence)
{
	struct sf_value element = *sequence;
	bool nested = sequence->item == SF_ONNX_TYPE_SEQUENCE;

	element.kind = nested ? SF_ONNX_TYPE_SEQUENCE : SF_ONNX_TYPE_TENSOR;
	element.item = SF_ONNX_TYPE_NONE;
	element.items = NULL;
	element.nitems = nested ? -1 : 0;
	sf_infer_like(infer, 0, &element);
	sf_infer_unknown(infer, 0, "an element of '%.*s' is not known",
	    SF_STR_ARG(sequence->name));
}

/* An element of a sequence that may be of any length. */
static bool
unknown_sequence(struct sf_infer *infer, const struct sf_value *like)
{
	struct sf_value *out = &infer->outputs[0];

	sf_infer_like(infer, 0, like);
	out->kind = SF_ONNX_TYPE_SEQUENCE;
	out->items = NULL;
	out->nitems = -1;
	sf_infer_unknown(infer, 0, "the elements of '%.*s' are not known",
	    SF_STR_ARG(like->name));
	return true;
}

/*
 * The position at input I of a sequence of N, from its end when negative, up to
 * LAST; *known is false when it is not known.
 */
static bool
position(struct sf_infer *infer, int i, int n, int last, int64_t otherwise,
    int64_t *out, bool *known)
{
	struct sf_cell cell = sf_cell_int(otherwise);

	if (sf_infer_input(infer, i) != NULL &&
	    !sf_infer_scalar(infer, i, "position", &cell))
		return false;
	*known = cell.known;
	*out = cell.i;
	if (!cell.known)
		return true;
	if (cell.i < -n || cell.i > last)
		return sf_fail(infer->error,
		    "input 'position' is %lld, expected %d to %d",
		    (long long)cell.i, -n, last);
	*out = cell.i < 0 ? cell.i + n : cell.i;
	return true;
}

bool
sf_rule_sequence_construct(struct sf_infer *infer)
{
	struct sf_value **items = sf_arena_calloc(
	    infer->arena, (size_t)infer->ninputs, sizeof *items);

	for (int i = 0; i < infer->ninputs; i++) {
		if (infer->inputs[i] == NULL)
			return sf_fail(infer->error,
			    "input %d is left out, but it is required", i);
		items[i] = infer->inputs[i];
	}
	set_sequence(infer, items, infer->ninputs);
	return true;
}

bool
sf_rule_sequence_empty(struct sf_infer *infer)
{
	struct sf_value *out = &infer->outputs[0];

	if (!sf_infer_attr_dtype(infer, "dtype", SF_DT_F32, &out->dtype))
		return false;
	set_sequence(infer, NULL, 0);
	return true;
}

bool
sf_rule_sequence_at(struct sf_infer *infer)
{
	const struct sf_value *sequence = infer->inputs[0];
	int64_t at;
	bool known = false;

	if (has_items(sequence) &&
	    !position(infer, 1, sequence->nitems, sequence->nitems - 1, 0, &at,
		&known))
		return false;
	if (!known) {
		set_element(infer, sequence);
		return true;
	}
	sf_infer_like(infer, 0, sequence->items[at]);
	sf_infer_same_contents(infer, 0, sequence->items[at]);
	return true;
}

bool
sf_rule_sequence_insert(struct sf_infer *infer)
{
	const struct sf_value *sequence = infer->inputs[0];
	int n = sequence->nitems;
	struct sf_value **items;
	int64_t at;
	bool known = false;

	if (has_items(sequence) && n < MAX_ITEMS &&
	    !position(infer, 2, n, n, n, &at, &known))
		return false;
	if (!known) {
		struct sf_value any = { .kind = SF_ONNX_TYPE_SEQUENCE,
			.name = sequence->name,
			.dtype = sequence->dtype };

		return unknown_sequence(infer, &any);
	}
	items = sf_arena_calloc(infer->arena, (size_t)n + 1, sizeof *items);
	for (int i = 0, k = 0; i <= n; i++)
		items[i] = i == at ? infer->inputs[1] : sequence->items[k++];
	set_sequence(infer, items, n + 1);
	return true;
}

bool
sf_rule_sequence_erase(struct sf_infer *infer)
{
	const struct sf_value *sequence = infer->inputs[0];
	int n = sequence->nitems;
	struct sf_value **items;
	int64_t at;
	bool known = false;

	if (has_items(sequence) &&
	    !position(infer, 1, n, n - 1, n - 1, &at, &known))
		return false;
	if (!known)
		return unknown_sequence(infer, sequence);
	items = sf_arena_calloc(infer->arena, (size_t)n, sizeof *items);
	for (int i = 0, k = 0; i < n; i++)
		if (i != at)
			items[k++] = sequence->items[i];
	infer->outputs[0].dtype = sequence->dtype;
	set_sequence(infer, items, n - 1);
	return true;
}

bool
sf_rule_sequence_length(struct sf_infer *infer)
{
	struct sf_cells cells;

	sf_infer_set_scalar(infer, 0, SF_DT_I64);
	if (!has_items(infer->inputs[0]) || !sf_cells_begin(&cells, infer, 0))
		return true;
	sf_cells_put(&cells, 0, sf_cell_int(infer->inputs[0]->nitems));
	sf_cells_end(&cells);
	return true;
}

/* ---- splitting and joining ---- */

/* The parts' sizes: N equal ones and a rest, or those of a list. */
struct parts {
	int n; /* -1: not known */
	int64_t each;
	struct sf_cell *sizes; /* NULL: each */
};

static bool
equal_parts(struct sf_infer *infer, struct sf_cell each,
    struct sf_onnx_dim whole, struct parts *parts)
{
	parts->n = -1;
	if (each.known && each.i < 1)
		return sf_fail(infer->error,
		    "input 'split' is %lld, expected at least 1",
		    (long long)each.i);
	if (!each.known || !sf_dim_known(whole) ||
	    sf_ceil_div(whole.size, each.i) > MAX_ITEMS)
		return true;
	parts->each = each.i;
	parts->n = (int)sf_ceil_div(whole.size, each.i);
	return true;
}

static bool
listed_parts(struct sf_infer *infer, const struct sf_ints *list,
    struct sf_onnx_dim whole, struct parts *parts)
{
	int64_t sum = 0;

	parts->n = list->n;
	parts->sizes = list->v;
	for (int i = 0; i < list->n; i++)
		if (list->v[i].known &&
		    (list->v[i].i < 0 || !sf_add(sum, list->v[i].i, &sum)))
			return sf_fail(infer->error,
			    "input 'split' is %lld in place %d, expected at "
			    "least 0",
			    (long long)list->v[i].i, i);
	if (sf_ints_known(list) && sf_dim_known(whole) && sum != whole.size)
		return sf_fail(infer->error,
		    "input 'split' adds up to %lld, expected the dimension's "
		    "%lld",
		    (long long)sum, (long long)whole.size);
	return true;
}

static bool
read_parts(
    struct sf_infer *infer, struct sf_onnx_dim whole, struct parts *parts)
{
	const struct sf_value *split = sf_infer_input(infer, 1);
	struct sf_ints list;

	*parts = (struct parts){ .n = -1 };
	if (split == NULL)
		return equal_parts(infer, sf_cell_int(1), whole, parts);
	if (!sf_infer_ints(infer, 1, "split", &list))
		return false;
	if (!split->rank_known || list.n < 0)
		return true;
	if (split->rank == 0)
		return equal_parts(infer, list.v[0], whole, parts);
	return listed_parts(infer, &list, whole, parts);
}

bool
sf_rule_split_to_sequence(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];
	struct sf_shape shape;
	struct parts parts;
	struct sf_value **items;
	int64_t keep = 1, left;
	int axis;

	sf_shape_of(in, &shape);
	if (!shape.known)
		return unknown_sequence(infer, in);
	if (!sf_infer_attr_axis(infer, "axis", 0, shape.rank, &axis) ||
	    !read_parts(infer, shape.d[axis], &parts) ||
	    (sf_infer_input(infer, 1) == NULL &&
		!sf_infer_attr_int(infer, "keepdims", 1, &keep)))
		return false;
	left = shape.d[axis].size;
	if (!keep)
		shape.rank--;
	for (int i = axis; !keep && i < shape.rank; i++)
		shape.d[i] = shape.d[i + 1];
	items = sf_arena_calloc(
	    infer->arena, (size_t)(parts.n < 0 ? 1 : parts.n), sizeof *items);
	for (int i = 0; i < parts.n || (i == 0 && parts.n < 0); i++) {
		struct sf_onnx_dim d = SF_DIM_NONE;

		if (parts.n >= 0 && parts.sizes == NULL)
			d = sf_dim(left < parts.each ? left : parts.each);
		else if (parts.n >= 0 && parts.sizes[i].known)
			d = sf_dim(parts.sizes[i].i);
		left -= parts.each;
		if (keep)
			shape.d[axis] = d;
		sf_infer_set(infer, 0, in->dtype, &shape);
		items[i] = copy_value(infer, &infer->outputs[0]);
	}
	if (parts.n < 0)
		return unknown_sequence(infer, items[0]);
	infer->outputs[0].dtype = in->dtype;
	set_sequence(infer, items, parts.n);
	return true;
}

/* Joined on an axis, or stacked on a new one. */
static bool
join_items(struct sf_infer *infer, const struct sf_value *sequence, bool stack,
    int axis, struct sf_shape *out)
{
	struct sf_onnx_dim sum = sf_dim(0);
	struct sf_shape next;

	sf_shape_of(sequence->items[0], out);
	for (int i = 0; i < sequence->nitems; i++) {
		sf_shape_of(sequence->items[i], &next);
		if (!next.known || next.rank != out->rank)
			return sf_fail(infer->error,
			    "element %d of the sequence has another rank", i);
		for (int k = 0; k < out->rank; k++)
			if ((stack || k != axis) &&
			    !sf_dim_merge(infer, "the elements besides 'axis'",
				out->d[k], next.d[k], &out->d[k]))
				return false;
		if (stack)
			continue;
		if (!sf_dim_known(next.d[axis]) || !sf_dim_known(sum))
			sum = SF_DIM_NONE;
		else if (!sf_add(sum.size, next.d[axis].size, &sum.size))
			return sf_fail(infer->error,
			    "the joined dimension passes 2^63 - 1");
	}
	if (!stack) {
		out->d[axis] = sum;
		return true;
	}
	if (!sf_shape_push(infer, out, sf_dim(0)))
		return false;
	for (int k = out->rank - 1; k > axis; k--)
		out->d[k] = out->d[k - 1];
	out->d[axis] = sf_dim(sequence->nitems);
	return true;
}

bool
sf_rule_concat_from_sequence(struct sf_infer *infer)
{
	const struct sf_value *sequence = infer->inputs[0];
	struct sf_shape out = { 0 };
	int64_t stack;
	int axis;

	if (sf_infer_attr(infer, "axis") == NULL)
		return sf_fail(infer->error, "attribute 'axis' is missing");
	if (!sf_infer_attr_int(infer, "new_axis", 0, &stack))
		return false;
	if (!has_items(sequence) || sequence->nitems == 0 ||
	    !sequence->items[0]->rank_known) {
		sf_infer_set(infer, 0, sequence->dtype, &out);
		sf_infer_unknown(infer, 0,
		    "the elements of '%.*s' are not known",
		    SF_STR_ARG(sequence->name));
		return true;
	}
	if (!sf_infer_attr_axis(infer, "axis", 0,
		sequence->items[0]->rank + (stack ? 1 : 0), &axis) ||
	    !join_items(infer, sequence, stack != 0, axis, &out))
		return false;
	sf_infer_set(infer, 0, sequence->dtype, &out);
	return true;
}

/* ---- optional values: one item, or none ---- */

bool
sf_rule_optional(struct sf_infer *infer)
{
	struct sf_value *in = sf_infer_input(infer, 0);
	struct sf_value **items =
	    sf_arena_calloc(infer->arena, 1, sizeof *items);
	struct sf_value *out = &infer->outputs[0];

	if (in != NULL) {
		items[0] = in;
		sf_infer_like(infer, 0, in);
	}
	out->kind = SF_ONNX_TYPE_OPTIONAL;
	out->item = in != NULL ? in->kind : SF_ONNX_TYPE_NONE;
	out->items = items;
	out->nitems = in != NULL;
	return true;
}

bool
sf_rule_optional_get_element(struct sf_infer *infer)
{
	const struct sf_value *in = infer->inputs[0];

	if (in->kind != SF_ONNX_TYPE_OPTIONAL)
		return sf_rule_identity(infer);
	if (in->nitems != 1 || in->items == NULL) {
		set_element(infer, in);
		return true;
	}
	sf_infer_like(infer, 0, in->items[0]);
	sf_infer_same_contents(infer, 0, in->items[0]);
	return true;
}

bool
sf_rule_optional_has_element(struct sf_infer *infer)
{
	const struct sf_value *in = sf_infer_input(infer, 0);
	struct sf_cell has = sf_cell_int(1);
	struct sf_cells cells;

	if (in == NULL)
		has = sf_cell_int(0);
	else if (in->kind == SF_ONNX_TYPE_OPTIONAL)
		has = in->nitems < 0 || (in->nitems > 0 && in->items == NULL)
		    ? (struct sf_cell){ 0 }
		    : sf_cell_int(in->nitems);
	sf_infer_set_scalar(infer, 0, SF_DT_B8);
	if (!sf_cells_begin(&cells, infer, 0))
		return true;
	sf_cells_put(&cells, 0, has);
	sf_cells_end(&cells);
	return true;
}

/* ---- strings ---- */

bool
sf_rule_string_concat(struct sf_infer *infer)
{
	return sf_rule_binary(infer);
}

/* How many substrings there are depends on the strings. */
bool
sf_rule_string_split(struct sf_infer *infer)
{
	struct sf_shape in, out;
	int64_t n;

	sf_infer_shape(infer, 0, &in);
	out = in;
	sf_infer_set(infer, 1, SF_DT_I64, &in);
	if (out.known) {
		n = sf_value_numel(infer->inputs[0]);
		if (!sf_shape_push(
			infer, &out, n == 0 ? sf_dim(0) : SF_DIM_NONE))
			return false;
		sf_infer_unknown(
		    infer, 0, "the number of substrings is not known");
	}
	sf_infer_set(infer, 0, SF_DT_STR, &out);
	return true;
}

/* Without stop words every string stays; with them it depends on the strings. */
bool
sf_rule_string_normalizer(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank > 2)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected 1 or 2", out.rank);
	if (out.known && out.rank > 0 &&
	    sf_infer_attr(infer, "stopwords") != NULL) {
		out.d[out.rank - 1] = SF_DIM_NONE;
		sf_infer_unknown(
		    infer, 0, "how many strings are stop words is not known");
	}
	sf_infer_set(infer, 0, SF_DT_STR, &out);
	return true;
}

bool
sf_rule_tfidf(struct sf_infer *infer)
{
	const int64_t *indexes;
	struct sf_shape out;
	int64_t columns = 0;
	int n;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_attr_ints(infer, "ngram_indexes", &indexes, &n))
		return false;
	for (int i = 0; i < n; i++) {
		if (indexes[i] < 0 || indexes[i] == INT64_MAX)
			return sf_fail(infer->error,
			    "attribute 'ngram_indexes' is %lld, expected at "
			    "least 0",
			    (long long)indexes[i]);
		if (indexes[i] >= columns)
			columns = indexes[i] + 1;
	}
	if (out.known && (out.rank < 1 || out.rank > 2))
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected 1 or 2", out.rank);
	if (out.known)
		out.d[out.rank - 1] = sf_dim(columns);
	sf_infer_set(infer, 0, SF_DT_F32, &out);
	return true;
}
