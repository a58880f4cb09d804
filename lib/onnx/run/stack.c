/* Operators that cut what steps take and stack what they collect. */
#include "onnx/run/stack.h"

#include <string.h>

#include "base/num.h"
#include "onnx/run/trial.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

/* ---- attributes of what is added ---- */

static struct sf_onnx_attr
number(const char *name, int64_t x)
{
	return (struct sf_onnx_attr){ .name = sf_str_of(name),
		.type = SF_ONNX_ATTR_INT,
		.ref = SF_STR(""),
		.i = x };
}

static struct sf_onnx_attr *
two_numbers(
    struct sf_arena *arena, const char *a, int64_t x, const char *b, int64_t y)
{
	struct sf_onnx_attr *attrs = sf_arena_calloc(arena, 2, sizeof *attrs);

	attrs[0] = number(a, x);
	attrs[1] = number(b, y);
	return attrs;
}

/* ---- stacks ---- */

/* The type of VALUE with the dimension N put in at AT. */
static void
insert(struct sf_value *value, const struct sf_value *type, int64_t at,
    int64_t n, struct sf_arena *arena)
{
	size_t rank = (size_t)type->rank + 1;
	int64_t *dims = sf_arena_calloc(arena, rank, sizeof *dims);
	struct sf_str *names = sf_arena_calloc(arena, rank, sizeof *names);

	for (int i = 0, k = 0; i <= type->rank; i++) {
		names[i] = SF_STR("");
		dims[i] = i == at ? n : type->dims[k];
		if (i != at && type->dim_names != NULL)
			names[i] = type->dim_names[k];
		k += i != at;
	}
	value->rank_known = true;
	value->rank = type->rank + 1;
	value->dims = dims;
	value->dim_names = type->dim_names != NULL ? names : NULL;
}

void
sf_onnx_stack_type(struct sf_value *value, const struct sf_value *type,
    int64_t axis, int64_t n, struct sf_arena *arena)
{
	int64_t at = axis < 0 ? axis + type->rank + 1 : axis;

	value->kind = type->kind;
	value->dtype = type->dtype;
	value->rank_known = false;
	if (type->rank_known && at >= 0 && at <= type->rank &&
	    type->rank < SF_VALUE_MAX_RANK)
		insert(value, type, at, n, arena);
}

/* The contents, where the stack is along its first dimension. */
static void
stack_contents(struct sf_value *value, struct sf_value *const *pieces,
    int64_t n, struct sf_arena *arena)
{
	int64_t all = sf_value_numel(value), each;
	int64_t *ints;

	if (all <= 0 || all > SF_VALUE_MAX_ELEMENTS)
		return;
	each = all / n;
	for (int64_t i = 0; i < n; i++)
		if (!sf_value_has_ints(pieces[i]))
			return;
	ints = sf_arena_calloc(arena, (size_t)all, sizeof *ints);
	for (int64_t i = 0; i < n; i++)
		memcpy(ints + i * each, pieces[i]->ints,
		    (size_t)each * sizeof *ints);
	value->ints = ints;
}

/* The type that all pieces have, and why it is not known. */
static struct sf_value *
common(struct sf_value *const *pieces, int64_t n, struct sf_arena *arena)
{
	struct sf_value *type = sf_onnx_type_of(pieces[0], arena);

	for (int64_t i = 0; i < n; i++) {
		if (type->why == NULL)
			type->why = sf_onnx_value_open(pieces[i]);
		if (sf_onnx_type_meet(type, pieces[i], arena) &&
		    type->why == NULL)
			type->why = "its steps collect values of different "
				    "sizes";
	}
	return type;
}

struct sf_value *
sf_onnx_stack(
    struct sf_onnx_unroll *u, int i, const struct sf_onnx_stack *stack)
{
	struct sf_onnx_run *run = u->run;
	struct sf_arena *arena = run->arena;
	struct sf_value **pieces =
	    sf_arena_calloc(arena, (size_t)stack->n, sizeof(struct sf_value *));
	struct sf_value **out =
	    sf_arena_calloc(arena, 1, sizeof(struct sf_value *));
	int64_t steps = stack->n;
	struct sf_value *type;

