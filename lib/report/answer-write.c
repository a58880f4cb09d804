/* The answer, for people and for programs. */
#include "report/answer-section.h"
#include "text/human.h"
#include "text/markdown.h"

static struct sf_buf *
put_label(struct sf_grid *grid, const char *label)
{
	sf_grid_label(grid, label);
	return sf_grid_cell(grid);
}

static void
put_latency(struct sf_grid *grid, const struct sf_answer *a,
    const struct sf_scale *scale)
{
	struct sf_buf *cell = put_label(grid, "Takes");

	sf_human_scaled(cell, a->latency_s, scale);
	if (a->measured) {
		SF_BUF_LIT(cell, " as measured, all operators together");
		return;
	}
	SF_BUF_LIT(cell, " on ");
	sf_md_text(cell, a->on.n != 0 ? a->on : SF_STR("(no name)"));
}

static void
put_rate(struct sf_grid *grid, const struct sf_answer *a)
{
	struct sf_buf *cell = put_label(grid, "Rate");

	sf_human_double(cell, a->per_s, a->per_s < 100 ? 2 : 0);
	sf_buf_printf(cell, " %s/s", a->unit);
}

static void
put_bound(struct sf_grid *grid, const struct sf_answer *a)
{
	struct sf_buf *cell = put_label(grid, "Bound by");
	const char *comma = "";

	for (int i = 0; i < 3; i++) {
		if (!(a->parts[i].s > 0))
			continue;
		sf_buf_printf(cell, "%s%s ", comma, a->parts[i].name);
		sf_human_share(cell, a->parts[i].s / a->latency_s);
		comma = ", ";
	}
}

static void
put_hotspot(struct sf_grid *grid, const struct sf_answer *a)
{
	struct sf_buf *cell = put_label(grid, "Most time in");

	sf_md_text(cell, a->hotspot);
	if (a->hotspot_share >= 0) {
		SF_BUF_LIT(cell, ", ");
		sf_human_share(cell, a->hotspot_share);
		SF_BUF_LIT(cell, " of the time");
	} else if (a->why.n != 0) {
		SF_BUF_LIT(cell, ": ");
		sf_md_text(cell, a->why);
	}
}

/* What it is made of, in the unit of the whole. */
static void
put_parts(struct sf_buf *cell, const struct sf_answer *a)
{
	const struct {
		const char *name;
		int64_t bytes;
	} parts[] = { { "weights", a->weights }, { "KV cache", a->cache },
		{ "activations", a->activations } };
	const char *before = " (";

	for (int i = 0; i < 3; i++) {
		if (parts[i].bytes == 0)
			continue;
		sf_buf_printf(cell, "%s%s ", before, parts[i].name);
		sf_human_scaled_int(
		    cell, parts[i].bytes, sf_scale_bytes(a->memory));
		before = ", ";
	}
	if (*before == ',')
		sf_buf_putc(cell, ')');
}

static void
put_memory(struct sf_grid *grid, const struct sf_answer *a)
{
	struct sf_buf *cell = put_label(grid, "Memory");

	if (a->memory < 0) {
		SF_BUF_LIT(cell, "not known");
		return;
	}
	sf_human_scaled_int(cell, a->memory, sf_scale_bytes(a->memory));
	SF_BUF_LIT(cell, " of ");
	sf_human_double(cell, a->has / 1e9, 3);
	if ((double)a->memory <= a->has)
		SF_BUF_LIT(cell, " GB: it fits");
	else
		sf_buf_printf(cell,
		    " GB: **it does not fit**, %lld devices would have it",
		    (long long)a->devices);
	put_parts(cell, a);
}

/* A trace without times has what it computes. */
static void
put_work(struct sf_grid *grid, const struct sf_amount *all)
{
	struct sf_buf *cell = put_label(grid, "Work");

	sf_human_scaled_int(cell, all->flops, sf_scale_flops(all->flops));
	SF_BUF_LIT(cell, ", ");
	sf_human_scaled_int(cell, all->bytes, sf_scale_bytes(all->bytes));
	SF_BUF_LIT(cell, " moved");
}

