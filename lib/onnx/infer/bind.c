/* Gives symbolic dimensions and whole inputs the sizes that the user wants. */
#include "onnx/infer/bind.h"

#include <string.h>

#include "base/buf.h"
#include "base/near.h"
#include "base/num.h"
#include "onnx/infer/batch.h"
#include "onnx/infer/declared-dims.h"
#include "onnx/infer/declared.h"
#include "onnx/infer/given.h"
#include "onnx/infer/infer.h"
#include "onnx/infer/listed.h"

/* An input of the model, and the shape that it was given. */
struct input {
	struct sf_onnx_info *info;
	const char *text; /* as the user wrote it; NULL: none yet */
	struct sf_str values;
	bool valued;
};

struct binder {
	struct sf_onnx_bind *bind;
	struct sf_error *error;
	struct sf_table known;   /* the names of dimensions in the model */
	struct sf_table inputs;  /* struct input each */
	struct sf_buf changed;   /* sizes of the model that a shape changes */
	size_t batch_changes;    /* how much of it --batch does */
	struct sf_table by_dim;  /* names that --dim gives a size */
	struct sf_buf conflicts; /* names with two sizes */
	struct sf_buf given;     /* what inputs hold */
};

/* "a, b, c", shortened where there are very many, and the one like WANTED. */
static const char *
list_names(
    const struct sf_table *names, struct sf_str wanted, struct sf_arena *arena)
{
	struct sf_buf buf = { 0 };
	struct sf_near near;
	const char *text;

	if (names->n == 0)
		return "the model has none";
	sf_near_init(&near, wanted);
	for (size_t i = 0; i < names->n; i++)
		sf_near_try(&near, names->order[i]->name);
	for (size_t i = 0; i < names->n; i++) {
		if (buf.n > 300) {
			sf_buf_printf(&buf, ", ... (%zu in all)", names->n);
			break;
		}
		sf_buf_printf(&buf, "%s%.*s", i == 0 ? "the model has: " : ", ",
		    SF_STR_ARG(names->order[i]->name));
	}
	sf_near_put(&near, "", &buf);
	text = sf_arena_strndup(arena, buf.p, buf.n);
	sf_buf_release(&buf);
	return text;
}

/* Splits at the last '=': a name may have one in it. */
static bool
split(const char *text, struct sf_str *name, struct sf_str *value)
{
	const char *equals = strrchr(text, '=');

	if (equals == NULL || equals == text)
		return false;
	*name = (struct sf_str){ text, (size_t)(equals - text) };
	*value = sf_str_of(equals + 1);
	return true;
}

/* Binds NAME, which may be bound to the same size already. */
static bool
bind_dim(struct binder *b, struct sf_str name, int64_t size)
{
	struct sf_entry *e = sf_table_find(&b->bind->dims, name);

	if (e != NULL && e->num != size)
		return sf_fail(b->error,
		    "dimension '%.*s' is given two sizes, %lld and %lld",
		    SF_STR_ARG(name), (long long)e->num, (long long)size);
	sf_table_add(&b->bind->dims, name)->num = size;
	return true;
}

static bool
take_dim(struct binder *b, const char *text)
{
	struct sf_str name, value;
	int64_t size;

	if (!split(text, &name, &value) ||
	    !sf_int_parse(value.p, value.n, &size) || size < 0)
		return sf_fail(b->error,
		    "option '--dim': found '%s', expected NAME=N with N >= 0",
		    text);
	if (sf_table_find(&b->known, name) == NULL)
		return sf_fail(b->error,
		    "option '--dim': no dimension is named '%.*s'; %s",
		    SF_STR_ARG(name),
		    list_names(&b->known, name, b->bind->arena));
	sf_table_add(&b->by_dim, name);
	return bind_dim(b, name, size);
}

/*
 * Exporters give dimensions that differ one name: two sizes for it are no
 * contradiction, but show that it says nothing. What --dim says holds where
 * nothing else does.
 */
