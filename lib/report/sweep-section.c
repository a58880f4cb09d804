/* A sweep: how many designs there are, and the fastest of them. */
#include "report/sweep-section.h"

#include <math.h>
#include <stdlib.h>

#include "accel/accel.h"
#include "cost/device.h"
#include "stream/json.h"
#include "sweep/point-record.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_sweep_report *r = sf_arena_calloc(s->arena, 1, sizeof *r);

	sf_front_init(&r->best, 0);
	r->best.extra = 1;
	r->keys = &sf_accel_keys;
	return r;
}

static void
release(void *state)
{
	struct sf_sweep_report *r = state;

	sf_front_release(&r->best);
}

static int
by_time(const void *left, const void *right)
{
	const struct sf_front_point *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

/* The fastest N stay. */
static void
keep_best(struct sf_sweep_report *r, size_t n)
{
	if (r->best.n > 1)
		qsort(
		    r->best.points, r->best.n, sizeof *r->best.points, by_time);
	if (r->best.n > n)
		sf_front_cut(&r->best, n);
}

/* One at least, for how long it takes. */
static size_t
kept(const struct sf_subject *s)
{
	return s->top > 1 ? (size_t)s->top : 1;
}

bool
sf_sweep_point_time(struct sf_stream *stream, double *time_s)
{
	/* Of an accelerator, of a device. */
	const struct sf_str names[] = { SF_STR("makespan_s"),
		SF_STR("total_s") };
	double values[] = { NAN, NAN };
	struct sf_point point;

	sf_point_read(stream, &point);
	if (point.refused.n != 0)
		return false;
	sf_point_numbers(stream, names, 2, values);
	*time_s = isnan(values[0]) ? values[1] : values[0];
	return true;
}

static void
take_point(struct sf_sweep_report *r, struct sf_subject *s)
{
	struct sf_point point;
	double time_s;

	sf_point_read(s->stream, &point);
	if (!sf_sweep_point_time(s->stream, &time_s)) {
		r->refused++;
		return;
	}
	r->run++;
	if (!sf_front_offer(&r->best, point.i, &time_s, point.set))
		return;
	r->slowest_s = fmax(r->slowest_s, time_s);
	if (r->best.n >= 2 * kept(s) + 1000)
		keep_best(r, kept(s));
}

struct sf_pairs
sf_sweep_set(const struct sf_front_point *point, struct sf_arena *arena)
{
	struct sf_str text =
	    sf_json_keep(arena, (struct sf_str){ point->text, point->n });
	struct sf_json scan = { .p = text.p, .start = text.p, .arena = arena };

	sf_json_enter(&scan, '{');
	return sf_pairs_read(&scan, arena);
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_sweep_report *r = state;

	if (kind == SF_K_DEVICE)
		r->keys = &sf_device_keys;
	else if (kind == SF_K_POINT)
		take_point(r, s);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_sweep_report *r = state;

	keep_best(r, kept(s));
	sf_subject_time(s, r->slowest_s);
}

const struct sf_section sf_section_sweep = {
	.begin = begin,
	.record = record,
	.check = check,
	.markdown = sf_sweep_markdown,
	.figures = sf_sweep_figures,
	.release = release,
};
