/* Memory: what a run needs at once, and whether a device has it. */
#include "report/footprint-section.h"

#include "base/num.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_footprint_report *r;

	if (!s->footprint.wanted)
		return NULL;
	r = sf_arena_calloc(s->arena, 1, sizeof *r);
	r->counted = true;
	sf_footprint_init(&r->live, s->arena, s->footprint.consumed);
	return r;
}

static void
release(void *state)
{
	struct sf_footprint_report *r = state;

	if (r == NULL)
		return;
	sf_footprint_release(&r->live);
	sf_buf_release(&r->names);
	sf_buf_release(&r->starts);
}

static void
put_name(struct sf_buf *names, struct sf_str name)
{
	sf_buf_put(names, name.p, name.n);
	sf_buf_putc(names, '\0');
}

static void
add(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_footprint_report *r = state;

	(void)s;
	if (r == NULL)
		return;
	r->counted = r->counted && op->counted;
	sf_footprint_add(&r->live, op);
	sf_buf_put(&r->starts, &r->names.n, sizeof r->names.n);
	put_name(&r->names, op->name);
	put_name(&r->names, op->node);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_footprint_report *r = state;

	if (r == NULL)
		return;
	if (!r->counted)
		sf_stream_die(s->stream,
		    "the trace is not counted, so views are not known; "
		    "expected one from sf-rules");
	r->weights = s->trace.params_bytes;
	r->total = -1;
	if (!sf_footprint_peak(&r->live, &r->peak))
		sf_stream_die(s->stream, "what is live passes 2^63 - 1 bytes");
	r->known = r->live.unknown == 0;
	if (r->known && r->weights >= 0 &&
	    !sf_add(r->weights, r->peak.bytes, &r->total))
		sf_stream_die(s->stream, "what is live passes 2^63 - 1 bytes");
	if (s->footprint.memory > 0 &&
	    (r->total < 0 || r->total > s->footprint.memory))
		sf_stream_say_no(s->stream);
}

struct sf_str
sf_footprint_op_name(const struct sf_footprint_report *r)
{
	const size_t *starts = (const size_t *)(const void *)r->starts.p;

	return sf_str_of(r->names.p + starts[r->peak.op]);
}

struct sf_str
sf_footprint_op_node(const struct sf_footprint_report *r)
{
	struct sf_str name = sf_footprint_op_name(r);

	return sf_str_of(name.p + name.n + 1);
}

const struct sf_section sf_section_footprint = {
	.begin = begin,
	.op = add,
	.check = check,
	.markdown = sf_footprint_markdown,
	.figures = sf_footprint_figures,
	.release = release,
};
