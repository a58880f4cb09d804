/* sf-chrome - write simulated traces for Perfetto and chrome://tracing. */
#include "simfront.h"

#include "timeline/chrome.h"

int
main(int argc, char *argv[])
{
	const struct sf_opt opts[] = {
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-chrome",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Write tiles and their times as Chrome "
					"trace events.",
			     .opts = opts },
		argc, argv);
	struct sf_chrome *chrome = sf_chrome_new(stream);
	enum sf_kind kind;

	do
		sf_chrome_record(chrome, kind = sf_stream_next(stream));
	while (kind != SF_K_EOF);
	sf_chrome_free(chrome);
	return sf_stream_close(stream);
}
