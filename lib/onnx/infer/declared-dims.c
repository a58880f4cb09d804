/* Goes through all that a model declares, and changes its dimensions. */
#include "onnx/infer/declared-dims.h"

#include "onnx/infer/infer.h"

/*
 * What is done with each declared type of a model and with each node, in
 * graphs inside and in functions, too; either may be NULL.
 */
struct visit {
	void (*info)(const struct visit *v, struct sf_onnx_info *info);
	void (*node)(const struct visit *v, const struct sf_onnx_node *node);
	struct sf_table *table;
};

static void visit_graph(const struct visit *v, struct sf_onnx_graph *graph);

static void
visit_infos(const struct visit *v, struct sf_onnx_info *infos, int n)
{
	for (int i = 0; i < n && v->info != NULL; i++)
		v->info(v, &infos[i]);
}

/* What a search decodes with has sizes, and names of them, of its own. */
static void
visit_attr(const struct visit *v, const struct sf_onnx_node *node,
    const struct sf_onnx_attr *attr)
{
	struct visit search = *v;

	if (sf_str_is(node->domain, "com.microsoft")) {
		search.info = NULL;
		v = &search;
	}
	for (size_t i = 0; attr->graphs != NULL && i < attr->n; i++)
		visit_graph(v, attr->graphs[i]);
}

static void
visit_nodes(const struct visit *v, const struct sf_onnx_node *nodes, int n)
{
	for (int i = 0; i < n; i++) {
		if (v->node != NULL)
			v->node(v, &nodes[i]);
		for (int k = 0; k < nodes[i].nattrs; k++)
			visit_attr(v, &nodes[i], &nodes[i].attrs[k]);
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

/* Takes the names of dimensions. */
static void
collect_names(const struct visit *v, struct sf_onnx_info *info)
{
	for (int i = 0; i < info->type.rank; i++)
		if (info->type.dims[i].name.n != 0)
			sf_table_add(v->table, info->type.dims[i].name);
}

/* Gives the dimensions that have a bound name their size. */
static void
apply(const struct visit *v, struct sf_onnx_info *info)
{
	for (int i = 0; i < info->type.rank; i++) {
		struct sf_onnx_dim *dim = &info->type.dims[i];
		const struct sf_entry *e = NULL;

		if (dim->name.n != 0)
			e = sf_table_find(v->table, dim->name);
		if (e != NULL)
			*dim = (struct sf_onnx_dim){ .size = e->num };
	}
}

/* Takes dropped names away; a size of its own stays. */
static void
unname(const struct visit *v, struct sf_onnx_info *info)
{
	for (int i = 0; i < info->type.rank; i++) {
		struct sf_onnx_dim *dim = &info->type.dims[i];
		const struct sf_entry *e = NULL;

		if (dim->name.n != 0)
			e = sf_table_find(v->table, dim->name);
		if (e != NULL && dim->size == SF_DIM_UNKNOWN)
			dim->size = e->num;
		if (e != NULL)
			dim->name = SF_STR("");
	}
}

/* Takes the names of values that nodes make. */
static void
collect_made(const struct visit *v, const struct sf_onnx_node *node)
{
	for (int i = 0; i < node->noutputs; i++)
		if (node->outputs[i].n != 0)
			sf_table_add(v->table, node->outputs[i]);
}

/* The sizes that were declared for what a node makes; names may stay. */
static void
forget_sizes(const struct visit *v, struct sf_onnx_info *info)
{
	if (sf_table_find(v->table, info->name) == NULL)
		return;
	for (int i = 0; i < info->type.rank; i++)
		info->type.dims[i].size = SF_DIM_UNKNOWN;
}

void
sf_onnx_declared_names(struct sf_onnx_model *model, struct sf_table *names)
{
	struct visit v = { .info = collect_names, .table = names };

	visit_model(&v, model);
}

void
sf_onnx_declared_give(struct sf_onnx_model *model, struct sf_table *sizes)
{
	struct visit v = { .info = apply, .table = sizes };

	visit_model(&v, model);
}

void
sf_onnx_declared_unname(struct sf_onnx_model *model, struct sf_table *dropped)
{
	struct visit v = { .info = unname, .table = dropped };

	visit_model(&v, model);
}

void
sf_onnx_declared_forget(struct sf_onnx_model *model, struct sf_arena *arena)
{
	struct sf_table made;
	struct visit v = { .node = collect_made, .table = &made };

	sf_table_init(&made, arena);
	visit_model(&v, model);
	v = (struct visit){ .info = forget_sizes, .table = &made };
	visit_model(&v, model);
	sf_table_release(&made);
}