static void
drop_name(struct binder *b, const struct sf_entry *bound, int64_t size)
{
	struct sf_table *dropped = &b->bind->dropped;

	if (sf_table_find(dropped, bound->name) != NULL)
		return;
	sf_table_add(dropped, bound->name)->num =
	    sf_table_find(&b->by_dim, bound->name) != NULL ? bound->num
							   : SF_DIM_UNKNOWN;
	sf_buf_printf(&b->conflicts, "%s'%.*s' is given %lld and %lld",
	    b->conflicts.n != 0 ? ", " : "", SF_STR_ARG(bound->name),
	    (long long)bound->num, (long long)size);
}

static bool
set_size(struct binder *b, struct sf_onnx_dim *dim, int64_t size)
{
	const struct sf_entry *e;

	dim->size = size;
	if (dim->name.n == 0)
		return true;
	e = sf_table_find(&b->bind->dims, dim->name);
	if (e == NULL)
		sf_table_add(&b->bind->dims, dim->name)->num = size;
	else if (e->num != size)
		drop_name(b, e, size);
	return true;
}

/* The tensor INPUT as an input of the given rank. */
static bool
set_rank(struct binder *b, struct sf_onnx_info *info, int rank)
{
	struct sf_onnx_type *type = &info->type;

	if (type->kind != SF_ONNX_TYPE_TENSOR &&
	    type->kind != SF_ONNX_TYPE_NONE)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' is not a tensor",
		    SF_STR_ARG(info->name));
	if (type->rank_known && type->rank != rank)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' has rank %d in the model, "
		    "found %d size%s",
		    SF_STR_ARG(info->name), type->rank, rank,
		    rank == 1 ? "" : "s");
	if (type->rank_known)
		return true;
	type->kind = SF_ONNX_TYPE_TENSOR;
	type->rank_known = true;
	type->rank = rank;
	type->dims =
	    sf_arena_calloc(b->bind->arena, (size_t)rank, sizeof *type->dims);
	for (int i = 0; i < rank; i++)
		type->dims[i].size = SF_DIM_UNKNOWN;
	return true;
}

/* The type stands where the model has none. */
static bool
set_dtype(struct binder *b, struct sf_onnx_info *info, enum sf_dtype dtype)
{
	if (dtype == SF_DT_UNKNOWN || info->type.dtype == dtype)
		return true;
	if (info->type.dtype != SF_DT_UNKNOWN)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' is of type %s in the "
		    "model, found %s",
		    SF_STR_ARG(info->name), sf_dtype_name(info->type.dtype),
		    sf_dtype_name(dtype));
	info->type.dtype = dtype;
	return true;
}

/* Notes that TEXT changes what the model fixes of the input. */
static void
note_change(struct binder *b, const struct sf_onnx_info *info, const char *text)
{
	struct sf_value declared = { .name = info->name };

	sf_onnx_declare(&declared, &info->type, b->bind->arena);
	sf_buf_printf(&b->changed, "%s'%.*s' from %s to %s",
	    b->changed.n != 0 ? ", " : "", SF_STR_ARG(info->name),
	    sf_onnx_type_text(&declared, b->bind->arena), text);
}

/* Notes that the input is given TEXT, and nothing else. */
static bool
set_text(struct binder *b, struct input *input, const char *text)
{
	if (input->text != NULL && strcmp(input->text, text) != 0)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' is given two shapes, %s "
		    "and %s",
		    SF_STR_ARG(input->info->name), input->text, text);
	input->text = text;
	return true;
}

static bool
set_shape(struct binder *b, struct input *input, const char *text,
    const struct sf_onnx_type *given)
{
	struct sf_onnx_info *info = input->info;
	bool changes = false;

	if (!set_text(b, input, text) || !set_rank(b, info, given->rank) ||
	    !set_dtype(b, info, given->dtype))
		return false;
	for (int i = 0; i < given->rank; i++)
		changes = changes ||
		    (info->type.dims[i].size != SF_DIM_UNKNOWN &&
			info->type.dims[i].size != given->dims[i].size);
	if (changes)
		note_change(b, info, text);
	for (int i = 0; i < given->rank; i++)
		if (!set_size(b, &info->type.dims[i], given->dims[i].size))
			return false;
	return true;
}

