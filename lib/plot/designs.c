/* Points of a sweep, read for a picture. */
#include "plot/designs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "stream/json.h"
#include "sweep/point-record.h"

void
sf_designs_init(
    struct sf_designs *d, struct sf_stream *stream, const char *columns)
{
	*d = (struct sf_designs){
		.stream = stream, .arena = sf_arena_new(), .asked = columns
	};
}

void
sf_designs_release(struct sf_designs *d)
{
	sf_arena_free(d->arena);
	free(d->points);
}

/* The columns are TEXT: binds room to their names. */
static void
set_columns(struct sf_designs *d, const char *text)
{
	struct sf_axes_list columns;
	struct sf_error error;
	size_t total = 0;

	columns = sf_front_columns(text, d->arena);
	if (d->guesses && columns.n > SF_DESIGNS_COLUMNS)
		columns.n = SF_DESIGNS_COLUMNS;
	if (d->guesses && columns.n < 2)
		return;
	if (columns.n < 2 || columns.n > SF_DESIGNS_COLUMNS)
		sf_die(SF_EX_USAGE,
		    "the columns of a front are '%s', expected two or three, "
		    "as '--columns X,Y,COLOUR'",
		    text);
	d->columns = columns;
	d->n = d->columns.n;
	for (int k = 0; k < d->n; k++) {
		if (!sf_formula_parse(
			&d->formulas[k], d->columns.texts[k], d->arena, &error))
			sf_die(
			    SF_EX_USAGE, "option '--columns': %s", error.text);
		d->place[k] = (int)total;
		total += (size_t)d->formulas[k].nnames;
	}
	d->names = sf_arena_calloc(d->arena, total + 1, sizeof *d->names);
	d->base = sf_arena_calloc(d->arena, total + 1, sizeof *d->base);
	d->values = sf_arena_calloc(d->arena, total + 1, sizeof *d->values);
	d->nnames = (int)total;
	for (int k = 0; k < d->n; k++)
		for (int i = 0; i < d->formulas[k].nnames; i++)
			d->names[d->place[k] + i] = d->formulas[k].names[i];
	for (int i = 0; i < d->nnames; i++)
		d->base[i] = NAN;
}

/* What a tool record says of the columns. */
struct told {
	struct sf_buf front;   /* "a,b" of the array `front` */
	struct sf_buf axes;    /* names of the first axes of a sweep, ",a,b" */
	bool sweeps, of_costs; /* it is a sweep, with --cost */
};

static void
read_front(struct told *t, struct sf_json *scan)
{
	sf_json_enter(scan, '[');
	t->front.n = 0;
	while (sf_json_element(scan)) {
		struct sf_str one = sf_json_string(scan);

		sf_buf_printf(&t->front, "%s%.*s", t->front.n != 0 ? "," : "",
		    SF_STR_ARG(one));
	}
}

/* Each `--grid` is followed by an axis, "dram_bw=10GB/s:60GB/s". */
static void
read_args(struct told *t, struct sf_json *scan)
{
	bool is_axis = false;
	int n = 0;

	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		struct sf_str arg = sf_json_string(scan);
		const char *equals = sf_str_chr(arg, '=');

		if (is_axis && equals != NULL && n++ < SF_DESIGNS_COLUMNS - 1)
			sf_buf_printf(
			    &t->axes, ",%.*s", (int)(equals - arg.p), arg.p);
		t->of_costs |= SF_KEY(arg, "--cost");
		is_axis = SF_KEY(arg, "--grid");
	}
}

static void
read_tool(struct sf_designs *d, struct told *t)
{
	struct sf_json scan = sf_stream_scan(d->stream);
	struct sf_str key;

	while (sf_json_member(&scan, &key)) {
		bool list = sf_json_peek(&scan) == '[';
		struct sf_str name;

		if (SF_KEY(key, "front") && list)
			read_front(t, &scan);
		else if (SF_KEY(key, "args") && list)
			read_args(t, &scan);
		else if (SF_KEY(key, "tool")) {
			name = sf_json_string(&scan);
			t->sweeps = SF_KEY(name, "sf-sweep");
		} else
			sf_json_skip(&scan);
	}
	sf_stream_check(d->stream, &scan);
}

