/* A filter that reads each operator and writes what it read, and no more. */
#include "simfront.h"

#include <string.h>

#include "stages.h"

static int
copy_main(int argc, char *argv[])
{
	const struct sf_opt opts[] = { SF_OPT_END };
	struct sf_stream *stream =
	    sf_filter_open(&(struct sf_tool){ .name = "sf-copy",
			       .summary = "Write what was read.",
			       .opts = opts },
		argc, argv);
	struct sf_buf read = { 0 };
	struct sf_op op;

	while (sf_stream_next_op(stream, &op)) {
		sf_op_put(stream, &op);
		sf_stream_take(stream, &read);
		read.n = 0;
	}
	sf_buf_release(&read);
	return sf_stream_close(stream);
}

struct run
stage_copy(struct bytes in, int may)
{
	return run_program(
	    "copy", copy_main, in, may, (const char *const[]){ NULL });
}

static bool
begins(struct bytes line, const char *text)
{
	size_t n = strlen(text);

	return line.n >= n && memcmp(line.p, text, n) == 0;
}

/*
 * The next line of IN that is an operator, or may be one written with white
 * space, without its LF; empty at the end.
 */
static struct bytes
next_op(struct bytes *in)
{
	struct bytes line;

	while (in->n != 0) {
		const char *lf = memchr(in->p, '\n', in->n);

		line = (struct bytes){ in->p, (size_t)(lf - in->p) };
		in->p += line.n + 1;
		in->n -= line.n + 1;
		if (begins(line, "{\"kind\":\"op\"") ||
		    !begins(line, "{\"kind\":\""))
			return line;
	}
	return (struct bytes){ in->p, 0 };
}

bool
same_ops(struct bytes a, struct bytes b)
{
	struct bytes line;

	do {
		line = next_op(&a);
		if (!same(line, next_op(&b)))
			return false;
	} while (line.n != 0);
	return true;
}

/* What sf-rules has added to an operator, which stands behind all else. */
static struct bytes
counts_of(struct bytes line)
{
	static const char key[] = ",\"category\":";

	/* White space behind a record is passed on, and not written again. */
	while (line.n != 0 && strchr(" \t\r", line.p[line.n - 1]) != NULL)
		line.n--;
	while (line.n >= sizeof key) {
		const char *at =
		    memmem(line.p + 1, line.n - 1, key, sizeof key - 1);

		if (at == NULL)
			break;
		line.n -= (size_t)(at - line.p);
		line.p = at;
	}
	return line;
}

bool
same_counts(struct bytes a, struct bytes b)
{
	struct bytes line;

	do {
		line = next_op(&a);
		if (!same(counts_of(line), counts_of(next_op(&b))))
			return false;
	} while (line.n != 0);
	return true;
}
