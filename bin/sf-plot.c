/* sf-plot - draw a trace: its timeline, its roofline or a sweep of it. */
#include "simfront.h"

#include <math.h>

#include "plot/guard.h"
#include "plot/plot.h"

static void
check_window(const struct sf_span *window, int kind, struct sf_range *range)
{
	if (isnan(window->from))
		return;
	if (kind != SF_PLOT_TIMELINE)
		sf_die(SF_EX_USAGE,
		    "option '--window' with '--kind %s', expected it with a "
		    "timeline",
		    sf_plot_kinds[kind]);
	*range = (struct sf_range){ window->from, window->to, true };
}

int
main(int argc, char *argv[])
{
	struct sf_picture picture = {
		.width = 1200, .height = 640, .scale = 1
	};
	struct sf_range range = { 0 };
	struct sf_span window = { NAN, NAN };
	const char *columns = NULL;
	int kind = SF_PLOT_TIMELINE;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE(
		    'k', "kind", &kind, sf_plot_kinds, "KIND", "what to draw"),
		SF_OPT_OUTPUT('o', "output", &picture.path, "FILE",
		    "the picture, *.png, *.svg or *.pdf; %d is the trace's "
		    "number",
		    false),
		SF_OPT_SPAN('w', "window", &window, SF_UNIT_S, 0, INFINITY,
		    "FROM,TO", "show this part of a timeline"),
		SF_OPT_STR('c', "columns", &columns, "X,Y[,COLOUR]",
		    "the columns of a front (default what the sweep names)"),
		SF_OPT_STR('t', "title", &picture.title, "TEXT",
		    "what stands above (default model and route)"),
		SF_OPT_INT('W', "width", &picture.width, SF_PICTURE_MIN_WIDTH,
		    SF_PICTURE_MAX, "N", "in pixels or points (default 1200)"),
		SF_OPT_INT('H', "height", &picture.height,
		    SF_PICTURE_MIN_HEIGHT, SF_PICTURE_MAX, "N",
		    "in pixels or points (default 640)"),
		SF_OPT_QUANTITY('s', "scale", &picture.scale, SF_UNIT_NONE,
		    0.25, 8, "FACTOR",
		    "make it so many times as large, with all that is in it"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-plot",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Draw a picture of each trace.",
			     .opts = opts,
			     .needs = SF_NEEDS_DRAWING },
		argc, argv);
	struct sf_plot *plot;
	enum sf_kind record;

	sf_picture_check(&picture, "output");
	sf_guard();
	check_window(&window, kind, &range);
	if (columns != NULL && kind != SF_PLOT_FRONT)
		sf_die(SF_EX_USAGE,
		    "option '--columns' with '--kind %s', expected it with a "
		    "front",
		    sf_plot_kinds[kind]);
	sf_picture_ready(&picture);
	plot = sf_plot_new(
	    stream, (enum sf_plot_kind)kind, &picture, &range, columns);
	do
		sf_plot_record(plot, record = sf_stream_next(stream));
	while (record != SF_K_EOF);
	sf_plot_free(plot);
	return sf_stream_close(stream);
}