/* The columns that a sweep or a front names, or else a guess. */
static void
take_tool(struct sf_designs *d)
{
	struct told told = { 0 };
	struct sf_buf text = { 0 };

	read_tool(d, &told);
	if (told.front.n != 0)
		sf_buf_put(&text, told.front.p, told.front.n);
	else if (d->guesses && told.sweeps && told.axes.n != 0)
		sf_buf_printf(&text, "%s%.*s",
		    told.of_costs ? "total_s" : "makespan_s", (int)told.axes.n,
		    told.axes.p);
	if (text.n != 0)
		set_columns(d, sf_arena_strndup(d->arena, text.p, text.n));
	sf_buf_release(&text);
	sf_buf_release(&told.front);
	sf_buf_release(&told.axes);
}

/* The base that designs differ from: its numbers, and its name. */
static void
take_base(struct sf_designs *d)
{
	struct sf_json scan = sf_stream_scan(d->stream);
	struct sf_str key;

	while (sf_json_member(&scan, &key)) {
		struct sf_str name;

		if ((!SF_KEY(key, "preset") && !SF_KEY(key, "name")) ||
		    sf_json_peek(&scan) != '"') {
			sf_json_skip(&scan);
			continue;
		}
		name = sf_json_string(&scan);
		d->base_name = sf_arena_strndup(d->arena, name.p, name.n);
	}
	sf_stream_check(d->stream, &scan);
	if (d->n != 0)
		sf_point_numbers(d->stream, d->names, d->nnames, d->base);
}

/*
 * A guess that is no number in the first design: an axis of words has no place,
 * the one behind it takes it. False when fewer than two are left.
 */
static bool
drop_words(struct sf_designs *d)
{
	int kept = 0;

	for (int k = 0; k < d->n; k++) {
		double x =
		    sf_formula_eval(&d->formulas[k], d->values + d->place[k]);

		if (!(x - x == 0))
			continue;
		d->formulas[kept] = d->formulas[k];
		d->place[kept] = d->place[k];
		d->columns.said[kept] = d->columns.said[k];
		d->columns.texts[kept] = d->columns.texts[k];
		d->columns.signs[kept++] = d->columns.signs[k];
	}
	d->n = kept;
	return kept >= 2;
}

static void
put_point(struct sf_designs *d, int64_t i)
{
	double *to;

	if (d->npoints == d->room) {
		d->room = d->room != 0 ? 2 * d->room : 1024;
		d->points =
		    sf_reallocarray(d->points, d->room, sizeof *d->points);
	}
	to = d->points[d->npoints];
	for (int k = 0; k < d->n; k++) {
		to[k] =
		    sf_formula_eval(&d->formulas[k], d->values + d->place[k]);
		if (to[k] - to[k] == 0)
			continue;
		if (!d->guesses)
			sf_stream_die(d->stream,
			    "point %lld has no number '%s'", (long long)i,
			    d->columns.texts[k]);
		d->n = 0;
		return;
	}
	d->npoints++;
}

static void
take_point(struct sf_designs *d)
{
	struct sf_point point;

	if (d->n == 0 && !d->guesses)
		sf_stream_die(d->stream,
		    "nothing says which columns are drawn, expected "
		    "'--columns X,Y' or a sweep with '--front'");
	sf_point_read(d->stream, &point);
	d->refused += point.refused.n != 0;
	if (d->n == 0 || point.refused.n != 0)
		return;
	memcpy(d->values, d->base, (size_t)d->nnames * sizeof *d->values);
	sf_point_numbers(d->stream, d->names, d->nnames, d->values);
	if (d->guesses && d->npoints == 0 && !drop_words(d)) {
		d->n = 0;
		return;
	}
	put_point(d, point.i);
}

bool
sf_designs_any(const struct sf_designs *d)
{
	return d->n != 0 && d->npoints != 0;
}

void
sf_designs_record(struct sf_designs *d, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_TRACE:
		sf_arena_reset(d->arena);
		d->n = d->nnames = 0;
		d->npoints = 0;
		d->refused = 0;
		d->base_name = "";
		sf_trace_read(d->stream, d->arena, &d->trace);
		if (d->asked != NULL)
			set_columns(d, d->asked);
		break;
	case SF_K_TOOL:
		if (d->asked == NULL)
			take_tool(d);
		break;
	case SF_K_ACCEL:
	case SF_K_DEVICE:
		take_base(d);
		break;
	case SF_K_OP:
		sf_stream_die(d->stream,
		    "an op, expected a trace of points from sf-sweep");
	case SF_K_POINT:
		take_point(d);
		break;
	case SF_K_END:
		if (d->npoints == 0 && !d->guesses)
			sf_stream_die(d->stream,
			    "the trace has no point that was run, expected "
			    "some from sf-sweep");
		break;
	default:
		break;
	}
}
