/* Programs that answer a question about themselves instead of a stream. */
#include "base/write.h"
#include "stream/stream.h"

void
sf_stream_ask(struct sf_stream *stream, const char *option)
{
	const struct sf_cmdline *line = sf_stream_cmdline(stream);

	if (line->nargs != 1 || line->noperands != 0)
		sf_die(SF_EX_USAGE,
		    "'%s' stands alone, expected no other option and no "
		    "operand",
		    option);
}

int
sf_stream_answer(struct sf_stream *stream, struct sf_buf *text)
{
	sf_write_all(1, text->p, text->n);
	sf_buf_release(text);
	sf_close_stdout();
	sf_stream_drop(stream);
	return SF_EX_OK;
}
