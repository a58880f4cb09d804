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
	struct sf_error error;
	size_t total = 0;

	d->columns = sf_front_columns(text, d->arena);
	if (d->columns.n < 2 || d->columns.n > SF_DESIGNS_COLUMNS)
		sf_die(SF_EX_USAGE,
		    "the columns of a front are '%s', expected two or three, "
		    "as '--columns X,Y,COLOUR'",
		    text);
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

/* "a,b" of the array `front` of a tool record, if there is one. */
static void
take_tool(struct sf_designs *d)
{
	struct sf_json scan = sf_stream_scan(d->stream);
	struct sf_buf text = { 0 };
	struct sf_str key;

	while (sf_json_member(&scan, &key)) {
		if (!SF_KEY(key, "front") || sf_json_peek(&scan) != '[') {
			sf_json_skip(&scan);
			continue;
		}
		sf_json_enter(&scan, '[');
		text.n = 0;
		while (sf_json_element(&scan)) {
			struct sf_str one = sf_json_string(&scan);

			sf_buf_printf(&text, "%s%.*s", text.n != 0 ? "," : "",
			    SF_STR_ARG(one));
		}
	}
	sf_stream_check(d->stream, &scan);
	if (text.n != 0)
		set_columns(d, sf_arena_strndup(d->arena, text.p, text.n));
	sf_buf_release(&text);
}

static void
take_point(struct sf_designs *d)
{
	struct sf_point point;
	double *to;

	if (d->n == 0)
		sf_stream_die(d->stream,
		    "nothing says which columns are drawn, expected "
		    "'--columns X,Y' or a sweep with '--front'");
	sf_point_read(d->stream, &point);
	if (point.refused.n != 0)
		return;
	memcpy(d->values, d->base, (size_t)d->nnames * sizeof *d->values);
	sf_point_numbers(d->stream, d->names, d->nnames, d->values);
	if (d->npoints == d->room) {
		d->room = d->room != 0 ? 2 * d->room : 1024;
		d->points =
		    sf_reallocarray(d->points, d->room, sizeof *d->points);
	}
	to = d->points[d->npoints];
	for (int k = 0; k < d->n; k++) {
		to[k] =
		    sf_formula_eval(&d->formulas[k], d->values + d->place[k]);
		if (!(to[k] - to[k] == 0))
			sf_stream_die(d->stream,
			    "point %lld has no number '%s'", (long long)point.i,
			    d->columns.texts[k]);
	}
	d->npoints++;
}

void
sf_designs_record(struct sf_designs *d, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_TRACE:
		sf_arena_reset(d->arena);
		d->n = d->nnames = 0;
		d->npoints = 0;
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
		if (d->n != 0)
			sf_point_numbers(
			    d->stream, d->names, d->nnames, d->base);
		break;
	case SF_K_OP:
		sf_stream_die(d->stream,
		    "an op, expected a trace of points from sf-sweep");
	case SF_K_POINT:
		take_point(d);
		break;
	case SF_K_END:
		if (d->npoints == 0)
			sf_stream_die(d->stream,
			    "the trace has no point that was run, expected "
			    "some from sf-sweep");
		break;
	default:
		break;
	}
}
