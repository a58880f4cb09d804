/* The trace: what its own record and those of its makers say. */
#include "report/trace-section.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_trace_report *t = sf_arena_calloc(s->arena, 1, sizeof *t);

	sf_provenance_init(&t->made_by, s->arena);
	return t;
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	struct sf_trace_report *t = state;

	if (kind == SF_K_TOOL)
		sf_provenance_add_tool(&t->made_by, s->stream);
	else if (kind == SF_K_NOTE)
		sf_provenance_add_note(&t->made_by, s->stream);
}

static void
release(void *state)
{
	struct sf_trace_report *t = state;

	sf_provenance_release(&t->made_by);
}

const struct sf_section sf_section_trace = {
	.begin = begin,
	.record = record,
	.markdown = sf_trace_markdown,
	.figures = sf_trace_figures,
	.release = release,
};
