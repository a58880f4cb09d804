/* Accelerators as what a sweep runs a trace on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accel/accel.h"
#include "accel/engine.h"
#include "accel/fuse.h"
#include "accel/lower.h"
#include "accel/replay.h"
#include "accel/summary.h"
#include "accel/summary_record.h"
#include "accel/task.h"
#include "base/die.h"
#include "base/num.h"
#include "sweep/target.h"
#include "trace/keyrecord.h"

/* What a design runs: all operators of the trace, or those that are left. */
struct program {
	struct sf_classes classes; /* of tasks */
	struct sf_segments segments;
	struct sf_replay *replay; /* NULL: not made yet */
};

struct accel_state {
	struct sf_accel base, design;
	/* Of the summary, what no coefficient of energy or area gives. */
	bool left_out[SF_SUM_COUNT];
	int64_t most; /* tiles */
	struct sf_lowering lowering;
	struct program all, fused;
	bool may_fuse;         /* a design */
	struct sf_fuse fuse;   /* what is fused then */
	struct sf_table names; /* of operators */
	struct sf_arena *names_arena;
	const struct sf_entry **name; /* of each operator of ALL */
	int64_t names_room;
};

/* What of the summary is of the design, and not of who found it. */
static bool
is_result(const struct accel_state *a, enum sf_summary_id id)
{
	if (a->left_out[id])
		return false;
	switch (id) {
	case SF_SUM_ENGINE:
	case SF_SUM_OPS:
	case SF_SUM_WHY:
	case SF_SUM_EVENTS:
	case SF_SUM_CYCLES:
	case SF_SUM_EVALUATIONS:
		return false;
	default:
		return true;
	}
}

static enum sf_result_type
type_of(enum sf_summary_type type)
{
	switch (type) {
	case SF_SUM_INT:
		return SF_RESULT_INT;
	case SF_SUM_DOUBLE:
		return SF_RESULT_DOUBLE;
	case SF_SUM_STR:
		break;
	}
	return SF_RESULT_STR;
}

/* ---- the trace ---- */

/* As the vector unit would compute it, which decides what may be fused. */
static void
note_fusible(struct accel_state *a, const struct sf_op *op,
    const struct sf_task *task, const int64_t *deps, int ndeps)
{
	const struct sf_lower lower = { .where = task->idle  ? SF_ON_NONE
		    : sf_category_multiplies(task->category) ? SF_ON_ARRAY
							     : SF_ON_VECTOR,
		.deps = deps,
		.ndeps = ndeps };

	sf_fuse_note(&a->fuse, &a->lowering, op, &lower);
}

static void
take_op(struct sf_target *t)
{
	struct accel_state *a = t->state;
	const int64_t *deps = NULL;
	struct sf_error error;
	struct sf_task task;
	struct sf_op op;
	int ndeps;

	sf_op_read(t->stream, &op);
	sf_task_read(&a->lowering, t->stream, &op, &task);
	sf_task_deps(&a->lowering, sf_stream_record_arena(t->stream), &op,
	    &task, &deps, &ndeps);
	if (op.counts.category == SF_CAT_UNKNOWN)
		sf_table_add(&a->lowering.unknown, op.name)->num++;
	if (a->may_fuse)
		note_fusible(a, &op, &task, deps, ndeps);
	if (task.idle)
		return;
	if (!sf_classes_add(&a->all.classes, op.i, &task, deps, ndeps, &error))
		sf_op_die(t->stream, &op, "%s", error.text);
	if (a->all.classes.nops > a->names_room) {
		a->names_room = a->names_room != 0 ? 2 * a->names_room : 256;
		a->name = sf_reallocarray(a->name, (size_t)a->names_room,
		    sizeof(const struct sf_entry *));
	}
	a->name[a->all.classes.nops - 1] = sf_table_add(&a->names, op.name);
}

static void
end_program(struct program *p)
{
	sf_segments_find(&p->segments, &p->classes);
	p->replay = sf_replay_new(&p->classes, &p->segments);
}

static void
forget_program(struct program *p)
{
	if (p->replay != NULL) {
		sf_replay_free(p->replay);
		sf_segments_release(&p->segments);
		p->replay = NULL;
	}
	sf_classes_reset(&p->classes);
}

