/* sf-rules - count the FLOPs and bytes of each operator. */
#include "base/write.h"
#include "rules/count.h"
#include "rules/record.h"
#include "simfront.h"

/* What every count follows; see simfront-rules(5). */
static const char conventions[] =
    "{\"multiply_add_flops\":2,\"attention\":\"unmasked\","
    "\"bytes\":\"unfused\"}";

static void
load_rules(struct sf_stream *stream, struct sf_rulebook *book,
    const struct sf_list *paths)
{
	struct sf_table replaced;

	sf_table_init(&replaced, sf_stream_arena(stream));
	sf_rules_load(stream, book, paths, &replaced);
	sf_rules_put_replaced(stream, &replaced);
	sf_table_release(&replaced);
}

static int
list_rules(struct sf_stream *stream, struct sf_rulebook *book)
{
	struct sf_buf out = { 0 };

	sf_rulebook_list(book, &out);
	sf_rulebook_release(book);
	sf_stream_drop(stream);
	sf_write_all(1, out.p, out.n);
	sf_buf_release(&out);
	sf_close_stdout();
	return SF_EX_OK;
}

static int
count_stream(
    struct sf_stream *stream, struct sf_rulebook *book, bool why, bool strict)
{
	struct sf_counter counter;
	struct sf_op op;

	sf_counter_init(&counter, book, sf_stream_arena(stream));
	counter.why = why;
	while (sf_stream_next_op(stream, &op))
		sf_counter_count(&counter, stream, &op);
	if (strict && !sf_counter_complete(&counter)) {
		sf_counter_complain(&counter);
		sf_stream_say_no(stream);
	} else {
		sf_counter_summarise(&counter);
	}
	sf_counter_release(&counter);
	sf_rulebook_release(book);
	return sf_stream_close(stream);
}

int
main(int argc, char *argv[])
{
	struct sf_list paths = { 0 };
	bool list = false, strict = false, why = false;
	const struct sf_opt opts[] = {
		SF_OPT_PATHS('r', "rules", &paths, "FILE",
		    "add the rules in FILE (may be repeated)"),
		SF_OPT_FLAG('s', "strict", &strict,
		    "exit 1 when an operator could not be counted"),
		SF_OPT_FLAG('w', "why", &why,
		    "add to each operator its formula with its numbers"),
		SF_OPT_FLAG('l', "list", &list, "print all rules and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-rules",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Count the FLOPs and bytes of each operator.",
		.opts = opts },
	    argc, argv);
	struct sf_rulebook *book = sf_rulebook_new(sf_stream_arena(stream));

	if (list &&
	    (strict || why || sf_stream_cmdline(stream)->noperands != 0))
		sf_die(SF_EX_USAGE,
		    "'--list' reads no trace, expected no other option than "
		    "'--rules' and no file");
	load_rules(stream, book, &paths);
	if (list)
		return list_rules(stream, book);
	sf_stream_add_tool_member(
	    stream, "conventions", sf_str_of(conventions));
	return count_stream(stream, book, why, strict);
}