/* What looks whole and is not would be the wrong answer. */
static void
put_left_out(
    struct sf_grid *grid, const struct sf_answer *a, const struct sf_totals *t)
{
	struct sf_buf *cell;

	if (!t->counted || t->unknown_calls == 0 || a->measured)
		return;
	cell = put_label(grid, "Left out");
	SF_BUF_LIT(cell, "**");
	sf_human_int(cell, t->unknown_calls);
	SF_BUF_LIT(cell, " of ");
	sf_human_int(cell, t->ops);
	SF_BUF_LIT(cell, " operators**, which are not counted");
}

void
sf_answer_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_answer *a = state;
	struct sf_grid grid;

	if (s->number > 1)
		sf_buf_putc(out, '\n');
	SF_BUF_LIT(out, "# ");
	sf_md_text(
	    out, s->trace.model.n != 0 ? s->trace.model : SF_STR("(no name)"));
	SF_BUF_LIT(out, "\n\n");
	if (a->latency_s < 0 && !s->totals.counted)
		return;
	sf_grid_init(&grid, "ll");
	sf_grid_label(&grid, "Answer");
	sf_grid_label(&grid, "");
	if (a->latency_s >= 0)
		put_latency(&grid, a, sf_subject_scale(s));
	else
		put_work(&grid, &s->totals.all);
	put_left_out(&grid, a, &s->totals);
	if (a->per_s >= 0)
		put_rate(&grid, a);
	if (a->peak_share >= 0)
		sf_human_share(
		    put_label(&grid, "Share of peak"), a->peak_share);
	if (a->parts[0].name != NULL && a->latency_s > 0)
		put_bound(&grid, a);
	if (a->hotspot.n != 0)
		put_hotspot(&grid, a);
	if (a->weighed)
		put_memory(&grid, a);
	sf_grid_finish(&grid, out);
}

/* ---- for programs ---- */

static void
fig_number(struct sf_figures *f, const char *key, double x, const char *unit)
{
	if (x >= 0)
		sf_fig_double(f, key, x, unit);
	else
		sf_fig_null(f, key, unit);
}

static void
fig_text(struct sf_figures *f, const char *key, struct sf_str text)
{
	if (text.n != 0)
		sf_fig_str(f, key, text);
	else
		sf_fig_null(f, key, "");
}

/* Bytes of the memory, or of what it is made of. */
static void
fig_part(struct sf_figures *f, const char *key, const struct sf_answer *a,
    int64_t bytes)
{
	if (a->memory >= 0)
		sf_fig_int(f, key, bytes, "bytes");
	else
		sf_fig_null(f, key, "bytes");
}

void
sf_answer_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_answer *a = state;

	sf_fig_open(f, "answer", '{');
	fig_text(f, "on", a->latency_s >= 0 ? a->on : SF_STR(""));
	fig_number(f, "latency_s", a->latency_s, "s");
	if (s->totals.counted)
		sf_fig_int(f, "left_out", s->totals.unknown_calls, "");
	else
		sf_fig_null(f, "left_out", "");
	fig_number(f, "per_s", a->per_s, "1/s");
	sf_fig_str(f, "unit", sf_str_of(a->unit));
	fig_number(f, "peak_share", a->peak_share, "ratio");
	fig_text(f, "hotspot", a->hotspot);
	fig_number(f, "hotspot_share", a->hotspot_share, "ratio");
	fig_part(f, "memory_bytes", a, a->memory);
	fig_part(f, "weight_bytes", a, a->weights);
	fig_part(f, "cache_bytes", a, a->cache);
	fig_part(f, "activation_bytes", a, a->activations);
	fig_number(f, "device_bytes", a->has > 0 ? a->has : -1, "bytes");
	if (a->memory >= 0 && a->has > 0)
		sf_fig_bool(f, "fits_device", (double)a->memory <= a->has);
	else
		sf_fig_null(f, "fits_device", "");
	sf_fig_close(f);
}
