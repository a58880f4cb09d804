/* Gives symbolic dimensions and whole inputs the sizes that the user wants. */
#include "onnx/bind.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "onnx/infer.h"

struct binder {
	struct sf_onnx_bind *bind;
	struct sf_error *error;
	struct sf_table known;  /* the names of dimensions in the model */
	struct sf_table inputs; /* its inputs, struct sf_onnx_info each */
};

/*
 * What is done with each declared type of a model, in graphs inside and in
 * functions, too.
 */
typedef void visit_type(struct sf_onnx_bind *bind, struct sf_table *known,
    struct sf_onnx_type *type);

struct visit {
	visit_type *fn;
	struct sf_onnx_bind *bind;
	struct sf_table *known;
};

static void visit_graph(const struct visit *v, struct sf_onnx_graph *graph);

static void
visit_infos(const struct visit *v, struct sf_onnx_info *infos, int n)
{
	for (int i = 0; i < n; i++)
		v->fn(v->bind, v->known, &infos[i].type);
}

static void
visit_nodes(const struct visit *v, const struct sf_onnx_node *nodes, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < nodes[i].nattrs; k++) {
			const struct sf_onnx_attr *a = &nodes[i].attrs[k];

			for (size_t g = 0; a->graphs != NULL && g < a->n; g++)
				visit_graph(v, a->graphs[g]);
		}
}

static void
visit_graph(const struct visit *v, struct sf_onnx_graph *graph)
{
	visit_infos(v, graph->inputs, graph->ninputs);
	visit_infos(v, graph->outputs, graph->noutputs);
	visit_infos(v, graph->infos, graph->ninfos);
	visit_nodes(v, graph->nodes, graph->nnodes);
}

static void
visit_model(const struct visit *v, struct sf_onnx_model *model)
{
	visit_graph(v, &model->graph);
	for (int i = 0; i < model->nfunctions; i++) {
		struct sf_onnx_function *f = &model->functions[i];

		visit_infos(v, f->infos, f->ninfos);
		visit_nodes(v, f->nodes, f->nnodes);
	}
}

static void
collect(struct sf_onnx_bind *bind, struct sf_table *known,
    struct sf_onnx_type *type)
{
	(void)bind;
	for (int i = 0; i < type->rank; i++)
		if (type->dims[i].name.n != 0)
			sf_table_add(known, type->dims[i].name);
}

/* Gives the dimensions that have a bound name their size. */
static void
apply(struct sf_onnx_bind *bind, struct sf_table *known,
    struct sf_onnx_type *type)
{
	(void)known;
	for (int i = 0; i < type->rank; i++) {
		struct sf_onnx_dim *dim = &type->dims[i];
		const struct sf_entry *e = NULL;

		if (dim->name.n != 0)
			e = sf_table_find(&bind->dims, dim->name);
		if (e != NULL)
			*dim = (struct sf_onnx_dim){ .size = e->num };
	}
}

/* "a, b, c", shortened where there are very many. */
static const char *
list_names(const struct sf_table *names, struct sf_arena *arena)
{
	struct sf_buf buf = { 0 };
	const char *text;

	if (names->n == 0)
		return "it has none";
	for (size_t i = 0; i < names->n; i++) {
		if (buf.n > 300) {
			sf_buf_printf(&buf, ", ... (%zu in all)", names->n);
			break;
		}
		sf_buf_printf(&buf, "%s%.*s", i == 0 ? "the model has: " : ", ",
		    SF_STR_ARG(names->order[i]->name));
	}
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
		    SF_STR_ARG(name), list_names(&b->known, b->bind->arena));
	return bind_dim(b, name, size);
}

/* "1x3x224" into sizes; -1 when it is no shape. */
static int
parse_shape(struct sf_str text, int64_t dims[SF_VALUE_MAX_RANK])
{
	int rank = 0;

	if (text.n == 0)
		return 0;
	for (;;) {
		const char *x = memchr(text.p, 'x', text.n);
		size_t n = x != NULL ? (size_t)(x - text.p) : text.n;

		if (rank == SF_VALUE_MAX_RANK ||
		    !sf_int_parse(text.p, n, &dims[rank]) || dims[rank] < 0)
			return -1;
		rank++;
		if (x == NULL)
			return rank;
		text.p += n + 1;
		text.n -= n + 1;
	}
}

