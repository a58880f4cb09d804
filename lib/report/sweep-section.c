/* A sweep: how many designs there are, and the fastest of them. */
#include "report/sweep-section.h"

#include <math.h>

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

/* The fastest N stay. */
static void
keep_best(struct sf_sweep_report *r, size_t n)
{
	sf_front_sort_by_key(&r->best); /* the time */
	if (r->best.n > n)
		sf_front_cut(&r->best, n);
}

/* One at least, for how long it takes. */
static size_t
kept(const struct sf_subject *s)
{
	return s->top > 1 ? (size_t)s->top : 1;
}

/* How long the design of the current record takes. */
static double
time_of(struct sf_stream *stream)
{
	/* Of an accelerator, of a device. */
	const struct sf_str names[] = { SF_STR("makespan_s"),
		SF_STR("total_s") };
	double values[] = { NAN, NAN };

	sf_point_numbers(stream, names, 2, values);
	return isnan(values[0]) ? values[1] : values[0];
}

static void
take_point(struct sf_sweep_report *r, struct sf_subject *s)
{
	struct sf_point point;
	double time_s;

	sf_point_read(s->stream, &point);
	if (point.refused.n != 0) {
		r->refused++;
		return;
	}
	r->run++;
	time_s = time_of(s->stream);
	if (!sf_front_offer(&r->best, point.i, &time_s, point.set))
		return;
	r->slowest_s = fmax(r->slowest_s, time_s);
	if (s->fastest_s < 0 || time_s < s->fastest_s) {
		s->fastest = point.i;
		s->fastest_s = time_s;
	}
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
