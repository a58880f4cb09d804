/* Fronts and orders of points. */
#include "sweep/fronts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "stream/tool.h"
#include "stream/trace.h"
#include "sweep/columns.h"
#include "sweep/formula.h"
#include "sweep/front.h"
#include "sweep/head.h"
#include "sweep/point-record.h"
#include "sweep/point-table.h"

const char *const sf_fronts_formats[] = { "json", "csv", "md", NULL };

struct sf_fronts {
	struct sf_stream *stream;
	struct sf_axes_list columns; /* of the front, then the order's */
	struct sf_formula *formulas;
	int nfront, n; /* of the front, and with the order */
	int64_t top;
	enum sf_fronts_format format;
	/* All names of all formulas, and where each formula's are. */
	struct sf_str *names;
	int *place;
	int nnames;
	double *base, *values, *vector;

	struct sf_buf head, tools, next; /* head: without our own record */
	size_t tools_end;                /* where that goes */
	bool any;                        /* a trace was taken */
	struct sf_front points;
	int64_t dropped, lines;
};

/* ---- what is asked for ---- */

/* The formulas of the columns of TEXT behind those that are there. */
static void
add_columns(struct sf_fronts *f, const char *option, const char *text,
    struct sf_axes_list *out)
{
	struct sf_arena *arena = sf_stream_arena(f->stream);
	struct sf_axes_list list = sf_front_columns(text, arena);
	struct sf_error error;

	for (int k = 0; k < list.n; k++) {
		if (f->n == SF_FORMULA_DEEPEST)
			sf_die(SF_EX_USAGE,
			    "option '--%s': more than %d columns", option,
			    SF_FORMULA_DEEPEST);
		if (!sf_formula_parse(
			&f->formulas[f->n], list.texts[k], arena, &error))
			sf_die(SF_EX_USAGE, "option '--%s': %s", option,
			    error.text);
		out->said[f->n] = list.said[k];
		out->signs[f->n] = list.signs[k];
		f->n++;
	}
}

static void
collect_names(struct sf_fronts *f)
{
	struct sf_arena *arena = sf_stream_arena(f->stream);
	int total = 0, at = 0;

	for (int k = 0; k < f->n; k++)
		total += f->formulas[k].nnames;
	f->names = sf_arena_calloc(arena, (size_t)total + 1, sizeof *f->names);
	f->place = sf_arena_calloc(arena, (size_t)f->n + 1, sizeof *f->place);
	f->base = sf_arena_calloc(arena, (size_t)total + 1, sizeof *f->base);
	f->values =
	    sf_arena_calloc(arena, (size_t)total + 1, sizeof *f->values);
	f->vector = sf_arena_calloc(arena, (size_t)f->n + 1, sizeof *f->vector);
	for (int k = 0; k < f->n; k++) {
		f->place[k] = at;
		for (int i = 0; i < f->formulas[k].nnames; i++)
			f->names[at++] = f->formulas[k].names[i];
	}
	f->nnames = total;
}

/* The columns by which the points were chosen, for whoever draws them. */
static void
name_columns(struct sf_fronts *f)
{
	struct sf_jsonw w = { 0 };

	if (f->nfront == 0)
		return;
	sf_jsonw_open(&w, '[');
	for (int k = 0; k < f->nfront; k++)
		sf_jsonw_cstr(&w, f->columns.said[k]);
	sf_jsonw_close(&w, ']');
	sf_stream_add_tool_member(f->stream, "front",
	    (struct sf_str){
		sf_arena_strndup(sf_stream_arena(f->stream), w.buf.p, w.buf.n),
		w.buf.n });
	sf_buf_release(&w.buf);
}

struct sf_fronts *
sf_fronts_new(struct sf_stream *stream, const struct sf_fronts_request *r)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_fronts *f = sf_arena_calloc(arena, 1, sizeof *f);

	if (r->front == NULL && r->sort == NULL)
		sf_die(SF_EX_USAGE,
		    "missing option: expected '--front', '--sort' or '--all'");
	f->stream = stream;
	f->top = r->top;
	f->format = (enum sf_fronts_format)r->format;
	f->formulas =
	    sf_arena_calloc(arena, SF_FORMULA_DEEPEST, sizeof *f->formulas);
	f->columns.said =
	    sf_arena_calloc(arena, SF_FORMULA_DEEPEST, sizeof *f->columns.said);
	f->columns.signs = sf_arena_calloc(
	    arena, SF_FORMULA_DEEPEST, sizeof *f->columns.signs);
	if (r->front != NULL)
		add_columns(f, "front", r->front, &f->columns);
	f->nfront = f->n;
	if (r->sort != NULL)
		add_columns(f, "sort", r->sort, &f->columns);
	if (r->sort != NULL && f->n != f->nfront + 1)
		sf_die(SF_EX_USAGE,
		    "option '--sort': found '%s', expected one column",
		    r->sort);
	collect_names(f);
	name_columns(f);
	sf_front_init(&f->points, f->nfront);
	f->points.extra = f->n - f->nfront;
	return f;
}

void
sf_fronts_free(struct sf_fronts *f)
{
	sf_front_release(&f->points);
	sf_buf_release(&f->head);
	sf_buf_release(&f->tools);
	sf_buf_release(&f->next);
}

/* ---- writing ---- */