static bool
set_size(
    struct binder *b, const struct sf_onnx_info *input, int i, int64_t size)
{
	struct sf_onnx_dim *dim = &input->type.dims[i];

	if (dim->size != SF_DIM_UNKNOWN && dim->size != size)
		return sf_fail(b->error,
		    "option '--shape': dimension %d of input '%.*s' is %lld "
		    "in the model, found %lld",
		    i, SF_STR_ARG(input->name), (long long)dim->size,
		    (long long)size);
	if (dim->name.n != 0)
		return bind_dim(b, dim->name, size);
	dim->size = size;
	return true;
}

static bool
set_shape(
    struct binder *b, struct sf_onnx_info *input, int rank, const int64_t *dims)
{
	struct sf_onnx_type *type = &input->type;

	if (type->kind != SF_ONNX_TYPE_TENSOR &&
	    type->kind != SF_ONNX_TYPE_NONE)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' is not a tensor",
		    SF_STR_ARG(input->name));
	if (type->rank_known && type->rank != rank)
		return sf_fail(b->error,
		    "option '--shape': input '%.*s' has rank %d in the model, "
		    "found %d sizes",
		    SF_STR_ARG(input->name), type->rank, rank);
	if (!type->rank_known) {
		type->kind = SF_ONNX_TYPE_TENSOR;
		type->rank_known = true;
		type->rank = rank;
		type->dims = sf_arena_calloc(
		    b->bind->arena, (size_t)rank, sizeof *type->dims);
		for (int i = 0; i < rank; i++)
			type->dims[i].size = SF_DIM_UNKNOWN;
	}
	for (int i = 0; i < rank; i++)
		if (!set_size(b, input, i, dims[i]))
			return false;
	return true;
}

static bool
take_shape(struct binder *b, const char *text)
{
	int64_t dims[SF_VALUE_MAX_RANK];
	struct sf_str name, value;
	struct sf_entry *e;
	int rank;

	if (!split(text, &name, &value) ||
	    (rank = parse_shape(value, dims)) < 0)
		return sf_fail(b->error,
		    "option '--shape': found '%s', expected INPUT=1x3x224x224 "
		    "with sizes >= 0",
		    text);
	e = sf_table_find(&b->inputs, name);
	if (e == NULL)
		return sf_fail(b->error,
		    "option '--shape': no input is named '%.*s'; %s",
		    SF_STR_ARG(name), list_names(&b->inputs, b->bind->arena));
	return set_shape(b, e->ptr, rank, dims);
}

static bool
take_all(
    struct binder *b, const struct sf_list *dims, const struct sf_list *shapes)
{
	for (size_t i = 0; i < dims->n; i++)
		if (!take_dim(b, dims->v[i]))
			return false;
	for (size_t i = 0; i < shapes->n; i++)
		if (!take_shape(b, shapes->v[i]))
			return false;
	return true;
}

bool
sf_onnx_bind(struct sf_onnx_bind *bind, struct sf_onnx_model *model,
    const struct sf_list *dims, const struct sf_list *shapes,
    struct sf_arena *arena, struct sf_error *error)
{
	struct binder b = { .bind = bind, .error = error };
	struct sf_onnx_graph *graph = &model->graph;
	struct visit visit = { collect, bind, &b.known };
	bool ok;

	bind->arena = arena;
	sf_table_init(&bind->dims, arena);
	sf_table_init(&b.known, arena);
	sf_table_init(&b.inputs, arena);
	if (dims->n != 0)
		visit_model(&visit, model);
	for (int i = 0; i < graph->ninputs; i++)
		sf_table_add(&b.inputs, graph->inputs[i].name)->ptr =
		    &graph->inputs[i];
	ok = take_all(&b, dims, shapes);
	sf_table_release(&b.known);
	sf_table_release(&b.inputs);
	visit.fn = apply;
	if (ok && bind->dims.n != 0)
		visit_model(&visit, model);
	return ok;
}

void
sf_onnx_bind_release(struct sf_onnx_bind *bind)
{
	sf_table_release(&bind->dims);
}