	for (int64_t k = 0; k < stack->n; k++)
		pieces[stack->reversed ? stack->n - 1 - k : k] =
		    stack->pieces[k * stack->stride];
	type = common(pieces, stack->n, arena);
	out[0] = sf_onnx_value_new(
	    run, sf_onnx_value_tid(run, u->outer, u->node->outputs[i]));
	if (stack->batch != 0)
		steps /= stack->batch;
	sf_onnx_stack_type(out[0], type, stack->axis, steps, arena);
	if (stack->batch != 0 && out[0]->rank_known) {
		*type = *out[0];
		sf_onnx_stack_type(out[0], type, 0, stack->batch, arena);
	}
	if (stack->axis == 0)
		stack_contents(out[0], pieces, stack->n, arena);
	if (sf_onnx_value_open(out[0]) != NULL)
		out[0]->why = type->why;
	sf_onnx_op_make(run, u->outer, u->node, "ConcatFromSequence", pieces,
	    (int)stack->n, out, 1,
	    two_numbers(arena, "axis", stack->axis, "new_axis", 1), 2);
	sf_onnx_value_of(out[0])->handed = u->node;
	return out[0];
}

/* ---- slices ---- */

/* The type of a slice: FROM dimensions in, N of them are gone. */
static void
cut_type(struct sf_value *slice, const struct sf_value *value, int64_t from,
    int n, struct sf_arena *arena)
{
	struct sf_str *names;
	int64_t *dims;
	int k = 0;

	slice->kind = value->kind;
	slice->dtype = value->dtype;
	slice->rank_known = value->rank_known;
	if (!value->rank_known)
		return;
	dims = sf_arena_calloc(arena, (size_t)value->rank, sizeof *dims);
	names = sf_arena_calloc(arena, (size_t)value->rank, sizeof *names);
	for (int i = 0; i < value->rank; i++) {
		if (i >= from && i < from + n)
			continue;
		names[k] =
		    value->dim_names != NULL ? value->dim_names[i] : SF_STR("");
		dims[k++] = value->dims[i];
	}
	slice->rank = k;
	slice->dims = dims;
	slice->dim_names = value->dim_names != NULL ? names : NULL;
}

/* Slices T along the first dimension have their elements side by side. */
static void
cut_contents(struct sf_value *slice, const struct sf_value *value, int64_t t)
{
	int64_t each = sf_value_numel(slice);

	if (each < 0)
		return;
	if (sf_value_has_ints(value))
		slice->ints = value->ints + t * each;
	else if (value->floats.at != NULL && value->known == NULL)
		slice->floats = sf_reals_from(value->floats, t * each);
}

static struct sf_value *
cut_one(struct sf_onnx_unroll *u, const struct sf_value *value,
    const struct sf_value *type, struct sf_str name, int64_t step)
{
	struct sf_onnx_run *run = u->run;
	struct sf_str prefix = sf_str_of(sf_arena_printf(run->arena,
	    "%.*s/%lld", SF_STR_ARG(u->frame.prefix), (long long)step));
	struct sf_value *slice =
	    sf_onnx_value_new(run, sf_onnx_tids_make(&run->tids, prefix, name));

	slice->kind = type->kind;
	slice->dtype = type->dtype;
	slice->rank_known = type->rank_known;
	slice->rank = type->rank;
	slice->dims = type->dims;
	slice->dim_names = type->dim_names;
	slice->why = value->why;
	return slice;
}

struct sf_value **
sf_onnx_slices(struct sf_onnx_unroll *u, struct sf_value *value,
    struct sf_str name, const struct sf_onnx_cut *cut)
{
	struct sf_arena *arena = u->run->arena;
	struct sf_value **out = sf_arena_calloc(
	    arena, 2 * (size_t)cut->n + 1, sizeof(struct sf_value *));
	struct sf_value **in =
	    sf_arena_calloc(arena, 1, sizeof(struct sf_value *));
	struct sf_value **steps = out + cut->n;
	struct sf_value type = { .nitems = -1 };

	in[0] = sf_onnx_alias(u->run, value, -1);
	cut_type(&type, value, cut->axis, cut->ndims, arena);
	for (int64_t t = 0; t < cut->n; t++) {
		int64_t at = cut->reversed ? cut->n - 1 - t : t;

		steps[t] = out[at] = cut_one(u, value, &type, name, t);
		if (cut->axis == 0)
			cut_contents(steps[t], value, at);
	}
	if (cut->n != 0)
		sf_onnx_op_make(u->run, u->outer, u->node, "SplitToSequence",
		    in, 1, out, (int)cut->n,
		    two_numbers(arena, "axis", cut->axis, "keepdims", 0), 2);
	return steps;
}
