/*
 * hold N - a filter that holds each op back until N more were read, and adds
 * to it what it learned from the last of them; what is no op waits behind the
 * op before it. Run with a stream by tests/unit.bats.
 */
#include "stream/hold.h"

#include <stdio.h>

#include "simfront.h"

/* Lets the earliest op go; I is the op that was read last. */
static void
let_go(struct sf_hold *hold, int64_t i)
{
	struct sf_held *first = sf_hold_first(hold);
	struct sf_jsonw members = { 0 };
	char line[80];
	int n = snprintf(line, sizeof line, "{\"kind\":\"acme\",\"of\":%lld}\n",
	    (long long)first->tag);

	if (first->tag % 3 != 0)
		sf_buf_put(&first->added, line, (size_t)n);
	sf_jsonw_kint(&members, "until", i);
	sf_jsonw_kint(&members, "tag", first->tag);
	sf_hold_go(hold, &members);
	sf_buf_release(&members.buf);
}

int
main(int argc, char *argv[])
{
	int64_t most = 0, i = 0;
	const struct sf_opt opts[] = {
		SF_OPT_INT(
		    'm', "most", &most, 0, 1000000, "N", "operators that wait"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){
		.name = "hold", .summary = "Hold back.", .opts = opts },
	    argc, argv);
	struct sf_hold hold;
	enum sf_kind kind;

	sf_hold_init(&hold, stream);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF) {
		if (kind == SF_K_OP) {
			i = sf_stream_ops(stream);
			sf_hold_add(&hold, i);
			while (hold.n > (size_t)most)
				let_go(&hold, i);
		} else if (kind == SF_K_END) {
			while (hold.n != 0)
				let_go(&hold, i);
		} else if (kind != SF_K_BODY) {
			sf_hold_follow(&hold);
		}
	}
	sf_hold_release(&hold);
	return sf_stream_close(stream);
}
