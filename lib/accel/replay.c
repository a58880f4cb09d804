/* Designs replayed. */
#include "accel/replay.h"

#include <stdlib.h>
#include <string.h>

#include "accel/batch.h"
#include "accel/engines.h"
#include "base/num.h"

/* Eight sums at once; each of them is added in program order all the same. */
typedef double sums_vector __attribute__((vector_size(64), aligned(8)));
_Static_assert(sizeof(struct sf_sums) == sizeof(sums_vector),
    "as many sums as the vector has");

/* A segment that was run, as seen from its start. */
struct segment_run {
	int exponent; /* of the binade that it is good for; INT_MIN: none */
	double took, computed; /* the last store, and the last compute */
	int64_t peak;
	struct sf_sums *sums; /* of its operators */
};

struct sf_replay {
	const struct sf_classes *classes;
	const struct sf_segments *segments;
	struct sf_nest *nests; /* of classes */
	struct sf_nest *many;  /* the same, MANY_CORES each */
	int64_t many_cores;
	struct sf_ties *ties;        /* the same */
	struct segment_run *runs;    /* of segments that differ */
	struct sf_sums *sums;        /* of all of their operators */
	double *stored;              /* of a segment that runs */
	struct sf_pipeline pipeline; /* the same */
	struct sf_batch_memo batches;
	struct sf_replay_counts counts;
};

struct sf_replay *
sf_replay_new(
    const struct sf_classes *classes, const struct sf_segments *segments)
{
	struct sf_replay *r = sf_malloc(sizeof *r);
	size_t n = (size_t)classes->n, total = 0, longest = 0;

	*r = (struct sf_replay){ .classes = classes, .segments = segments };
	for (int64_t i = 0; i < segments->n; i++) {
		size_t ops = (size_t)segments->v[i].n;

		total += ops;
		longest = ops > longest ? ops : longest;
	}
	/* Zeroed pages that no table reaches take no memory. */
	r->nests = sf_calloc(n + 1, sizeof *r->nests);
	r->ties = sf_calloc(n + 1, sizeof *r->ties);
	r->runs = sf_calloc((size_t)segments->n + 1, sizeof *r->runs);
	r->sums = sf_calloc(total + 1, sizeof *r->sums);
	r->stored = sf_calloc(longest + 1, sizeof *r->stored);
	total = 0;
	for (int64_t i = 0; i < segments->n; i++) {
		r->runs[i].sums = r->sums + total;
		total += (size_t)segments->v[i].n;
	}
	sf_frees_init(&r->pipeline.computes);
	sf_frees_init(&r->pipeline.stores);
	sf_batch_memo_init(&r->batches);
	return r;
}

void
sf_replay_free(struct sf_replay *r)
{
	sf_pipeline_release(&r->pipeline);
	free(r->nests);
	free(r->many);
	free(r->ties);
	free(r->runs);
	free(r->sums);
	free(r->stored);
	free(r);
}

struct sf_nest *
sf_replay_nest(struct sf_replay *r, int64_t which, int64_t cores)
{
	if (cores <= 1)
		return &r->nests[which];
	if (r->many_cores != cores) {
		size_t n = (size_t)r->classes->n * (size_t)cores;

		free(r->many);
		r->many = sf_calloc(n + 1, sizeof *r->many);
		r->many_cores = cores;
	}
	return &r->many[which * cores];
}

bool
sf_replay_covers(const struct sf_accel *accel)
{
	/* One core: several are late. */
	return !sf_fast_is_late(accel) && accel->op_overhead == 0;
}

struct sf_replay_counts
sf_replay_spared(const struct sf_replay *r)
{
	struct sf_replay_counts counts = r->counts;

	counts.batches = r->batches.hits + r->batches.misses;
	counts.batches_moved = r->batches.hits;
	return counts;
}

/* ---- a segment ---- */

/* Nothing is in flight at START. */
static void
drain(struct sf_pipeline *p, const struct sf_accel *accel, double start)
{
	struct sf_frees computes = p->computes, stores = p->stores;

	sf_frees_clear(&computes);
	sf_frees_clear(&stores);
	*p = (struct sf_pipeline){ .load_end = start,
		.comp_end = start,
		.store_end = start,
		.above = accel->buffer_bytes,
		.raised = -1 };
	p->computes = computes;
	p->stores = stores;
}

/* When operator I of SEGMENT, which began at START, may load. */
static double
ready_at(const struct sf_replay *r, const struct sf_program_segment *segment,
    int64_t i, double start)
{
	const struct sf_class_op *op = &r->classes->ops[segment->first + i];
	double ready = start;

	for (int d = 0; d < op->ndeps; d++)
		if (op->deps[d] >= segment->first)
			ready = sf_later(
			    ready, r->stored[op->deps[d] - segment->first]);
	return ready;
}

/* Runs SEGMENT from START on and leaves what it did in RUN. */
static void
run_segment(struct sf_replay *r, const struct sf_accel *accel,
    const struct sf_program_segment *segment, struct segment_run *run,
    double start)
{
	struct sf_pipeline *p = &r->pipeline;

	drain(p, accel, start);
	for (int64_t i = 0; i < segment->n; i++) {
		int64_t which = r->classes->ops[segment->first + i].which;
		struct sf_nest *nest = &r->nests[which];

		sf_nest_rewind(nest);
		run->sums[i] = (struct sf_sums){ 0 };
		sf_batch_run(&r->batches, p, nest,
		    ready_at(r, segment, i, start), accel->quantise,
		    &r->ties[which], &run->sums[i]);
		r->stored[i] = p->store_end;
	}
	run->took = p->store_end - start;
	run->computed = p->comp_end - start;
	run->peak = p->peak;
}

