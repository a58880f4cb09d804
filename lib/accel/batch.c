/* Batches of tiles that ran before. */
#include "accel/batch.h"

#include <string.h>

void
sf_batch_memo_init(struct sf_batch_memo *memo)
{
	memo->generation = 0;
	memo->hits = memo->misses = 0;
	for (int i = 0; i < SF_BATCH_SLOTS; i++)
		memo->slots[i].generation = 0;
}

/* What is kept is of other tiles, or of another binade. */
static void
forget(struct sf_batch_memo *memo)
{
	/* A number that comes round must find no slot that has it. */
	if (++memo->generation == 0) {
		sf_batch_memo_init(memo);
		memo->generation = 1;
	}
}

/* ---- states ---- */

/* Frees that are pending, from NOW on; -1 when they are too many. */
static int
put_frees(const struct sf_frees *frees, double now, struct sf_free *out)
{
	ptrdiff_t n = frees->tail - frees->head;

	if (n > SF_BATCH_FREES)
		return -1;
	for (ptrdiff_t i = 0; i < n; i++)
		out[i] = (struct sf_free){ frees->head[i].time - now,
			frees->head[i].bytes };
	return (int)n;
}

static void
set_frees(struct sf_frees *frees, const struct sf_free *from, int n, double now)
{
	/* There was room for a batch, which is more. */
	frees->head = frees->array;
	for (int i = 0; i < n; i++)
		frees->array[i] =
		    (struct sf_free){ now + from[i].time, from[i].bytes };
	frees->tail = frees->array + n;
	frees->tail->time = INFINITY;
}

/* False when it has more frees than are kept. */
static bool
state_of(struct sf_pipeline *p, struct sf_batch_state *out)
{
	double now = p->load_end;

	/* Frees are taken when they are wanted: two ways to say one state. */
	sf_pipeline_take_due(p, now);
	out->comp_end = p->comp_end - now;
	out->store_end = p->store_end - now;
	out->room = p->room;
	out->above = p->above;
	/* An instant that is over means nothing any more. */
	out->raised = p->raised >= now ? p->raised - now : -1;
	out->lower = p->raised >= now ? p->lower : 0;
	out->ncomputes = put_frees(&p->computes, now, out->computes);
	out->nstores = put_frees(&p->stores, now, out->stores);
	return out->ncomputes >= 0 && out->nstores >= 0;
}

static bool
states_equal(const struct sf_batch_state *a, const struct sf_batch_state *b)
{
	return a->comp_end == b->comp_end && a->store_end == b->store_end &&
	    a->room == b->room && a->above == b->above &&
	    a->raised == b->raised && a->lower == b->lower &&
	    a->ncomputes == b->ncomputes && a->nstores == b->nstores &&
	    memcmp(a->computes, b->computes,
		(size_t)a->ncomputes * sizeof *a->computes) == 0 &&
	    memcmp(a->stores, b->stores,
		(size_t)a->nstores * sizeof *a->stores) == 0;
}

/* Every time of the pipeline that later ones follow from is in B. */
static bool
inside(const struct sf_pipeline *p, const struct sf_binade *b)
{
	return p->load_end >= b->low && p->comp_end >= b->low &&
	    p->store_end >= b->low && p->load_end < b->high &&
	    p->comp_end < b->high && p->store_end < b->high;
}

/* ---- batches ---- */

/* Moves the pipeline over a batch like that of SLOT, if it stays inside B. */
static bool
step_over(struct sf_pipeline *p, const struct sf_batch_slot *slot,
    const struct sf_binade *b)
{
	const struct sf_batch_state *out = &slot->out;
	double now = p->load_end + slot->took;

	if (!(now < b->high && now + out->comp_end < b->high &&
		now + out->store_end < b->high))
		return false;
	p->load_end = p->granted = now;
	p->comp_end = now + out->comp_end;
	p->store_end = now + out->store_end;
	p->room = out->room;
	p->peak += slot->in.above - out->above;
	p->above = out->above;
	p->raised = out->raised >= 0 ? now + out->raised : -1;
	p->lower = out->lower;
	set_frees(&p->computes, out->computes, out->ncomputes, now);
	set_frees(&p->stores, out->stores, out->nstores, now);
	return true;
}

static void
run_batch(struct sf_pipeline *p, const struct sf_nest *nest,
    const uint16_t *sizes, int n, struct sf_sums *batch)
{
	*batch = (struct sf_sums){ 0 };
	sf_pipeline_reserve(p, n);
	sf_pipeline_run_batch(p, nest->table, sizes, n, batch);
}

/* A whole batch in a binade in which the nest may be moved. */
static void
take_batch(struct sf_batch_memo *memo, struct sf_batch_slot *slot,
    struct sf_pipeline *p, const struct sf_nest *nest, const uint16_t *sizes,
    const struct sf_binade *b, struct sf_sums *sums)
{
	struct sf_batch_state in;
	struct sf_sums batch;
	double start = p->load_end;
	bool kept = inside(p, b) && state_of(p, &in);

	if (kept && slot->generation == memo->generation &&
	    states_equal(&slot->in, &in) &&
	    memcmp(slot->sizes, sizes, sizeof slot->sizes) == 0 &&
	    step_over(p, slot, b)) {
		memo->hits++;
		sf_sums_add(sums, &slot->sums);
		return;
	}
	memo->misses++;
	run_batch(p, nest, sizes, SF_NEST_BATCH, &batch);
	sf_sums_add(sums, &batch);
	if (!kept || !inside(p, b))
		return;
	slot->generation = 0;
	if (!state_of(p, &slot->out))
		return;
	slot->generation = memo->generation;
	slot->in = in;
	slot->took = p->load_end - start;
	slot->sums = batch;
	memcpy(slot->sizes, sizes, sizeof slot->sizes);
}

double
sf_batch_run(struct sf_batch_memo *memo, struct sf_pipeline *p,
    struct sf_nest *nest, double ready, bool whole_cycles, struct sf_ties *ties,
    struct sf_sums *sums)
{
	uint16_t sizes[SF_NEST_BATCH];
	struct sf_binade b = SF_BINADE_NONE;
	struct sf_sums batch;
	bool moves = false;
	double start;

	if (nest->tiles < SF_BATCH_TILES)
		return sf_pipeline_run_nest(p, nest, ready, sums);
	forget(memo);
	start = sf_pipeline_run_first(p, nest, ready, sums);
	for (;;) {
		/* A line that 256 does not divide has its own places, too. */
		struct sf_batch_slot *slot =
		    &memo->slots[nest->at[0] % SF_BATCH_SLOTS];
		int n = sf_nest_next(nest, sizes);

		if (n == 0)
			return start;
		if (p->load_end >= b.high) {
			b = sf_binade_of(p->load_end, whole_cycles);
			moves = sf_binade_moves(&b, nest, whole_cycles, ties);
			forget(memo);
		}
		if (moves && n == SF_NEST_BATCH) {
			take_batch(memo, slot, p, nest, sizes, &b, sums);
			continue;
		}
		run_batch(p, nest, sizes, n, &batch);
		sf_sums_add(sums, &batch);
	}
}
