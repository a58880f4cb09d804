/* The sizes that --dim and --shape give to a model whose sizes are names. */
#include "stages.h"

#include <string.h>

/* c = MatMul(a, b), a of N x seq x 3, b of 3 x N. */
static const char model[] =
    "\010\010B\004\012\000\020\021:V\012\021\012\001a\012\001b\022\001c\042"
    "\006MatMul\022\001gZ\033\012\001a\022\026\012\024\010\001\022\020\012"
    "\003\022\001N\012\005\022\003seq\012\002\010\003Z\024\012\001b\022\017"
    "\012\015\010\001\022\011\012\002\010\003\012\003\022\001Nb\013\012\001c"
    "\022\006\012\004\010\001\022\000";

enum {
	MOST_OPTIONS = 6
};

/* A line an option: one with a comma or an x is more likely a shape. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { model, sizeof model - 1 };
	const char *args[2 * MOST_OPTIONS + 2];
	char text[512], *rest = text;
	struct run trace, run;
	int n = 0;

	if (size >= sizeof text || memchr(data, '\0', size) != NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	while (rest != NULL && n < 2 * MOST_OPTIONS) {
		char *line = strsep(&rest, "\n");

		args[n++] = strpbrk(line, "x,") != NULL ? "--shape" : "--dim";
		args[n++] = line;
	}
	args[n++] = "-";
	args[n] = NULL;
	trace =
	    run_program("onnx", sf_onnx_main, in, DONE | USAGE | REFUSED, args);
	if (trace.status == 0) {
		run = RUN(rules, trace.out, DONE | REFUSED, NULL, );
		must(run.status == 0 || strstr(run.message, "2^63") != NULL,
		    "a model is counted unless its counts are too large");
		run_free(&run);
	}
	run_free(&trace);
	return 0;
}