/* Whether what RUN did, which began in B, holds in all of it. */
static bool
may_move(struct sf_replay *r, const struct sf_accel *accel,
    const struct sf_program_segment *segment, const struct sf_binade *b)
{
	if (r->pipeline.store_end >= b->high)
		return false;
	for (int64_t i = 0; i < segment->n; i++) {
		int64_t which = r->classes->ops[segment->first + i].which;

		if (!sf_binade_moves(
			b, &r->nests[which], accel->quantise, &r->ties[which]))
			return false;
	}
	return true;
}

/* ---- a program ---- */

/* What the run has come to so far. */
struct tally {
	sums_vector sums;
	double stored, computed; /* the last store and compute so far */
	int64_t peak;
};

/* Adds the operators of a segment that begins when the tally ends. */
static void
add_segment(const struct sf_replay *r, const struct sf_program_segment *segment,
    const struct segment_run *run, struct tally *t, struct sf_meter *m)
{
	for (int64_t i = 0; i < segment->n; i++) {
		int64_t which = r->classes->ops[segment->first + i].which;
		enum sf_where where = r->nests[which].where;
		struct sf_sums sums = run->sums[i];
		sums_vector v;

		/* The first waits for what came before, wherever it is. */
		if (i == 0)
			sums.wait_deps = t->stored - t->computed;
		memcpy(&v, &sums, sizeof v);
		t->sums += v;
		m->computing[where] += sums.compute;
		if (where == SF_ON_TRANSIT) {
			m->transit_loading += sums.loading;
			m->transit_wait += sums.wait_load;
		}
	}
	if (run->peak > t->peak)
		t->peak = run->peak;
}

/* Runs a segment, or moves what it did before, to the end of the tally. */
static void
take_segment(struct sf_replay *r, const struct sf_accel *accel, int64_t which,
    struct tally *t, struct sf_meter *m)
{
	const struct sf_program_segment *segment = &r->segments->v[which];
	struct segment_run *run = &r->runs[which];
	struct sf_binade b = sf_binade_of(t->stored, accel->quantise);

	r->counts.segments++;
	if (run->exponent == b.exponent && t->stored + run->took < b.high) {
		r->counts.segments_moved++;
		add_segment(r, segment, run, t, m);
		t->computed = t->stored + run->computed;
		t->stored += run->took;
		return;
	}
	run_segment(r, accel, segment, run, t->stored);
	run->exponent = may_move(r, accel, segment, &b) ? b.exponent : INT_MIN;
	add_segment(r, segment, run, t, m);
	t->computed = r->pipeline.comp_end;
	t->stored = r->pipeline.store_end;
}

/* Counts are the same for all operators of a class. */
static bool
add_class(struct sf_meter *m, const struct sf_nest *nest, int64_t uses)
{
	int64_t n, bytes;

	return sf_add(nest->read, nest->written, &bytes) &&
	    sf_mul(nest->tiles, uses, &n) && sf_add(m->tiles, n, &m->tiles) &&
	    sf_mul(nest->macs, uses, &n) && sf_add(m->macs, n, &m->macs) &&
	    sf_mul(nest->read, uses, &n) && sf_add(m->read, n, &m->read) &&
	    sf_mul(nest->written, uses, &n) &&
	    sf_add(m->written, n, &m->written) &&
	    sf_energy_use_add(&m->use, &nest->use, uses);
}

static bool
add_counts(
    const struct sf_replay *r, struct sf_meter *m, struct sf_error *error)
{
	for (int64_t i = 0; i < r->classes->n; i++)
		if (!add_class(m, &r->nests[i], r->classes->v[i].uses))
			return sf_fail(error,
			    "its tiles, bytes or multiply-accumulates pass "
			    "2^63 - 1");
	m->ops = r->classes->nops;
	return true;
}

/* Of another block nothing is known. */
static void
forget_runs(struct sf_replay *r)
{
	for (int64_t i = 0; i < r->classes->n; i++)
		r->ties[i] = SF_TIES_UNKNOWN;
	for (int64_t i = 0; i < r->segments->n; i++)
		r->runs[i].exponent = INT_MIN;
}

bool
sf_replay_run(struct sf_replay *r, const struct sf_accel *accel,
    struct sf_meter *m, struct sf_error *error)
{
	struct tally t = { .stored = 0 };

	*m = (struct sf_meter){ 0 };
	if (!add_counts(r, m, error))
		return false;
	forget_runs(r);
	for (int64_t i = 0; i < r->segments->nseq; i++)
		take_segment(r, accel, r->segments->seq[i], &t, m);
	memcpy(&m->sums, &t.sums, sizeof m->sums);
	m->last_compute = t.computed;
	m->makespan = t.stored;
	m->peak = t.peak;
	return true;
}

/* ---- on an engine ---- */

static void
ignore_op(void *to, const struct sf_op_result *result)
{
	(void)to;
	(void)result;
}

bool
sf_replay_engine(struct sf_replay *r, const struct sf_accel *accel,
    const struct sf_engine_type *type, struct sf_meter *m,
    struct sf_error *error)
{
	const struct sf_sink sink = { NULL, ignore_op, NULL };
	struct sf_engine *engine = type->make(accel, &sink);
	struct sf_engine_cost cost;
	bool ran = true;

	*m = (struct sf_meter){ 0 };
	for (int64_t i = 0; i < r->classes->nops && ran; i++) {
		const struct sf_class_op *op = &r->classes->ops[i];
		struct sf_nest *nests =
		    sf_replay_nest(r, op->which, accel->cores);

		for (int64_t k = 0; k == 0 || k < accel->cores; k++)
			sf_nest_rewind(&nests[k]);
		ran = type->run(engine, i, nests, op->deps, op->ndeps, error);
	}
	ran = ran && type->end(engine, m, &cost, error);
	type->free(engine);
	return ran;
}
