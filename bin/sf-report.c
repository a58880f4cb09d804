/* sf-report - say what a trace comes to, for people and for programs. */
#include "simfront.h"

#include "html/page.h"
#include "report/report.h"
#include "scalesim/compute-report.h"
#include "timeline/windows.h"

enum {
	FORMAT_SCALESIM = SF_FORMAT_CSV + 1, /* behind those of all programs */
	FORMAT_HTML
};

/* The columns of another simulator, from the tiles alone. */
static int
report_scalesim(struct sf_stream *stream)
{
	struct sf_compute_report *report = sf_compute_report_new(stream);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_compute_report_record(report, kind);
	sf_compute_report_free(report);
	return sf_stream_close(stream);
}

/* The report in Markdown, with pictures, for a browser. */
static int
report_html(struct sf_stream *stream, const struct sf_report_request *request)
{
	struct sf_html_page *page = sf_html_page_new(stream, request);
	enum sf_kind kind;

	do
		sf_html_page_record(page, kind = sf_stream_next(stream));
	while (kind != SF_K_EOF);
	sf_html_page_free(page);
	return sf_stream_close(stream);
}

/* What is busy and what waits, window by window. */
static int
report_windows(struct sf_stream *stream, int format, int64_t n)
{
	struct sf_windows *windows =
	    sf_windows_new(stream, (enum sf_format)format, n);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_windows_record(windows, kind);
	sf_windows_free(windows);
	return sf_stream_close(stream);
}

/* Ends the program where two of the options ask for two things. */
static void
refuse_mixed(
    const struct sf_report_request *request, int format, int64_t windows)
{
	bool rows = request->by != SF_ROWS_NONE;
	bool memory = request->footprint || request->memory > 0;

	if (format == FORMAT_SCALESIM &&
	    (rows || memory || windows != 0 || request->top >= 0 ||
		request->strict))
		sf_die(SF_EX_USAGE,
		    "'--format scalesim' goes with no option but --traces");
	if (request->depth != 0 && request->by != SF_ROWS_MODULE)
		sf_die(SF_EX_USAGE, "--depth needs --by module");
	if ((rows || windows != 0) && request->strict)
		sf_die(SF_EX_USAGE,
		    "--strict asks of memory, which %s does not say",
		    rows ? "--by" : "--windows");
	if (rows && memory)
		sf_die(SF_EX_USAGE,
		    "--by writes rows, without the section of --footprint and "
		    "--memory");
	if (windows != 0 && (rows || memory || format > SF_FORMAT_CSV))
		sf_die(SF_EX_USAGE,
		    "--windows writes windows alone, without --by, "
		    "--footprint and --memory, as md, json or csv");
}

int
main(int argc, char *argv[])
{
	static const char *const formats[] = { "md", "json", "csv", "scalesim",
		"html", NULL };
	static const char *const lives[] = { "kept", "consumed", NULL };
	struct sf_report_request request = { .top = -1 };
	int format = SF_FORMAT_MD, inputs = 0, by = SF_ROWS_NONE;
	int64_t windows = 0;
	double memory = 0;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE(
		    'f', "format", &format, formats, "FORMAT", "write"),
		SF_OPT_INT('n', "top", &request.top, 0, 1000000, "N",
		    "rows in lists of the largest (default 10)"),
		SF_OPT_CHOICE('b', "by", &by, sf_rows_words, "WHAT",
		    "in place of the report a row for each"),
		SF_OPT_INT('D', "depth", &request.depth, 1, 1000, "N",
		    "modules are told by the first N parts of their names"),
		SF_OPT_INT('w', "windows", &windows, 1, 1000000, "N",
		    "in place of the report what was busy in N equal windows "
		    "of the run"),
		SF_OPT_FLAG('F', "footprint", &request.footprint,
		    "add the memory that a run needs"),
		SF_OPT_QUANTITY('m', "memory", &memory, SF_UNIT_BYTES, 1, 1e18,
		    "BYTES",
		    "add that, and exit 1 when a device with BYTES has too "
		    "little"),
		SF_OPT_CHOICE('i', "inputs", &inputs, lives, "WHAT",
		    "in it inputs of the model are"),
		SF_OPT_FLAG('s', "strict", &request.strict,
		    "exit 1 when a trace needs more memory than its device "
		    "has"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "sf-report",
			     .sandboxed = true,
			     .records = &sf_every_record,
			     .summary = "Report what each trace comes to.",
			     .opts = opts,
			     .needs = SF_NEEDS_TEMPORARY },
		argc, argv);
	struct sf_report *report;
	enum sf_kind kind;

	request.format = (enum sf_format)format;
	request.by = (enum sf_rows_by)by;
	request.inputs_consumed = inputs != 0;
	request.memory = (int64_t)memory;
	refuse_mixed(&request, format, windows);
	if (format == FORMAT_SCALESIM)
		return report_scalesim(stream);
	if (format == FORMAT_HTML)
		return report_html(stream, &request);
	if (windows != 0)
		return report_windows(stream, format, windows);
	report = sf_report_new(stream, &request);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_report_record(report, kind);
	sf_report_free(report);
	return sf_stream_close(stream);
}
