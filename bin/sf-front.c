/* sf-front - the best of many designs, or all of them together. */
#include "simfront.h"

#include "base/write.h"
#include "sweep/fronts.h"
#include "sweep/merge.h"

static int
merge(struct sf_stream *stream, const struct sf_fronts_request *r)
{
	if (r->front != NULL || r->sort != NULL || r->top != 0 ||
	    r->format != SF_FRONTS_JSON)
		sf_die(SF_EX_USAGE,
		    "'--all' goes with no other option: it writes all points");
	sf_points_merge(stream);
	sf_close_stdout();
	sf_stream_drop(stream);
	return SF_EX_OK;
}

int
main(int argc, char *argv[])
{
	struct sf_fronts_request request = { .front = NULL };
	bool all = false;
	const struct sf_opt opts[] = {
		SF_OPT_STR('F', "front", &request.front, "COL,...",
		    "those that no other one beats; -COL: more is better"),
		SF_OPT_STR('s', "sort", &request.sort, "COL",
		    "by that column, the least first; -COL: the most"),
		SF_OPT_INT('n', "top", &request.top, 1, INT64_MAX, "N",
		    "only the first N"),
		SF_OPT_FLAG(
		    'a', "all", &all, "all points of all shares, by index"),
		SF_OPT_CHOICE('f', "format", &request.format, sf_fronts_formats,
		    "FORMAT", "what to write"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-front",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Find the best points of sweeps.",
			     .opts = opts },
		argc, argv);
	struct sf_fronts *fronts;
	enum sf_kind kind;

	if (all)
		return merge(stream, &request);
	fronts = sf_fronts_new(stream, &request);
	do
		sf_fronts_record(fronts, kind = sf_stream_next(stream));
	while (kind != SF_K_EOF);
	sf_fronts_free(fronts);
	return sf_stream_close(stream);
}
