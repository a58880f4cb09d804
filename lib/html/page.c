/* A page of HTML in the making. */
#include "html/page.h"

#include <stdlib.h>

#include "base/arena.h"
#include "html/body.h"
#include "plot/designs.h"
#include "plot/roofs.h"
#include "plot/timeline.h"
#include "text/xml.h"

struct sf_html_page {
	struct sf_stream *stream;
	bool pictures; /* else rows alone are asked for */
	struct sf_report *report;
	struct sf_buf markdown; /* of the trace */
	struct sf_buf contents, sections;
	struct sf_arena *arena;
	char *title; /* of the first trace; NULL: none yet */
	int64_t n;   /* traces so far */
	struct sf_picture picture;
	struct sf_tiles tiles;
	struct sf_timeline *timeline; /* of the trace */
	struct sf_roofs roofs, all;   /* of the trace; of all that fit in one */
	int64_t costed;               /* traces so far */
	struct sf_designs designs;    /* of the trace, where it is a sweep */
	/* Whether the trace's operators have costs; not known before the first. */
	bool device, asked, has_cost;
};

struct sf_html_page *
sf_html_page_new(
    struct sf_stream *stream, const struct sf_report_request *request)
{
	struct sf_html_page *p = sf_malloc(sizeof *p);
	struct sf_report_request markdown = *request;

	*p = (struct sf_html_page){ .stream = stream,
		.pictures = request->by == SF_ROWS_NONE,
		.arena = sf_arena_new(),
		.picture = { .format = SF_PAGE_SVG,
		    .width = 1200,
		    .height = 640,
		    .open = sf_picture_svg } };
	markdown.format = SF_FORMAT_MD;
	markdown.out = &p->markdown;
	p->report = sf_report_new(stream, &markdown);
	sf_tiles_init(&p->tiles, stream);
	p->tiles.optional = true;
	sf_roofs_init(&p->roofs, stream);
	sf_roofs_init(&p->all, stream);
	sf_designs_init(&p->designs, stream, NULL);
	p->designs.guesses = true;
	return p;
}

void
sf_html_page_free(struct sf_html_page *p)
{
	if (p->timeline != NULL)
		sf_timeline_free(p->timeline);
	sf_tiles_release(&p->tiles);
	sf_roofs_release(&p->roofs);
	sf_roofs_release(&p->all);
	sf_designs_release(&p->designs);
	sf_report_free(p->report);
	sf_buf_release(&p->markdown);
	sf_buf_release(&p->contents);
	sf_buf_release(&p->sections);
	sf_arena_free(p->arena);
	free(p->title);
	free(p);
}

/* ---- pictures ---- */

static void
put_picture(struct sf_html_page *p, const struct sf_buf *svg)
{
	SF_BUF_LIT(&p->sections, "<figure>\n");
	sf_buf_put(&p->sections, svg->p, svg->n);
	SF_BUF_LIT(&p->sections, "</figure>\n");
}

static void
put_roofline(struct sf_html_page *p, const struct sf_roofs *roofs)
{
	struct sf_buf svg = { 0 };

	sf_roofs_draw(roofs, &p->picture, &svg);
	put_picture(p, &svg);
	sf_buf_release(&svg);
}

static void
put_timeline(struct sf_html_page *p)
{
	struct sf_buf svg = { 0 };

	sf_timeline_draw(p->timeline, &p->tiles, &svg);
	put_picture(p, &svg);
	sf_buf_release(&svg);
}

static void
put_designs(struct sf_html_page *p)
{
	struct sf_buf svg = { 0 };

	sf_designs_draw(&p->designs, &p->picture, &svg);
	put_picture(p, &svg);
	sf_buf_release(&svg);
}

/* ---- what pictures are made of ---- */

static bool
is_for_all(const struct sf_html_page *p)
{
	return p->costed <= SF_ROOFS_TRACES;
}

static void
give_roofs(struct sf_html_page *p, enum sf_kind kind)
{
	sf_roofs_record(&p->roofs, kind);
	if (is_for_all(p))
		sf_roofs_record(&p->all, kind);
}

/* A trace that says of a device and not what its operators cost has no roof. */
static void
ask_for_cost(struct sf_html_page *p)
{
	struct sf_op op;

	sf_op_read(p->stream, &op);
	p->asked = true;
	p->has_cost = p->device && op.counted && op.cost.n != 0;
	if (p->has_cost)
		return;
	sf_roofs_drop(&p->roofs);
	if (is_for_all(p))
		sf_roofs_drop(&p->all);
	p->costed--;
}