/* What is given to no input waits for the value of that name. */
static bool
keep_shape(struct binder *b, struct sf_str name, struct sf_onnx_given *given)
{
	struct sf_entry *e = sf_table_add(&b->bind->shapes, name);
	const struct sf_onnx_given *had = e->ptr;
	const struct sf_onnx_type *a = had != NULL ? &had->type : &given->type;
	const struct sf_onnx_type *other = &given->type;
	bool same = a->rank == other->rank && a->dtype == other->dtype;

	for (int i = 0; same && i < a->rank; i++)
		same = a->dims[i].size == other->dims[i].size;
	if (!same)
		return sf_fail(b->error,
		    "option '--shape': '%.*s' is given two shapes",
		    SF_STR_ARG(name));
	e->ptr = given;
	return true;
}

static bool
take_shape(struct binder *b, const char *text)
{
	struct sf_onnx_given *given =
	    sf_arena_calloc(b->bind->arena, 1, sizeof *given);
	struct sf_str name = { 0 }, value = { 0 };
	bool whole = split(text, &name, &value);
	struct sf_entry *e = sf_table_find(&b->inputs, name);
	struct input *input = e != NULL ? e->ptr : NULL;

	if (whole && input != NULL && sf_onnx_holds_items(&input->info->type))
		return set_text(b, input, value.p) &&
		    sf_onnx_give_items(
			input->info, value, b->bind->arena, b->error);
	if (!whole || !sf_onnx_given_shape(&given->type, value, b->bind->arena))
		return sf_fail(b->error,
		    "option '--shape': found '%s', expected "
		    "VALUE=1x3x224x224[:TYPE] with sizes >= 0",
		    text);
	return input != NULL ? set_shape(b, input, value.p, &given->type)
			     : keep_shape(b, name, given);
}

/* An input that has an initializer is no input to whoever runs the model. */
static void
collect_inputs(struct binder *b, struct sf_onnx_graph *graph)
{
	struct sf_table inits;

	sf_table_init(&inits, b->bind->arena);
	for (int i = 0; i < graph->ninits; i++)
		sf_table_add(&inits, graph->inits[i].name);
	for (int i = 0; i < graph->ninputs; i++) {
		struct sf_onnx_info *info = &graph->inputs[i];
		struct input *input;

		if (sf_table_find(&inits, info->name) != NULL)
			continue;
		input = sf_arena_calloc(b->bind->arena, 1, sizeof *input);
		input->info = info;
		sf_table_add(&b->inputs, info->name)->ptr = input;
	}
	sf_table_release(&inits);
}

/* A vector without a size has as many elements as it is given. */
static bool
size_vector(struct binder *b, struct sf_onnx_type *type, int64_t n)
{
	struct sf_onnx_dim *dim = type->dims;

	if (type->kind != SF_ONNX_TYPE_TENSOR || type->rank != 1 ||
	    dim->size != SF_DIM_UNKNOWN ||
	    (dim->name.n != 0 &&
		sf_table_find(&b->bind->dims, dim->name) != NULL))
		return true;
	return set_size(b, dim, n);
}

static bool
take_values(struct binder *b, const char *text)
{
	struct sf_str name, values;
	struct sf_entry *e;
	struct input *input;

	if (!split(text, &name, &values))
		return sf_fail(b->error,
		    "option '--value': found '%s', expected INPUT=V[,V...]",
		    text);
	e = sf_table_find(&b->inputs, name);
	if (e == NULL)
		return sf_fail(b->error,
		    "option '--value': no input is named '%.*s'; %s",
		    SF_STR_ARG(name),
		    list_names(&b->inputs, name, b->bind->arena));
	input = e->ptr;
	if (input->valued && !sf_str_eq(input->values, values))
		return sf_fail(b->error,
		    "option '--value': input '%.*s' is given twice, as %.*s "
		    "and %.*s",
		    SF_STR_ARG(name), SF_STR_ARG(input->values),
		    SF_STR_ARG(values));
	if (!input->valued)
		sf_buf_printf(&b->given, "%s%s",
		    b->given.n != 0 ? " --value " : "", text);
	input->valued = true;
	input->values = values;
	return size_vector(b, &input->info->type, sf_onnx_given_count(values));
}

/* When all sizes are bound. */
static bool
give_values(struct binder *b)
{
	for (size_t i = 0; i < b->inputs.n; i++) {
		const struct input *input = b->inputs.order[i]->ptr;

		if (input->valued &&
		    !sf_onnx_give(
			input->info, input->values, b->bind->arena, b->error))
			return false;
	}
	return true;
}

