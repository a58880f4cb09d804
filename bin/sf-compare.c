/* sf-compare - put traces beside each other: times, work, memory, and why. */
#include "simfront.h"

#include <math.h>

#include "compare/compare.h"

int
main(int argc, char *argv[])
{
	struct sf_compare_request request = { .top = 10 };
	int format = SF_FORMAT_MD, by = 2;
	double tolerance = NAN;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE(
		    'f', "format", &format, sf_formats, "FORMAT", "write"),
		SF_OPT_CHOICE('b', "by", &by, sf_rows_words + SF_ROWS_NODE,
		    "WHAT", "what moved is told of each"),
		SF_OPT_INT('n', "top", &request.top, 0, 1000000, "N",
		    "moves to show of a trace (default 10)"),
		SF_OPT_QUANTITY('t', "tolerance", &tolerance, SF_UNIT_NONE, 0,
		    1e9, "PERCENT",
		    "exit 1 when a latency is so much above the first"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-compare",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Put traces beside each other.",
			     .opts = opts },
		argc, argv);
	struct sf_compare *compare;
	enum sf_kind kind;

	request.format = (enum sf_format)format;
	request.by = (enum sf_rows_by)(by + SF_ROWS_NODE);
	request.tolerance = isnan(tolerance) ? -1 : tolerance / 100;
	compare = sf_compare_new(stream, &request);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_compare_record(compare, kind);
	sf_compare_write(compare);
	sf_compare_free(compare);
	return sf_stream_close(stream);
}