/* Makes the program of what is left where unary operators are fused. */
static void
make_fused(struct accel_state *a)
{
	int64_t k = 0;

	sf_fuse_settle(&a->fuse);
	for (int64_t i = 0; i < a->fuse.nops; i++) {
		const struct sf_fuse_op *o = &a->fuse.ops[i];
		const struct sf_classes *all = &a->all.classes;
		struct sf_error error;

		while (k < all->nops && all->ops[k].i < o->i)
			k++;
		if (o->lower.where != SF_ON_NONE &&
		    !sf_classes_add(&a->fused.classes, o->i,
			all->v[all->ops[k].which].key, o->lower.deps,
			o->lower.ndeps, &error))
			sf_bug("op %lld %s", (long long)o->i, error.text);
	}
	end_program(&a->fused);
}

/* The program of the design; what is computed in transit is not fused. */
static struct program *
program_of(struct accel_state *a)
{
	const struct sf_accel *d = &a->design;
	bool in_transit = d->transit_ops_per_byte > 0 &&
	    (d->transit_categories >> SF_CAT_ELEMENTWISE & 1) != 0;

	if (d->fuse == SF_FUSE_OFF || in_transit)
		return &a->all;
	if (a->fused.replay == NULL)
		make_fused(a);
	return &a->fused;
}

static void
accel_record(struct sf_target *t, enum sf_kind kind)
{
	struct accel_state *a = t->state;

	if (kind == SF_K_ACCEL)
		sf_stream_die(t->stream,
		    "the trace is lowered already, expected one that has not "
		    "been through sf-lower");
	if (kind == SF_K_OP)
		take_op(t);
	if (kind != SF_K_END)
		return;
	end_program(&a->all);
}

static void
accel_forget(struct sf_target *t)
{
	struct accel_state *a = t->state;

	forget_program(&a->all);
	forget_program(&a->fused);
	sf_fuse_reset(&a->fuse);
	sf_lowering_reset(&a->lowering);
	sf_table_clear(&a->names);
	sf_arena_reset(a->names_arena);
}

/* ---- a design ---- */

static void
accel_reset(struct sf_target *t)
{
	struct accel_state *a = t->state;

	a->design = a->base;
}

/* Says of operator I of the trace, which has tiles, why it has no nest. */
static bool
fail_of_op(const struct accel_state *a, int64_t i, const struct sf_error *why,
    struct sf_error *error)
{
	int64_t k = 0;

	while (a->all.classes.ops[k].i != i)
		k++;
	return sf_fail(error, "op %lld '%.*s': %s", (long long)i,
	    SF_STR_ARG(a->name[k]->name), why->text);
}

/* The nests of all classes; they may not have too many tiles together. */
static bool
make_nests(struct accel_state *a, struct program *p, struct sf_error *error)
{
	int64_t tiles = 0;

	for (int64_t i = 0; i < p->classes.n; i++) {
		const struct sf_class *c = &p->classes.v[i];
		struct sf_lower lower;
		struct sf_error why;
		int64_t n;

		if (!sf_task_lower(c->key, &a->design, &lower, &why) ||
		    !sf_nest_init(sf_replay_nest(p->replay, i, a->design.cores),
			&lower, &a->design, &why))
			return fail_of_op(
			    a, p->classes.ops[c->first].i, &why, error);
		if (!sf_mul(lower.tiles, c->uses, &n) ||
		    !sf_add(tiles, n, &tiles))
			return sf_fail(error, "its tiles pass 2^63 - 1");
	}
	if (tiles > a->most)
		return sf_fail(error, "%lld tiles, '--max-tiles' is %lld",
		    (long long)tiles, (long long)a->most);
	return true;
}

static bool
run_on(struct accel_state *a, const struct program *p, struct sf_meter *m,
    const char **name, struct sf_error *error)
{
	int i = SF_ENGINE_fast;

	*name = NULL;
	if (sf_replay_covers(&a->design))
		return sf_replay_run(p->replay, &a->design, m, error);
	/* The first is the reference, which models all. */
	if (!sf_engine_accepts(&sf_engines[i], &a->design, error)) {
		i = 0;
		*name = sf_engines[i].name;
	}
	return sf_engine_accepts(&sf_engines[i], &a->design, error) &&
	    sf_replay_engine(p->replay, &a->design, &sf_engines[i], m, error);
}

