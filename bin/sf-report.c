/* sf-report - say what a trace comes to, for people and for programs. */
#include "simfront.h"

#include "report/report.h"

int
main(int argc, char *argv[])
{
	int format = SF_FORMAT_MD;
	int64_t top = 10;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE(
		    'f', "format", &format, sf_formats, "FORMAT", "write"),
		SF_OPT_INT('n', "top", &top, 0, 1000000, "N",
		    "rows in lists of the largest (default 10)"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-report",
			     .summary = "Report what each trace comes to.",
			     .opts = opts },
		argc, argv);
	struct sf_report *report =
	    sf_report_new(stream, (enum sf_format)format, top);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_report_record(report, kind);
	sf_report_free(report);
	return sf_stream_close(stream);
}
