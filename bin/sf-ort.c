/* sf-ort - say which provider of ONNX Runtime ran each node of a session. */
#include "simfront.h"

#include "base/write.h"
#include "ort/profile-report.h"

int
main(int argc, char *argv[])
{
	int format = SF_FORMAT_MD;
	const struct sf_opt opts[] = {
		SF_OPT_CHOICE(
		    'f', "format", &format, sf_formats, "FORMAT", "write"),
		SF_OPT_END,
	};
	struct sf_arena *arena = sf_arena_new();
	struct sf_cmdline line =
	    sf_opt_parse(&(struct sf_tool){ .name = "sf-ort",
			     .sandboxed = true,
			     .summary = "Say which provider of ONNX Runtime "
					"ran each node of a session.",
			     .opts = opts,
			     .operands = "[FILE]",
			     .max_operands = 1,
			     .operands_are_paths = true },
		argc, argv, arena);
	struct sf_buf out = { 0 };

	sf_profile_report(line.noperands != 0 ? line.operands[0] : "-",
	    (enum sf_format)format, &out);
	sf_write_all(1, out.p, out.n);
	sf_close_stdout();
	sf_buf_release(&out);
	sf_arena_free(arena);
	return SF_EX_OK;
}
