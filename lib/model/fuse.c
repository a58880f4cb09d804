/* Parts of a program as one operator each. */
#include "model/fuse.h"

#include <string.h>

#include "base/die.h"
#include "model/arch.h"
#include "model/element.h"
#include "model/stride.h"

enum {
	MAX_INPUTS = 10
};

bool
sf_fuses(const struct sf_build *b)
{
	return b->route->fuses;
}

struct sf_fusion
sf_fuse_begin(struct sf_build *b)
{
	b->fusing++;
	return (struct sf_fusion){ b->graph.last };
}

/* ---- the inputs of a part ---- */

struct list {
	struct sf_val *v[MAX_INPUTS];
	int n;
};

static int
place_of(const struct list *list, const struct sf_val *x)
{
	for (int i = 0; i < list->n; i++)
		if (list->v[i] == x)
			return i;
	return -1;
}

static void
put(struct list *list, struct sf_val *x)
{
	if (place_of(list, x) >= 0)
		return;
	if (list->n == MAX_INPUTS)
		sf_bug("a fused operator with more than %d inputs", MAX_INPUTS);
	list->v[list->n++] = x;
}

/* The parameters and buffers of RANK that the operators from FIRST on read. */
static void
add_named(struct list *list, const struct sf_graph_node *first, int rank)
{
	for (const struct sf_graph_node *n = first; n != NULL; n = n->next)
		for (int i = 0; i < n->ninputs; i++) {
			struct sf_val *x = n->inputs[i];

			if (x != NULL && x->name != NULL && x->rank == rank)
				put(list, x);
		}
}

/* Biases, a row of a product's results. */
static int64_t
count_biases(const struct list *list)
{
	int64_t sum = 0;

	for (int i = 0; i < list->n; i++)
		if (list->v[i]->param && list->v[i]->rank == 1 &&
		    list->v[i]->name != NULL &&
		    strstr(list->v[i]->name, "bias") != NULL)
			sum += list->v[i]->shape[0];
	return sum;
}

/* What the part leaves unread of the parameters that all experts have. */
static void
move_unread(struct sf_graph_node *made, const struct sf_graph_node *first,
    const struct list *list)
{
	for (const struct sf_graph_node *n = first; n != NULL; n = n->next) {
		if (n->unread == 0)
			continue;
		for (int i = 0; i < list->n; i++)
			if (list->v[i]->param && list->v[i]->rank == 3) {
				made->partial = i;
				made->unread = n->unread;
			}
	}
}

static bool
multiplies(const char *op)
{
	static const char *const names[] = { "gpu.linear", "gpu.mlp_up",
		"gpu.router" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(op, names[i]) == 0)
			return true;
	return false;
}

void
sf_fuse_end(struct sf_build *b, struct sf_fusion f, const char *op,
    struct sf_val *const *in, int nin, struct sf_val *const *out, int nout)
{
	struct sf_graph *g = &b->graph;
	struct sf_graph_node *first, *made;
	struct list list = { .n = 0 };
	int64_t biases;

	b->fusing--;
	if (!sf_fuses(b))
		return;
	first = f.last != NULL ? f.last->next : g->first;
	for (int i = 0; i < nin; i++)
		put(&list, in[i]);
	for (int rank = SF_VAL_RANK; rank >= 0; rank--)
		add_named(&list, first, rank);
	sf_graph_cut(g, f.last);
	made = sf_graph_add(g, op, list.v, list.n, out, nout);
	move_unread(made, first, &list);
	biases = multiplies(op) ? count_biases(&list) : 0;
	if (biases != 0)
		made->attrs = sf_arena_printf(
		    g->arena, "{\"bias\":%lld}", (long long)biases);
	/* Parts of a part are gone when it is done. */
	if (b->fusing == 0)
		sf_element_narrow(b, made);
}

struct sf_val *
sf_fuse_1(struct sf_build *b, struct sf_fusion f, const char *op,
    struct sf_val *in, struct sf_val *out)
{
	sf_fuse_end(b, f, op, &in, 1, &out, 1);
	return out;
}

struct sf_val *
sf_fuse_linear(struct sf_build *b, struct sf_val *x, struct sf_val *weight,
    struct sf_val *bias)
{
	struct sf_fusion f = sf_fuse_begin(b);
	int64_t shape[SF_VAL_RANK];
	struct sf_val *in[] = { x, weight, bias }, *out;

	memcpy(shape, x->shape, sizeof shape);
	shape[x->rank - 1] = weight->shape[0];
	out = sf_val_new(&b->graph, b->work.dtype, x->rank, shape);
	if (x->dtype == SF_DT_F32)
		out->dtype = SF_DT_F32;
	sf_fuse_end(b, f, "gpu.linear", in, bias != NULL ? 3 : 2, &out, 1);
	return out;
}

/* ---- sums and norms ---- */

/* The operator before NORM that makes its input as the sum of two. */
static struct sf_graph_node *
sum_of(const struct sf_graph_node *norm)
{
	const struct sf_val *x = norm->inputs[0];

	for (struct sf_graph_node *n = norm->prev; n != NULL; n = n->prev) {
		if (n->noutputs == 0 || n->outputs[0] != x)
			continue;
		return strcmp(n->op, "aten.add") == 0 && n->ninputs == 2 &&
			sf_val_numel(n->inputs[0]) == sf_val_numel(x) &&
			sf_val_numel(n->inputs[1]) == sf_val_numel(x)
		    ? n
		    : NULL;
	}
	return NULL;
}

static bool
is_read_but_by(const struct sf_graph_node *reader, const struct sf_val *x,
    const struct sf_graph_node *from)
{
	for (const struct sf_graph_node *n = from; n != NULL; n = n->next)
		for (int i = 0; i < n->ninputs && n != reader; i++)
			if (n->inputs[i] == x)
				return true;
	return false;
}

/* NORM does what SUM does, too, in its place. */
static void
join(struct sf_graph *g, struct sf_graph_node *sum, struct sf_graph_node *norm)
{
	struct list in = { .n = 0 };
	struct sf_val *out[3];
	struct sf_graph_node *made;
	int n = 0;

	put(&in, sum->inputs[0]);
	put(&in, sum->inputs[1]);
	for (int i = 1; i < norm->ninputs; i++)
		put(&in, norm->inputs[i]);
	out[n++] = norm->outputs[0];
	if (is_read_but_by(norm, sum->outputs[0], sum->next))
		out[n++] = sum->outputs[0];
	for (int i = 1; i < norm->noutputs; i++)
		out[n++] = norm->outputs[i];
	made = sf_graph_insert(g, sum, "gpu.add_norm", in.v, in.n, out, n);
	made->attrs = norm->attrs;
	sf_graph_drop(g, sum);
	sf_graph_drop(g, norm);
}

void
sf_fuse_sums(struct sf_build *b)
{
	struct sf_graph_node *next;

	for (struct sf_graph_node *n = b->graph.first; n != NULL; n = next) {
		struct sf_graph_node *sum = NULL;

		next = n->next;
		if (strcmp(n->op, "gpu.norm") == 0)
			sum = sum_of(n);
		if (sum != NULL)
			join(&b->graph, sum, n);
	}
}

/* ---- what there is ---- */

void
sf_fuse_check(const struct sf_build *b, const struct sf_config *config)
{
	const struct sf_arch *arch = b->arch;

	if (b->parts == SF_PART_TOWER && arch->tower != NULL)
		arch = arch->tower;
	if (arch->compression == NULL)
		return;
	sf_config_die(config, &config->root,
	    "'model_type' is '%s', for which the route gpu is not defined",
	    arch->family->model_type);
}
