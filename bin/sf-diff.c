/* sf-diff - compare the arithmetic of counted traces. */
#include "simfront.h"

#include "diff/diff.h"

int
main(int argc, char *argv[])
{
	bool strict = false;
	int64_t top = 10;
	const struct sf_opt opts[] = {
		SF_OPT_FLAG('s', "strict", &strict,
		    "other operators or bytes are a difference, too"),
		SF_OPT_INT('n', "top", &top, 0, 1000000, "N",
		    "operators to name (default 10)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){ .name = "sf-diff",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Compare the arithmetic of counted traces.",
		.opts = opts,
		.operands = "A B",
		.min_operands = 2,
		.max_operands = 2 },
	    argc, argv);
	struct sf_diff *diff = sf_diff_new(stream);
	enum sf_diff_verdict verdict;
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_diff_record(diff, kind);
	verdict = sf_diff_write(diff, top);
	sf_diff_free(diff);
	if (verdict == SF_DIFFERS || (strict && verdict == SF_DRIFT))
		sf_stream_say_no(stream);
	return sf_stream_close(stream);
}
