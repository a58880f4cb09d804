/* What is live when, by storages. */
#include "trace/footprint.h"

#include <stdlib.h>

#include "base/num.h"

struct sf_storage {
	int64_t bytes;
	int64_t first, last; /* the ops during which it is live */
	bool input, kept, cache;
	bool replaced; /* if it is a cache, by one that is kept */
};

enum {
	NOWHERE = 0 /* of a tid: it lies in no storage, or in a parameter's */
};

void
sf_footprint_init(struct sf_footprint *f, struct sf_arena *arena, bool consumed)
{
	*f = (struct sf_footprint){ .arena = arena, .consumed = consumed };
	sf_table_init(&f->tids, arena);
}

void
sf_footprint_release(struct sf_footprint *f)
{
	sf_table_release(&f->tids);
	sf_buf_release(&f->storages);
	sf_buf_release(&f->last);
}

static struct sf_storage *
storages_of(const struct sf_footprint *f)
{
	return (struct sf_storage *)(void *)f->storages.p;
}

static size_t
count(const struct sf_footprint *f)
{
	return f->storages.n / sizeof(struct sf_storage);
}

/* The number of a new storage for T, which op I makes or needs first. */
static int64_t
make(struct sf_footprint *f, const struct sf_tensor *t, int64_t i, bool input)
{
	const struct sf_storage made = { .bytes = t->bytes,
		.first = input ? 0 : i,
		.last = i,
		.input = input };

	if (!t->resolved)
		f->unknown++;
	sf_buf_put(&f->storages, &made, sizeof made);
	return (int64_t)count(f);
}

static void
keep(struct sf_footprint *f, const struct sf_tensor *t, int64_t storage)
{
	if (t->cache && storage != NOWHERE)
		storages_of(f)[storage - 1].cache = true;
	if (!t->kept)
		return;
	f->any_kept = true;
	if (storage != NOWHERE)
		storages_of(f)[storage - 1].kept = true;
}

/* The storage that op I reads T from. */
static int64_t
read_from(struct sf_footprint *f, const struct sf_tensor *t, int64_t i)
{
	struct sf_entry *entry;

	if (t->absent)
		return NOWHERE;
	entry = sf_table_find(&f->tids, t->tid);
	if (entry == NULL) {
		entry = sf_table_add(&f->tids, t->tid);
		entry->num = t->param ? NOWHERE : make(f, t, i, true);
	}
	if (entry->num != NOWHERE)
		storages_of(f)[entry->num - 1].last = i;
	keep(f, t, entry->num);
	return entry->num;
}

static bool
writes_in_place(const struct sf_op *op)
{
	return sf_str_starts(op->name, "aten.") &&
	    op->name.p[op->name.n - 1] == '_';
}

/* A value of a name that is there is written over it when it is as large. */
static int64_t
write_to(struct sf_footprint *f, const struct sf_op *op,
    const struct sf_tensor *t, int64_t first)
{
	struct sf_entry *entry = sf_table_find(&f->tids, t->tid);

	if (entry == NULL ||
	    (entry->num != NOWHERE &&
		storages_of(f)[entry->num - 1].bytes != t->bytes)) {
		entry = sf_table_add(&f->tids, t->tid);
		if (op->counts.category == SF_CAT_VIEW || writes_in_place(op))
			entry->num = first;
		else
			entry->num = make(f, t, op->i, false);
	}
	if (entry->num != NOWHERE)
		storages_of(f)[entry->num - 1].last = op->i;
	keep(f, t, entry->num);
	return entry->num;
}

/* Whether OP makes what takes the place of a cache that it reads. */
static bool
replaces_cache(const struct sf_op *op)
{
	for (int i = 0; i < op->noutputs; i++)
		if (!op->outputs[i].absent && op->outputs[i].cache &&
		    op->outputs[i].kept)
			return true;
	return false;
}

void
sf_footprint_add(struct sf_footprint *f, const struct sf_op *op)
{
	bool replaces = replaces_cache(op);
	int64_t first = NOWHERE, storage;
	bool any = false;

	f->ops = op->i + 1;
	if (op->folded || op->dead)
		return;
	for (int i = 0; i < op->ninputs; i++) {
		storage = read_from(f, &op->inputs[i], op->i);
		first = any ? first : storage;
		any = any || !op->inputs[i].absent;
		if (replaces && storage != NOWHERE)
			storages_of(f)[storage - 1].replaced = true;
	}
	f->last.n = 0;
	for (int i = 0; i < op->noutputs; i++) {
		if (op->outputs[i].absent)
			continue;
		storage = write_to(f, op, &op->outputs[i], first);
		sf_buf_put(&f->last, &storage, sizeof storage);
	}
}

/* ---- the most ---- */

static bool
is_last(const struct sf_footprint *f, int64_t storage)
{
	const int64_t *last = (const int64_t *)(void *)f->last.p;

	for (size_t i = 0; i < f->last.n / sizeof *last; i++)
		if (last[i] == storage)
			return true;
	return false;
}

static bool
is_kept(const struct sf_footprint *f, size_t i)
{
	return f->any_kept ? storages_of(f)[i].kept
			   : is_last(f, (int64_t)i + 1);
}

/* The last op during which storage I is live. */
static int64_t
last_of(const struct sf_footprint *f, size_t i)
{
	const struct sf_storage *s = &storages_of(f)[i];

	return is_kept(f, i) ||
		(s->input && !f->consumed && !(s->cache && s->replaced))
	    ? f->ops - 1
	    : s->last;
}

/* Adds to CHANGE, one of each op and one behind them, what comes and goes. */
static bool
enter(const struct sf_footprint *f, int64_t *change, struct sf_high_water *peak)
{
	for (size_t i = 0; i < count(f); i++) {
		const struct sf_storage *s = &storages_of(f)[i];
		int64_t *from = &change[s->first];
		int64_t *to = &change[last_of(f, i) + 1];

		if (!sf_add(*from, s->bytes, from) ||
		    !sf_sub(*to, s->bytes, to) ||
		    (is_kept(f, i) &&
			!sf_add(peak->kept, s->bytes, &peak->kept)))
			return false;
	}
	return true;
}

/* What of the peak is caches; no sum passes that of all. */
static int64_t
cache_at(const struct sf_footprint *f, int64_t op)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count(f); i++) {
		const struct sf_storage *s = &storages_of(f)[i];

		if (s->cache && s->first <= op && op <= last_of(f, i))
			bytes += s->bytes;
	}
	return bytes;
}

bool
sf_footprint_peak(const struct sf_footprint *f, struct sf_high_water *peak)
{
	size_t n = (size_t)f->ops + 1;
	int64_t *change = sf_reallocarray(NULL, n, sizeof *change), live = 0;
	bool ok;

	memset(change, 0, n * sizeof *change);
	*peak = (struct sf_high_water){ .op = -1 };
	ok = enter(f, change, peak);
	for (int64_t i = 0; ok && i < f->ops; i++) {
		ok = sf_add(live, change[i], &live);
		if (ok && (live > peak->bytes || i == 0)) {
			peak->bytes = live;
			peak->op = i;
		}
	}
	free(change);
	if (ok)
		peak->cache = cache_at(f, peak->op);
	return ok;
}