static void
put_records(struct sf_fronts *f, size_t n)
{
	struct sf_jsonw *w;

	sf_stream_put_lines(f->stream,
	    (struct sf_buf){ f->head.p, f->tools_end, f->tools_end });
	sf_stream_put_tool(f->stream);
	sf_stream_put_lines(f->stream,
	    (struct sf_buf){ f->head.p + f->tools_end, f->head.n - f->tools_end,
		f->head.n - f->tools_end });
	for (size_t k = 0; k < n; k++)
		sf_stream_put_lines(f->stream,
		    (struct sf_buf){ f->points.points[k].text,
			f->points.points[k].n, f->points.points[k].n });
	w = sf_stream_record(f->stream, SF_K_END);
	sf_jsonw_kint(w, "ops", 0);
	sf_jsonw_kint(w, "points", (int64_t)n);
	f->dropped += (int64_t)(f->points.n - n);
	if (f->dropped != 0)
		sf_jsonw_kint(w, "dropped", f->dropped);
	sf_stream_put(f->stream);
}

static void
finish_group(struct sf_fronts *f)
{
	size_t n = f->points.n;

	if (!f->any)
		return;
	/* By the order's column. */
	if (f->n > f->nfront)
		sf_front_sort_by_key(&f->points);
	else
		sf_front_sort(&f->points);
	if (f->top != 0 && (size_t)f->top < n)
		n = (size_t)f->top;
	if (f->format == SF_FRONTS_JSON)
		put_records(f, n);
	else if (f->format == SF_FRONTS_CSV)
		sf_points_csv(sf_stream_text(f->stream), f->points.points, n);
	else
		sf_points_markdown(sf_stream_text(f->stream), f->points.points,
		    n, f->columns.said, f->columns.signs, f->n);
	sf_front_release(&f->points);
	f->dropped = f->lines = 0;
}

/* ---- reading ---- */

/* Of an order the first are kept, and as many more until it is worth sorting. */
static void
keep_top(struct sf_fronts *f)
{
	size_t most = (size_t)f->top;

	if (f->top == 0 || f->nfront != 0 || f->points.n < 2 * most + 1000)
		return;
	sf_front_sort_by_key(&f->points);
	f->dropped += (int64_t)(f->points.n - most);
	sf_front_cut(&f->points, most);
}

static void
take_point(struct sf_fronts *f)
{
	struct sf_buf line = { 0 };
	struct sf_point point;
	size_t before = f->points.n;

	sf_point_read(f->stream, &point);
	if (point.refused.n != 0) {
		f->dropped++;
		return;
	}
	memcpy(f->values, f->base, (size_t)f->nnames * sizeof *f->values);
	sf_point_numbers(f->stream, f->names, f->nnames, f->values);
	for (int i = 0; i < f->nnames; i++)
		if (isnan(f->values[i]))
			sf_stream_die(f->stream,
			    "point %lld has no number '%.*s'",
			    (long long)point.i, SF_STR_ARG(f->names[i]));
	for (int k = 0; k < f->n; k++)
		f->vector[k] = f->columns.signs[k] *
		    sf_formula_eval(&f->formulas[k], f->values + f->place[k]);
	sf_stream_take(f->stream, &line);
	if (sf_front_offer(&f->points, point.i, f->vector,
		(struct sf_str){ line.p, line.n }))
		f->dropped += (int64_t)(before + 1 - f->points.n);
	else
		f->dropped++;
	sf_buf_release(&line);
	keep_top(f);
}

/* The head is whole: it is that of the trace before, or of another one. */
static void
settle_head(struct sf_fronts *f)
{
	if (f->tools.n == 0)
		return;
	if (!f->any || f->next.n != f->head.n ||
	    memcmp(f->next.p, f->head.p, f->head.n) != 0) {
		struct sf_buf head = f->head;

		finish_group(f);
		f->head = f->next;
		f->next = head;
		f->tools_end = f->tools.n;
	}
	f->any = true;
	f->tools.n = 0;
}

static void
take_head(struct sf_fronts *f, enum sf_kind kind)
{
	struct sf_buf line = { 0 };
	struct sf_shard shard;

	if (kind == SF_K_TRACE) {
		f->next.n = 0;
		for (int i = 0; i < f->nnames; i++)
			f->base[i] = NAN;
	}
	if (kind == SF_K_ACCEL || kind == SF_K_DEVICE)
		sf_point_numbers(f->stream, f->names, f->nnames, f->base);
	sf_stream_take(f->stream, &line);
	if (kind == SF_K_TRACE || kind == SF_K_TOOL) {
		sf_head_put_tool(
		    &f->next, (struct sf_str){ line.p, line.n }, &shard);
		/* Only how long it is matters. */
		f->tools.n = f->next.n;
	} else {
		sf_buf_put(&f->next, line.p, line.n);
	}
	sf_buf_release(&line);
}

void
sf_fronts_record(struct sf_fronts *f, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_BODY:
		break;
	case SF_K_OP:
		sf_stream_die(f->stream,
		    "an op, expected a trace of points from sf-sweep");
	case SF_K_POINT:
		settle_head(f);
		take_point(f);
		break;
	case SF_K_END:
		settle_head(f);
		break;
	case SF_K_EOF:
		finish_group(f);
		break;
	default:
		take_head(f, kind);
		break;
	}
}