static void
gather_roofs(struct sf_html_page *p, enum sf_kind kind)
{
	if (kind == SF_K_TRACE) {
		p->costed++;
		p->device = p->asked = false;
		p->has_cost = true;
		sf_roofs_clear(&p->roofs);
	}
	if (kind == SF_K_DEVICE)
		p->device = true;
	if (kind == SF_K_OP && !p->asked)
		ask_for_cost(p);
	if (kind == SF_K_END && !p->asked) {
		/* There is no operator, and so no point. */
		p->has_cost = false;
		sf_roofs_drop(&p->roofs);
		if (is_for_all(p))
			sf_roofs_drop(&p->all);
		p->costed--;
	}
	if (p->has_cost)
		give_roofs(p, kind);
}

static void
gather_tiles(struct sf_html_page *p, enum sf_kind kind)
{
	static const struct sf_range whole = { 0 };
	struct sf_timed_tile tile;

	if (kind == SF_K_TRACE) {
		if (p->timeline != NULL)
			sf_timeline_free(p->timeline);
		p->timeline = sf_timeline_new(&p->picture, &whole);
	}
	if (sf_tiles_record(&p->tiles, kind, &tile))
		sf_timeline_add(p->timeline, &p->tiles, &tile);
}

/* ---- traces ---- */

/* "model (route), batch 1": what the contents and the window's title say. */
static void
begin_trace(struct sf_html_page *p)
{
	struct sf_trace trace;
	char *name;

	sf_arena_reset(p->arena);
	sf_trace_read(p->stream, p->arena, &trace);
	name = sf_picture_title(&p->picture, &trace, "");
	p->n++;
	sf_buf_printf(
	    &p->contents, "<li><a href=\"#trace-%lld\">", (long long)p->n);
	sf_xml_text(&p->contents, sf_str_of(name));
	SF_BUF_LIT(&p->contents, "</a></li>\n");
	if (p->title == NULL)
		p->title = name;
	else
		free(name);
}

static void
end_trace(struct sf_html_page *p)
{
	bool timeline = p->pictures && p->tiles.n != 0;
	bool designs = p->pictures && sf_designs_any(&p->designs);

	sf_buf_printf(
	    &p->sections, "<section id=\"trace-%lld\">\n", (long long)p->n);
	sf_html_body(
	    &p->sections, (struct sf_str){ p->markdown.p, p->markdown.n });
	p->markdown.n = 0;
	if (timeline || designs || (p->pictures && p->has_cost))
		SF_BUF_LIT(&p->sections, "<h2>Pictures</h2>\n");
	if (timeline)
		put_timeline(p);
	if (designs)
		put_designs(p);
	if (p->pictures && p->has_cost)
		put_roofline(p, &p->roofs);
	SF_BUF_LIT(&p->sections, "</section>\n");
}

/* ---- the page ---- */

static const char style[] =
#include "html/style.def"
    ;

static void
put_head(struct sf_html_page *p, struct sf_buf *out)
{
	SF_BUF_LIT(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\" />\n"
	    "<meta http-equiv=\"Content-Security-Policy\" "
	    "content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\" />\n<title>");
	sf_xml_text(out, sf_str_of(p->title));
	if (p->n > 1)
		sf_buf_printf(out, " and %lld more", (long long)p->n - 1);
	SF_BUF_LIT(out, "</title>\n<style>\n");
	sf_buf_put(out, style, sizeof style - 1);
	SF_BUF_LIT(out, "</style>\n</head>\n<body>\n");
}

static void
put_page(struct sf_html_page *p)
{
	struct sf_buf *out = sf_stream_text(p->stream);

	if (p->pictures && p->costed > 1 && is_for_all(p)) {
		SF_BUF_LIT(&p->contents,
		    "<li><a href=\"#together\">All together</a></li>\n");
		SF_BUF_LIT(&p->sections,
		    "<section id=\"together\">\n<h1>All together</h1>\n");
		put_roofline(p, &p->all);
		SF_BUF_LIT(&p->sections, "</section>\n");
	}
	put_head(p, out);
	if (p->n > 1) {
		SF_BUF_LIT(out, "<nav><ul>\n");
		sf_buf_put(out, p->contents.p, p->contents.n);
		SF_BUF_LIT(out, "</ul></nav>\n");
	}
	sf_buf_put(out, p->sections.p, p->sections.n);
	SF_BUF_LIT(out, "</body>\n</html>\n");
}

void
sf_html_page_record(struct sf_html_page *p, enum sf_kind kind)
{
	if (kind == SF_K_EOF) {
		put_page(p);
		return;
	}
	if (kind == SF_K_TRACE)
		begin_trace(p);
	sf_report_record(p->report, kind);
	if (p->pictures) {
		gather_roofs(p, kind);
		gather_tiles(p, kind);
		/* A trace with operators is no sweep, whatever it has besides. */
		if (kind != SF_K_OP)
			sf_designs_record(&p->designs, kind);
	}
	if (kind == SF_K_END)
		end_trace(p);
}
