/* Elementwise operators on their producers' way out. */
#include "accel/fuse.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* More readers than one, whoever they are: the model's caller. */
	KEPT = 2
};

void
sf_fuse_init(struct sf_fuse *f, struct sf_stream *stream)
{
	*f = (struct sf_fuse){ .arena = sf_arena_new() };
	sf_hold_init(&f->hold, stream);
	sf_table_init(&f->storage, f->arena);
}

void
sf_fuse_release(struct sf_fuse *f)
{
	sf_hold_release(&f->hold);
	sf_table_release(&f->storage);
	sf_arena_free(f->arena);
	free(f->readers);
	free(f->ops);
}

/* ---- storages ---- */

/* A storage that nobody has read yet. */
static int64_t
new_storage(struct sf_fuse *f)
{
	if (f->nstorages == f->readers_room) {
		f->readers_room =
		    f->readers_room != 0 ? 2 * f->readers_room : 64;
		f->readers = sf_reallocarray(
		    f->readers, (size_t)f->readers_room, sizeof *f->readers);
	}
	f->readers[f->nstorages] = 0;
	return f->nstorages++;
}

/* Where TENSOR is; what nobody made is in a storage of its own. */
static int64_t
storage_of(struct sf_fuse *f, const struct sf_tensor *tensor)
{
	struct sf_entry *entry = sf_table_add(&f->storage, tensor->tid);

	if (entry->num == 0)
		entry->num = new_storage(f) + 1;
	return entry->num - 1;
}

static void
put_outputs(struct sf_fuse *f, const struct sf_op *op, int64_t storage)
{
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *t = &op->outputs[i];
		int64_t at = storage;

		if (t->absent)
			continue;
		if (at < 0)
			at = new_storage(f);
		sf_table_add(&f->storage, t->tid)->num = at + 1;
		if (t->kept)
			f->readers[at] += KEPT;
	}
}

/* The outputs of what hands on are where its first input is. */
static void
pass(struct sf_fuse *f, const struct sf_op *op)
{
	int64_t storage = -1;

	for (int i = 0; i < op->ninputs && storage < 0; i++)
		if (!op->inputs[i].absent)
			storage = storage_of(f, &op->inputs[i]);
	put_outputs(f, op, storage);
}

/*
 * Counts OP as a reader of its inputs, once of each; returns the one storage
 * of which it reads one value that is no parameter, -1 when there are others.
 */
static int64_t
read_inputs(struct sf_fuse *f, const struct sf_lowering *lowering,
    const struct sf_op *op)
{
	int64_t only = -1;
	bool others = false;
	const struct sf_tensor *first = NULL;

	for (int i = 0; i < op->ninputs; i++) {
		const struct sf_tensor *t = &op->inputs[i];
		int64_t storage;

		if (t->absent || sf_value_of(&lowering->values, t).param)
			continue;
		storage = storage_of(f, t);
		if (first != NULL && sf_str_eq(first->tid, t->tid))
			continue;
		f->readers[storage]++;
		others = others || first != NULL;
		first = t;
		only = storage;
	}
	return others ? -1 : only;
}

/* ---- operators ---- */

static struct sf_fuse_op *
new_op(struct sf_fuse *f)
{
	if (f->nops == f->room) {
		f->room = f->room != 0 ? 2 * f->room : 64;
		f->ops =
		    sf_reallocarray(f->ops, (size_t)f->room, sizeof *f->ops);
	}
	return &f->ops[f->nops++];
}

void
sf_fuse_note(struct sf_fuse *f, const struct sf_lowering *lowering,
    const struct sf_op *op, const struct sf_lower *lower)
{
	struct sf_fuse_op *o = new_op(f);
	size_t bytes = (size_t)lower->ndeps * sizeof(int64_t);
	int64_t *deps = sf_arena_alloc(f->arena, bytes + 1);
	enum sf_category category = op->counts.category;

	if (bytes != 0)
		memcpy(deps, lower->deps, bytes);
	*o = (struct sf_fuse_op){ op->i, *lower, -1 };
	o->lower.deps = deps;
	if (lower->where != SF_ON_NONE || category == SF_CAT_UNKNOWN)
		o->input = read_inputs(f, lowering, op);
	if (lower->where != SF_ON_NONE)
		put_outputs(f, op, -1);
	else
		pass(f, op);
	if (lower->where != SF_ON_VECTOR || lower->ndeps != 1 ||
	    category != SF_CAT_ELEMENTWISE)
		o->input = -1;
}

void
sf_fuse_add(struct sf_fuse *f, const struct sf_lowering *lowering,
    const struct sf_op *op, const struct sf_lower *lower)
{
	sf_fuse_note(f, lowering, op, lower);
	sf_hold_add(&f->hold, op->i);
}

void
sf_fuse_follow(struct sf_fuse *f)
{
	sf_hold_follow(&f->hold);
}

/* ---- the end of the trace ---- */

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Who is waited for in place of those that are fused: STANDS, by operator. */
static void
redirect(struct sf_fuse *f, struct sf_lower *l, const int64_t *stands)
{
	size_t room = (size_t)(l->ndeps != 0 ? l->ndeps : 1);
	int64_t *deps = sf_arena_calloc(f->arena, room, sizeof *deps);
	int kept = 0;

	for (int i = 0; i < l->ndeps; i++)
		deps[i] = stands[l->deps[i]];
	qsort(deps, (size_t)l->ndeps, sizeof *deps, by_value);
	for (int i = 0; i < l->ndeps; i++)
		if (i == 0 || deps[i] != deps[i - 1])
			deps[kept++] = deps[i];
	l->deps = deps;
	l->ndeps = kept;
}

void
sf_fuse_reset(struct sf_fuse *f)
{
	f->nops = f->nstorages = 0;
	sf_table_clear(&f->storage);
	sf_arena_reset(f->arena);
}

void
sf_fuse_settle(struct sf_fuse *f)
{
	int64_t *stands =
	    sf_arena_calloc(f->arena, (size_t)f->nops + 1, sizeof *stands);

	for (int64_t i = 0; i < f->nops; i++) {
		struct sf_fuse_op *o = &f->ops[i];

		/* Operators are numbered from 0, by one. */
		redirect(f, &o->lower, stands);
		stands[i] = o->i;
		if (o->input >= 0 && f->readers[o->input] == 1) {
			stands[i] = o->lower.deps[0];
			o->lower = (struct sf_lower){ .where = SF_ON_NONE };
		}
	}
}

void
sf_fuse_finish(struct sf_fuse *f)
{
	struct sf_jsonw w = { 0 };

	sf_fuse_settle(f);
	for (int64_t i = 0; i < f->nops; i++) {
		sf_jsonw_key(&w, "lower");
		sf_lower_write(&w, &f->ops[i].lower);
		sf_hold_go(&f->hold, &w);
		w.buf.n = 0;
		w.comma = false;
	}
	sf_buf_release(&w.buf);
	sf_fuse_reset(f);
}
