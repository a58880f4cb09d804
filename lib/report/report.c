/* One report a trace: the records go to each section in turn. */
#include "report/report.h"

#include <stdlib.h>

#include "report/rows.h"
#include "report/section.h"

static const struct sf_section *const sections[] = {
#define SF_SECTION(name) &sf_section_##name,
#include "report/section.def"
#undef SF_SECTION
};

enum {
	SECTIONS = sizeof sections / sizeof sections[0]
};

struct sf_report {
	enum sf_format format;
	struct sf_buf *out;
	struct sf_subject subject;
	void *state[SECTIONS];
	struct sf_figures figures;
	struct sf_rows *rows; /* in place of sections; NULL: none */
	int64_t rows_top;
};

enum {
	DEFAULT_TOP = 10
};

static void
begin_rows(struct sf_report *r, const struct sf_report_request *request)
{
	r->rows = sf_malloc(sizeof *r->rows);
	sf_rows_init(r->rows, request->by, request->depth);
	r->rows_top = request->top < 0 && request->format == SF_FORMAT_MD
	    ? DEFAULT_TOP
	    : request->top;
	if (request->format == SF_FORMAT_CSV)
		sf_rows_csv_header(r->out);
}

struct sf_report *
sf_report_new(struct sf_stream *stream, const struct sf_report_request *request)
{
	struct sf_report *r = sf_malloc(sizeof *r);
	struct sf_buf *out =
	    request->out != NULL ? request->out : sf_stream_text(stream);

	*r = (struct sf_report){ .format = request->format,
		.out = out,
		.subject = { .stream = stream,
		    .strict = request->strict,
		    .top = request->top < 0 ? DEFAULT_TOP : request->top,
		    .footprint = { request->footprint || request->memory > 0,
			request->inputs_consumed, request->memory } } };
	r->subject.arena = sf_arena_new();
	sf_figures_init(&r->figures, out, request->format == SF_FORMAT_CSV);
	if (request->by != SF_ROWS_NONE)
		begin_rows(r, request);
	else if (request->format == SF_FORMAT_CSV)
		sf_figures_csv_header(out);
	return r;
}

void
sf_report_free(struct sf_report *r)
{
	if (r->rows != NULL)
		sf_rows_release(r->rows);
	free(r->rows);
	sf_figures_release(&r->figures);
	sf_arena_free(r->subject.arena);
	free(r);
}

static void
begin_trace(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;

	sf_arena_reset(s->arena);
	s->number++;
	s->points = 0;
	s->fastest_s = -1;
	sf_trace_read(s->stream, s->arena, &s->trace);
	sf_totals_init(&s->totals, s->arena);
	s->longest_s = 0;
	for (int i = 0; i < SECTIONS; i++)
		r->state[i] = sections[i]->begin(s);
}

static void
take_op(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;
	struct sf_op op;

	sf_op_read(s->stream, &op);
	sf_totals_add(&s->totals, &op);
	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->op != NULL)
			sections[i]->op(r->state[i], s, &op);
}

static void
take_other(struct sf_report *r, enum sf_kind kind)
{
	r->subject.points += kind == SF_K_POINT;
	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->record != NULL)
			sections[i]->record(r->state[i], &r->subject, kind);
}

static void
write_figures(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;
	struct sf_figures_of of = { s->number, s->trace.model, s->trace.route,
		sf_trace_workload(&s->trace, s->arena) };

	sf_figures_begin(&r->figures, &of);
	for (int i = 0; i < SECTIONS; i++)
		sections[i]->figures(r->state[i], s, &r->figures);
	sf_figures_end(&r->figures);
}

static void
write_markdown(struct sf_report *r)
{
	struct sf_buf *out = r->out;

	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->first)
			sections[i]->markdown(r->state[i], &r->subject, out);
	for (int i = 0; i < SECTIONS; i++)
		if (!sections[i]->first)
			sections[i]->markdown(r->state[i], &r->subject, out);
}

static void
end_trace(struct sf_report *r)
{
	/* The operators of a sweep stay with it: nothing is known of them. */
	if (r->subject.points != 0)
		r->subject.totals.counted = false;
	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->check != NULL)
			sections[i]->check(r->state[i], &r->subject);
	if (r->format == SF_FORMAT_MD)
		write_markdown(r);
	else
		write_figures(r);
	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->release != NULL)
			sections[i]->release(r->state[i]);
	sf_totals_release(&r->subject.totals);
}

static void
end_rows(struct sf_report *r)
{
	struct sf_buf *out = r->out;

	sf_rows_finish(r->rows, r->subject.stream);
	if (r->format == SF_FORMAT_MD)
		sf_rows_markdown(r->rows, r->rows_top, out);
	else if (r->format == SF_FORMAT_CSV)
		sf_rows_csv(r->rows, r->rows_top, out);
	else
		sf_rows_json(r->rows, r->rows_top, out);
}

static void
take_for_rows(struct sf_report *r, enum sf_kind kind)
{
	if (kind == SF_K_TRACE)
		sf_rows_begin(r->rows, r->subject.stream);
	else if (kind == SF_K_OP)
		sf_rows_add(r->rows, r->subject.stream);
	else if (kind == SF_K_SUMMARY)
		sf_rows_summary(r->rows, r->subject.stream);
	else if (kind == SF_K_END)
		end_rows(r);
}

void
sf_report_record(struct sf_report *r, enum sf_kind kind)
{
	if (r->rows != NULL) {
		take_for_rows(r, kind);
		return;
	}
	switch (kind) {
	case SF_K_TRACE:
		begin_trace(r);
		break;
	case SF_K_OP:
		take_op(r);
		break;
	case SF_K_END:
		end_trace(r);
		break;
	case SF_K_BODY:
	case SF_K_OTHER:
	case SF_K_EOF:
		break;
	default:
		take_other(r, kind);
	}
}
