/* One picture a trace. */
#include "plot/plot.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/whole.h"
#include "plot/designs.h"
#include "plot/roofs.h"
#include "plot/timeline.h"

const char *const sf_plot_kinds[] = { "timeline", "roofline", "front", NULL };

struct sf_plot {
	struct sf_stream *stream;
	enum sf_plot_kind kind;
	struct sf_picture picture;
	struct sf_range range;
	int64_t n;           /* traces so far */
	struct sf_buf drawn; /* and not yet written */
	struct sf_tiles tiles;
	struct sf_timeline *timeline; /* of the trace, until it ends */
	struct sf_roofs roofs;
	struct sf_designs designs;
};

struct sf_plot *
sf_plot_new(struct sf_stream *stream, enum sf_plot_kind kind,
    const struct sf_picture *picture, const struct sf_range *range,
    const char *columns)
{
	struct sf_plot *p = sf_malloc(sizeof *p);

	*p = (struct sf_plot){
		.stream = stream,
		.kind = kind,
		.picture = *picture,
		.range = *range,
	};
	sf_tiles_init(&p->tiles, stream);
	sf_roofs_init(&p->roofs, stream);
	sf_designs_init(&p->designs, stream, columns);
	return p;
}

void
sf_plot_free(struct sf_plot *p)
{
	if (p->timeline != NULL)
		sf_timeline_free(p->timeline);
	sf_tiles_release(&p->tiles);
	sf_roofs_release(&p->roofs);
	sf_designs_release(&p->designs);
	sf_buf_release(&p->drawn);
	free(p);
}

/* Where the number of the trace goes in the name, NULL for nowhere. */
static const char *
number_in(const struct sf_plot *p)
{
	return strstr(p->picture.path, "%d");
}

static void
write_drawn(struct sf_plot *p)
{
	const char *rest = p->picture.path, *number = number_in(p);
	struct sf_buf path = { 0 };

	if (p->drawn.n == 0)
		return;
	if (number != NULL) {
		sf_buf_put(&path, rest, (size_t)(number - rest));
		sf_buf_int(&path, p->n);
		rest = number + strlen("%d");
	}
	sf_buf_put(&path, rest, strlen(rest) + 1);
	sf_write_whole(path.p, &p->drawn);
	sf_buf_release(&path);
	p->drawn.n = 0;
}

static void
begin_trace(struct sf_plot *p)
{
	if (p->n != 0 && number_in(p) == NULL && p->kind != SF_PLOT_ROOFLINE)
		sf_stream_die(p->stream,
		    "a second trace, expected one, or '%%d' in the name of the "
		    "picture for its number");
	write_drawn(p);
	p->n++;
}

static void
take_timeline(struct sf_plot *p, enum sf_kind kind)
{
	struct sf_timed_tile tile;

	if (kind == SF_K_TRACE)
		p->timeline = sf_timeline_new(&p->picture, &p->range);
	if (sf_tiles_record(&p->tiles, kind, &tile))
		sf_timeline_add(p->timeline, &p->tiles, &tile);
	if (kind != SF_K_END)
		return;
	sf_timeline_draw(p->timeline, &p->tiles, &p->drawn);
	sf_timeline_free(p->timeline);
	p->timeline = NULL;
}

static void
take_roofline(struct sf_plot *p, enum sf_kind kind)
{
	sf_roofs_record(&p->roofs, kind);
	/* Without a number in the name all traces are in one picture. */
	if (kind != (number_in(p) != NULL ? SF_K_END : SF_K_EOF))
		return;
	sf_roofs_draw(&p->roofs, &p->picture, &p->drawn);
	sf_roofs_clear(&p->roofs);
}

static void
take_front(struct sf_plot *p, enum sf_kind kind)
{
	sf_designs_record(&p->designs, kind);
	if (kind == SF_K_END)
		sf_designs_draw(&p->designs, &p->picture, &p->drawn);
}

void
sf_plot_record(struct sf_plot *p, enum sf_kind kind)
{
	if (kind == SF_K_TRACE)
		begin_trace(p);
	if (p->kind == SF_PLOT_TIMELINE)
		take_timeline(p, kind);
	else if (p->kind == SF_PLOT_ROOFLINE)
		take_roofline(p, kind);
	else
		take_front(p, kind);
	if (kind == SF_K_EOF)
		write_drawn(p);
}