/* The first size of an input that the model fixes, or that has no name. */
static bool
set_first(struct binder *b, struct input *input, int64_t n)
{
	const struct sf_onnx_type *type = &input->info->type;
	struct sf_onnx_dim *dim = &type->dims[0];

	if (dim->size != SF_DIM_UNKNOWN && dim->size != n)
		note_change(b, input->info,
		    sf_arena_printf(
			b->bind->arena, "a batch of %lld", (long long)n));
	dim->size = n;
	return true;
}

static bool
take_batch(struct binder *b, int64_t n)
{
	size_t count = b->inputs.n;
	struct sf_onnx_info **infos =
	    sf_arena_calloc(b->bind->arena, count, sizeof *infos);
	struct sf_str name;

	for (size_t i = 0; i < count; i++) {
		const struct input *input = b->inputs.order[i]->ptr;

		infos[i] = input->info;
	}
	if (!sf_onnx_batch_find(infos, count, &name, b->bind->arena, b->error))
		return false;
	if (name.n != 0)
		return bind_dim(b, name, n);
	for (size_t i = 0; i < count; i++)
		if (sf_onnx_batch_has(infos[i]) &&
		    !set_first(b, b->inputs.order[i]->ptr, n))
			return false;
	return true;
}

static bool
take_all(struct binder *b, const struct sf_onnx_wants *wants)
{
	if (wants->batch >= 0 && !take_batch(b, wants->batch))
		return false;
	b->batch_changes = b->changed.n;
	for (size_t i = 0; i < wants->dims.n; i++)
		if (!take_dim(b, wants->dims.v[i]))
			return false;
	for (size_t i = 0; i < wants->shapes.n; i++)
		if (!take_shape(b, wants->shapes.v[i]))
			return false;
	for (size_t i = 0; i < wants->values.n; i++)
		if (!take_values(b, wants->values.v[i]))
			return false;
	return true;
}

static const char *
text_of(struct sf_buf *buf, struct sf_arena *arena)
{
	const char *text =
	    buf->n != 0 ? sf_arena_strndup(arena, buf->p, buf->n) : NULL;

	sf_buf_release(buf);
	return text;
}

bool
sf_onnx_bind(struct sf_onnx_bind *bind, struct sf_onnx_model *model,
    const struct sf_onnx_wants *wants, struct sf_arena *arena,
    struct sf_error *error)
{
	struct binder b = { .bind = bind, .error = error };
	bool ok;

	bind->arena = arena;
	bind->batch = wants->batch;
	sf_table_init(&bind->dims, arena);
	sf_table_init(&bind->dropped, arena);
	sf_table_init(&bind->shapes, arena);
	sf_table_init(&b.by_dim, arena);
	sf_table_init(&b.known, arena);
	sf_table_init(&b.inputs, arena);
	if (wants->dims.n != 0)
		sf_onnx_declared_names(model, &b.known);
	if (wants->shapes.n + wants->values.n != 0 || wants->batch >= 0)
		collect_inputs(&b, &model->graph);
	ok = take_all(&b, wants);
	bind->changed_by = b.batch_changes == 0 ? "--shape"
	    : b.batch_changes == b.changed.n    ? "--batch"
						: "--batch and --shape";
	bind->changed = text_of(&b.changed, arena);
	bind->given = text_of(&b.given, arena);
	bind->conflicts = text_of(&b.conflicts, arena);
	if (ok && bind->changed != NULL)
		sf_onnx_declared_forget(model, arena);
	if (ok && bind->dropped.n != 0)
		sf_onnx_declared_unname(model, &bind->dropped);
	if (ok && bind->dims.n != 0)
		sf_onnx_declared_give(model, &bind->dims);
	ok = ok && give_values(&b);
	if (bind->shapes.n != 0)
		bind->inputs = list_names(&b.inputs, SF_STR(""), arena);
	sf_table_release(&b.by_dim);
	sf_table_release(&b.known);
	sf_table_release(&b.inputs);
	return ok;
}

void
sf_onnx_bind_release(struct sf_onnx_bind *bind)
{
	sf_table_release(&bind->dropped);
	sf_table_release(&bind->shapes);
	sf_table_release(&bind->dims);
}
