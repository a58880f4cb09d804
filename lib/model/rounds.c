/* Writes loops round by round. */
#include "model/rounds.h"

struct sf_arena *
sf_rounds_begin(struct sf_graph *graph)
{
	struct sf_arena *outer = graph->arena;

	if (graph->writer != NULL)
		graph->arena = sf_arena_new();
	return outer;
}

/* The same tensor: it has its number, or a name, which is copied with it. */
static struct sf_val *
keep(struct sf_arena *outer, const struct sf_val *val)
{
	struct sf_val *copy = sf_arena_alloc(outer, sizeof *copy);

	*copy = *val;
	if (val->name != NULL)
		copy->name = sf_arena_strdup(outer, val->name);
	return copy;
}

void
sf_rounds_next(
    struct sf_graph *graph, struct sf_arena *outer, struct sf_val **vals, int n)
{
	if (graph->writer == NULL)
		return;
	sf_graph_write(graph, graph->writer);
	for (int i = 0; i < n; i++)
		vals[i] = keep(outer, vals[i]);
	sf_arena_reset(graph->arena);
}

void
sf_rounds_end(struct sf_graph *graph, struct sf_arena *outer)
{
	if (graph->writer == NULL)
		return;
	sf_arena_free(graph->arena);
	graph->arena = outer;
}
