/* Keeping operators for a second look. */
#include "ep/keep.h"

#include "stream/json.h"

static struct sf_str
keep_name(struct sf_table *names, struct sf_str name)
{
	return sf_table_add(names, name)->name;
}

/* The text of a value, empty when there is none. */
static struct sf_str
keep_json(struct sf_arena *arena, struct sf_str json)
{
	return json.n == 0 ? SF_STR("") : sf_json_keep(arena, json);
}

static struct sf_tensor *
keep_tensors(struct sf_table *names, const struct sf_tensor *from, int n)
{
	struct sf_tensor *to =
	    sf_arena_calloc(names->arena, (size_t)(n != 0 ? n : 1), sizeof *to);

	for (int i = 0; i < n; i++) {
		size_t rank = (size_t)from[i].rank;
		int64_t *shape;

		to[i] = from[i];
		to[i].dim_names = NULL;
		if (from[i].absent)
			continue;
		to[i].tid = keep_name(names, from[i].tid);
		shape = sf_arena_calloc(
		    names->arena, rank != 0 ? rank : 1, sizeof *shape);
		if (rank != 0)
			memcpy(shape, from[i].shape, rank * sizeof *shape);
		to[i].shape = shape;
	}
	return to;
}

void
sf_op_keep(struct sf_op *kept, const struct sf_op *op, struct sf_table *names)
{
	*kept = (struct sf_op){
		.i = op->i,
		.name = keep_name(names, op->name),
		.node = SF_STR(""),
		.inputs = keep_tensors(names, op->inputs, op->ninputs),
		.ninputs = op->ninputs,
		.outputs = keep_tensors(names, op->outputs, op->noutputs),
		.noutputs = op->noutputs,
		.attrs = keep_json(names->arena, op->attrs),
		.folded = op->folded,
		.dead = op->dead,
		.counted = op->counted,
		.counts = op->counts,
		.gemms = keep_json(names->arena, op->gemms),
		.window = keep_json(names->arena, op->window),
	};
}
