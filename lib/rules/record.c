/* The user's rules in the tool record. */
#include "rules/record.h"

#include "rules/rulefile.h"

void
sf_rules_load(struct sf_stream *stream, struct sf_rulebook *book,
    const struct sf_list *paths, struct sf_table *replaced)
{
	for (size_t i = 0; i < paths->n; i++)
		sf_stream_add_input(stream, paths->v[i],
		    sf_rulefile_load(
			book, paths->v[i], sf_stream_arena(stream), replaced));
}

void
sf_rules_put_replaced(struct sf_stream *stream, const struct sf_table *replaced)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_jsonw names = { 0 };

	if (replaced->n == 0)
		return;
	sf_jsonw_open(&names, '[');
	for (size_t i = 0; i < replaced->n; i++)
		sf_jsonw_str(&names, replaced->order[i]->name);
	sf_jsonw_close(&names, ']');
	sf_stream_add_tool_member(stream, "replaced_rules",
	    (struct sf_str){ sf_arena_strndup(arena, names.buf.p, names.buf.n),
		names.buf.n });
	sf_buf_release(&names.buf);
}
