/* One report a trace: the records go to each section in turn. */
#include "report/report.h"

#include <stdlib.h>

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
	struct sf_subject subject;
	void *state[SECTIONS];
	struct sf_figures figures;
};

struct sf_report *
sf_report_new(struct sf_stream *stream, const struct sf_report_request *request)
{
	struct sf_report *r = sf_malloc(sizeof *r);
	struct sf_buf *out = sf_stream_text(stream);

	*r = (struct sf_report){ .format = request->format,
		.subject = { .stream = stream,
		    .top = request->top,
		    .footprint = { request->footprint || request->memory > 0,
			request->inputs_consumed, request->memory } } };
	r->subject.arena = sf_arena_new();
	sf_figures_init(&r->figures, out, request->format == SF_FORMAT_CSV);
	if (request->format == SF_FORMAT_CSV)
		sf_figures_csv_header(out);
	return r;
}

void
sf_report_free(struct sf_report *r)
{
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
	sf_trace_read(s->stream, s->arena, &s->trace);
	sf_totals_init(&s->totals, s->arena);
	for (int i = 0; i < SECTIONS; i++)
		r->state[i] = sections[i]->begin(s);
}

static void
take_op(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;
	struct sf_op op;

	sf_op_read(s->stream, &op);
	sf_totals_add(&s->totals, s->stream, &op);
	for (int i = 0; i < SECTIONS; i++)
		if (sections[i]->op != NULL)
			sections[i]->op(r->state[i], s, &op);
}

static void
take_other(struct sf_report *r, enum sf_kind kind)
{
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
	for (int i = 0; i < SECTIONS; i++)
		sections[i]->markdown(r->state[i], &r->subject,
		    sf_stream_text(r->subject.stream));
}

static void
end_trace(struct sf_report *r)
{
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

void
sf_report_record(struct sf_report *r, enum sf_kind kind)
{
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
