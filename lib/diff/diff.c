/* Two files of counted traces against each other. */
#include "diff/diff.h"

#include <stdlib.h>

#include "stream/trace.h"

/* The traces of one file. */
struct file {
	struct sf_side_of_diff *v;
	size_t n, room;
};

struct sf_diff {
	struct sf_stream *stream;
	struct sf_arena *arena;
	struct file files[2];
	bool timed; /* some trace has times, which are not compared */
};

struct sf_diff *
sf_diff_new(struct sf_stream *stream)
{
	struct sf_diff *d = sf_malloc(sizeof *d);

	*d = (struct sf_diff){ .stream = stream, .arena = sf_arena_new() };
	return d;
}

void
sf_diff_free(struct sf_diff *d)
{
	for (int f = 0; f < 2; f++) {
		for (size_t i = 0; i < d->files[f].n; i++)
			sf_totals_release(&d->files[f].v[i].totals);
		free(d->files[f].v);
	}
	sf_arena_free(d->arena);
	free(d);
}

/* ---- reading ---- */

static void
begin_trace(struct sf_diff *d, struct file *file)
{
	struct sf_side_of_diff *side;
	struct sf_trace trace;

	if (file->n == file->room) {
		file->room = file->room != 0 ? file->room * 2 : 4;
		file->v = sf_reallocarray(file->v, file->room, sizeof *file->v);
	}
	sf_trace_read(d->stream, d->arena, &trace);
	side = &file->v[file->n++];
	side->model = trace.model;
	side->route = trace.route;
	sf_totals_init(&side->totals, d->arena);
}

static void
take_op(struct sf_diff *d, struct sf_side_of_diff *side)
{
	struct sf_op op;

	sf_op_read(d->stream, &op);
	if (!op.counted)
		sf_op_die(d->stream, &op,
		    "is not counted, expected a trace from sf-rules");
	sf_totals_add(&side->totals, &op);
}

void
sf_diff_record(struct sf_diff *d, enum sf_kind kind)
{
	struct file *file = &d->files[sf_stream_operand(d->stream) != 0];

	if (kind == SF_K_TRACE)
		begin_trace(d, file);
	else if (kind == SF_K_OP)
		take_op(d, &file->v[file->n - 1]);
	else if (kind == SF_K_DEVICE || kind == SF_K_SUMMARY)
		d->timed = true;
}

/* ---- comparing ---- */

/* Counts are >= 0, so differences fit. */
static struct sf_amount
minus(const struct sf_amount *b, const struct sf_amount *a)
{
	return (struct sf_amount){ .calls = b->calls - a->calls,
		.flops = b->flops - a->flops,
		.bytes = b->bytes - a->bytes,
		.weight_bytes = b->weight_bytes - a->weight_bytes };
}

static bool
is_nothing(const struct sf_amount *x)
{
	return x->calls == 0 && x->flops == 0 && x->bytes == 0 &&
	    x->weight_bytes == 0;
}

static const struct sf_amount nothing;

/* What of the type by that name, which may be missing. */
static const struct sf_amount *
amount_of(const struct sf_side_of_diff *side, struct sf_str name)
{
	const struct sf_entry *e = sf_table_find(&side->totals.types, name);

	return e != NULL ? &((const struct sf_type *)e->ptr)->sum : &nothing;
}

static void
add_change(struct sf_difference *d, struct sf_str name)
{
	struct sf_amount by =
	    minus(amount_of(d->b, name), amount_of(d->a, name));

	if (!is_nothing(&by))
		d->changes[d->nchanges++] = (struct sf_change){ name, by };
}

/* -1, 0, 1: the larger change first. */
static int
larger(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	return (a < b) - (a > b);
}

static int
compare_changes(const void *left, const void *right)
{
	const struct sf_change *a = left, *b = right;
	int order = larger(a->by.flops, b->by.flops);

	if (order == 0)
		order = larger(a->by.weight_bytes, b->by.weight_bytes);
	if (order == 0)
		order = larger(a->by.bytes, b->by.bytes);
	if (order == 0)
		order = larger(a->by.calls, b->by.calls);
	return order != 0 ? order : strcmp(a->name.p, b->name.p);
}

static struct sf_difference
compare(struct sf_diff *diff, const struct sf_side_of_diff *a,
    const struct sf_side_of_diff *b)
{
	const struct sf_table *ta = &a->totals.types, *tb = &b->totals.types;
	struct sf_difference d = {
		.a = a, .b = b, .by = minus(&b->totals.all, &a->totals.all)
	};

	d.changes =
	    sf_arena_calloc(diff->arena, ta->n + tb->n + 1, sizeof *d.changes);
	for (size_t i = 0; i < ta->n; i++)
		add_change(&d, ta->order[i]->name);
	for (size_t i = 0; i < tb->n; i++)
		if (sf_table_find(ta, tb->order[i]->name) == NULL)
			add_change(&d, tb->order[i]->name);
	qsort(d.changes, d.nchanges, sizeof *d.changes, compare_changes);
	d.verdict = d.by.flops != 0 || d.by.weight_bytes != 0 ? SF_DIFFERS
	    : d.nchanges != 0                                 ? SF_DRIFT
							      : SF_SAME;
	return d;
}

enum sf_diff_verdict
sf_diff_write(struct sf_diff *diff, int64_t top)
{
	const struct file *a = &diff->files[0], *b = &diff->files[1];
	enum sf_diff_verdict worst = SF_SAME;

	if (a->n != b->n)
		sf_stream_die(diff->stream,
		    "found %zu traces here, expected %zu as in the first file",
		    b->n, a->n);
	for (size_t i = 0; i < a->n; i++) {
		struct sf_difference d = compare(diff, &a->v[i], &b->v[i]);

		if (d.verdict == SF_SAME)
			continue;
		sf_difference_markdown(&d, top, sf_stream_text(diff->stream));
		if (d.verdict > worst)
			worst = d.verdict;
	}
	if (diff->timed)
		sf_note("times are not compared; sf-compare does that");
	return worst;
}
