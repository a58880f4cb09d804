/* One report a trace: the records go to each section in turn. */
#include "report/report.h"

#include <stdlib.h>

#include "report/section.h"

const char *const sf_report_formats[] = { "md", "json", "csv", NULL };

static const struct sf_section *const sections[] = {
#define SF_SECTION(name) &sf_section_##name,
#include "report/section.def"
#undef SF_SECTION
};

enum {
	SECTIONS = sizeof sections / sizeof sections[0]
};

struct sf_report {
	enum sf_report_format format;
	struct sf_subject subject;
	void *state[SECTIONS];
	struct sf_figures figures;
};

struct sf_report *
sf_report_new(
    struct sf_stream *stream, enum sf_report_format format, int64_t top)
{
	struct sf_report *r = sf_malloc(sizeof *r);
	struct sf_buf *out = sf_stream_text(stream);

	*r = (struct sf_report){ .format = format,
		.subject = { .stream = stream, .top = top } };
	r->subject.arena = sf_arena_new();
	sf_figures_init(&r->figures, out, format == SF_REPORT_CSV);
	if (format == SF_REPORT_CSV)
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

static struct sf_str
text_of(struct sf_subject *s, const char *key)
{
	const struct sf_pair *pair = sf_pairs_find(&s->trace, key);

	return pair != NULL ? sf_pair_text(pair, s->arena)
			    : (struct sf_str){ "", 0 };
}

/* The members of the workload, which is none or an object. */
static struct sf_pairs
read_workload(struct sf_subject *s)
{
	const struct sf_pair *pair = sf_pairs_find(&s->trace, "workload");
	struct sf_pairs members;
	struct sf_json scan;

	if (pair == NULL)
		return (struct sf_pairs){ 0 };
	scan = (struct sf_json){
		.p = pair->json.p, .start = pair->json.p, .arena = s->arena
	};
	sf_json_enter(&scan, '{');
	members = sf_pairs_read(&scan, s->arena);
	if (scan.error != NULL)
		sf_stream_die(s->stream, "workload: %s", scan.error);
	return members;
}

static void
begin_trace(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;
	struct sf_json scan = sf_stream_scan(s->stream);

	sf_arena_reset(s->arena);
	s->number++;
	s->trace = sf_pairs_read(&scan, s->arena);
	sf_stream_check(s->stream, &scan);
	s->model = text_of(s, "model");
	s->route = text_of(s, "route");
	s->workload = read_workload(s);
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

/* The workload in one field of a CSV row: "batch=1;tokens=2048". */
static struct sf_str
workload_field(const struct sf_subject *s)
{
	struct sf_buf field = { 0 };
	struct sf_str text;

	for (size_t i = 0; i < s->workload.n; i++) {
		struct sf_pair *pair = &s->workload.v[i];
		struct sf_str value = sf_pair_text(pair, s->arena);

		if (i != 0)
			sf_buf_putc(&field, ';');
		sf_buf_put(&field, pair->key.p, pair->key.n);
		sf_buf_putc(&field, '=');
		sf_buf_put(&field, value.p, value.n);
	}
	text.p = sf_arena_strndup(s->arena, field.p, text.n = field.n);
	sf_buf_release(&field);
	return text;
}

static void
write_figures(struct sf_report *r)
{
	struct sf_subject *s = &r->subject;
	struct sf_figures_of of = { s->number, s->model, s->route,
		workload_field(s) };

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
	if (r->format == SF_REPORT_MD)
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