/* Row I of the summary; what it has not is no number and no text. */
static struct sf_outcome
result_of(const struct sf_summary *summary, int i)
{
	const struct sf_summary_value *v = &summary->v[i];
	struct sf_outcome r = { v->i, v->d, v->s };

	if (!sf_summary_rows[i].required && v->i < 0)
		return (struct sf_outcome){ -1, NAN, { NULL, 0 } };
	if (sf_summary_rows[i].type == SF_SUM_INT)
		r.d = (double)v->i;
	return r;
}

static bool
accel_run(struct sf_target *t, struct sf_outcome *results, const char **engine,
    struct sf_error *error)
{
	struct accel_state *a = t->state;
	struct sf_summary summary = { 0 };
	struct program *p;
	struct sf_meter m;
	int n = 0;

	if (!sf_accel_finish(&a->design, error))
		return false;
	p = program_of(a);
	if (!make_nests(a, p, error) || !run_on(a, p, &m, engine, error))
		return false;
	sf_summary_fill(&summary, &a->design, &m, NULL);
	for (int i = 0; i < SF_SUM_COUNT; i++)
		if (is_result(a, (enum sf_summary_id)i))
			results[n++] = result_of(&summary, i);
	return true;
}

static void
accel_put_base(struct sf_target *t)
{
	const struct accel_state *a = t->state;

	sf_accel_put(t->stream, &a->base);
	sf_lowering_note(t->stream, &a->lowering);
}

static void
accel_free(struct sf_target *t)
{
	struct accel_state *a = t->state;

	accel_forget(t);
	sf_lowering_release(&a->lowering);
	sf_classes_release(&a->all.classes);
	sf_classes_release(&a->fused.classes);
	sf_fuse_release(&a->fuse);
	sf_table_release(&a->names);
	sf_arena_free(a->names_arena);
	free(a->name);
}

static void
accel_vary(struct sf_target *t, const struct sf_key *key)
{
	struct accel_state *a = t->state;

	if (key == NULL || strcmp(key->name, "fuse") == 0)
		a->may_fuse = true;
}

static const struct sf_target_type accel_type = {
	.vary = accel_vary,
	.record = accel_record,
	.put_base = accel_put_base,
	.reset = accel_reset,
	.run = accel_run,
	.forget = accel_forget,
	.free = accel_free,
};

/* A run of nothing tells it: coefficients are the same for all designs. */
static void
find_left_out(struct accel_state *a)
{
	struct sf_summary summary = { 0 };
	struct sf_meter meter = { 0 };

	sf_summary_fill(&summary, &a->base, &meter, NULL);
	for (int i = 0; i < SF_SUM_COUNT; i++)
		a->left_out[i] =
		    !sf_summary_rows[i].required && summary.v[i].i < 0;
	/* Whether there is an accumulator each design says for itself. */
	a->left_out[SF_SUM_ACC_PEAK] = false;
}

struct sf_target *
sf_accel_target(struct sf_stream *stream, const char *preset,
    const struct sf_list *settings, bool quantise, int64_t most)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_target *t = sf_arena_calloc(arena, 1, sizeof *t);
	struct accel_state *a = sf_arena_calloc(arena, 1, sizeof *a);

	*t = (struct sf_target){
		.type = &accel_type, .stream = stream, .state = a, .nscopes = 1
	};
	a->most = most;
	a->names_arena = sf_arena_new();
	sf_table_init(&a->names, a->names_arena);
	sf_fuse_init(&a->fuse, stream);
	sf_config_add_inputs(
	    stream, sf_accel_load(&a->base, preset, settings, quantise, arena));
	find_left_out(a);
	a->design = a->base;
	a->may_fuse = a->base.fuse != SF_FUSE_OFF;
	t->scopes[0] =
	    (struct sf_key_scope){ "", &sf_accel_keys, &a->design, NULL };
	for (int i = 0; i < SF_SUM_COUNT; i++) {
		const struct sf_summary_row *row = &sf_summary_rows[i];

		if (is_result(a, (enum sf_summary_id)i))
			t->rows[t->nrows++] =
			    (struct sf_result_row){ row->object, row->name,
				    type_of(row->type) };
	}
	sf_lowering_init(&a->lowering);
	sf_classes_init(&a->all.classes, sizeof(struct sf_task));
	sf_classes_init(&a->fused.classes, sizeof(struct sf_task));
	return t;
}
