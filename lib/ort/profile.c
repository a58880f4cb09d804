/* Reading ONNX Runtime's profile. */
#include "ort/profile.h"

#include <stdlib.h>

#include "base/num.h"
#include "stream/member.h"
#include "stream/pieces.h"

/* One event as far as it matters. */
struct event {
	struct sf_str category, name;
	int64_t dur_us;
	struct sf_str op_name, provider, node_index;
};

/* A number, or its text. */
static void
read_index(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct event *event = into;

	(void)m;
	event->node_index = sf_json_peek(&r->scan) == '"'
	    ? sf_json_string(&r->scan)
	    : sf_json_skip(&r->scan);
}

static const struct sf_member arg_rows[] = {
	SF_MEMBER_STR("op_name", struct event, op_name, SF_OPTIONAL),
	SF_MEMBER_STR("provider", struct event, provider, SF_OPTIONAL),
	SF_MEMBER_CALL("node_index", SF_OPTIONAL, read_index, "a number"),
};
static const struct sf_members args = SF_MEMBERS("args", arg_rows);

static const struct sf_member event_rows[] = {
	SF_MEMBER_STR("cat", struct event, category, SF_OPTIONAL),
	SF_MEMBER_COUNT("dur", struct event, dur_us, SF_OPTIONAL),
	SF_MEMBER_STR("name", struct event, name, SF_OPTIONAL),
	SF_MEMBER_PART("args", SF_OPTIONAL, &args),
};
static const struct sf_members members = SF_MEMBERS("event", event_rows);

/* An event stands alone, so a reading of it has no stream to die with. */
static bool
read_event(struct sf_json *scan, struct event *event, struct sf_error *error)
{
	struct sf_reading r = { .scan = *scan, .error = error };

	*event = (struct event){ .dur_us = 0 };
	if (sf_json_enter(&r.scan, '{'))
		sf_members_read(&r, &members, event, 0);
	sf_json_end_line(&r.scan);
	*scan = r.scan;
	return !r.failed;
}

/* The node's name is the event's without what it measures. */
static struct sf_str
node_name(struct sf_str event)
{
	static const struct sf_str tail = SF_STR_INIT("_kernel_time");

	if (event.n > tail.n &&
	    memcmp(event.p + event.n - tail.n, tail.p, tail.n) == 0)
		event.n -= tail.n;
	return event;
}

static struct sf_str
keep(struct sf_profile *p, struct sf_str name)
{
	return sf_table_add(&p->names, name)->name;
}

/*
 * Bodies of control flow number their nodes anew, so a node is known by all
 * that is said of it.
 */
static struct sf_profile_node *
find_node(struct sf_profile *p, const struct event *event, struct sf_buf *key)
{
	const struct sf_str parts[] = { event->node_index,
		node_name(event->name), event->op_name, event->provider };
	struct sf_profile_node *node;
	struct sf_entry *e;

	key->n = 0;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		sf_buf_put(key, parts[i].p, parts[i].n);
		sf_buf_putc(key, '\0');
	}
	e = sf_table_add(&p->nodes, (struct sf_str){ key->p, key->n });
	if (e->ptr != NULL)
		return e->ptr;
	node = e->ptr = sf_arena_calloc(p->arena, 1, sizeof *node);
	node->index = keep(p, parts[0]);
	node->node = keep(p, parts[1]);
	node->type = keep(p, parts[2]);
	node->provider = keep(p, parts[3]);
	return node;
}

/* False when a sum passes 2^63 - 1. */
static bool
add_event(struct sf_profile *p, const struct event *event, struct sf_buf *key)
{
	struct sf_profile_node *node;

	/* Fences and other marks around a node name no provider. */
	if (!sf_str_is(event->category, "Node") || event->provider.n == 0)
		return true;
	node = find_node(p, event, key);
	node->runs++;
	return sf_add(node->dur_us, event->dur_us, &node->dur_us);
}

/* ---- counts ---- */

static int
compare_text(struct sf_str a, struct sf_str b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static int
by_provider_and_type(const void *a, const void *b)
{
	const struct sf_profile_count *x = a, *y = b;
	int order = compare_text(x->provider, y->provider);

	return order != 0 ? order : compare_text(x->type, y->type);
}

static bool
count_nodes(struct sf_profile *p)
{
	size_t n = p->nodes.n, kept = 0;
	struct sf_profile_count *counts =
	    sf_arena_calloc(p->arena, n + 1, sizeof *counts);

	for (size_t i = 0; i < n; i++) {
		const struct sf_profile_node *node = p->nodes.order[i]->ptr;

		counts[i] = (struct sf_profile_count){ node->provider,
			node->type, 1, node->runs, node->dur_us };
	}
	qsort(counts, n, sizeof *counts, by_provider_and_type);
	for (size_t i = 0; i < n; i++) {
		struct sf_profile_count *last = &counts[kept - (kept != 0)];

		if (kept == 0 || by_provider_and_type(last, &counts[i]) != 0) {
			counts[kept++] = counts[i];
			continue;
		}
		last->nodes++;
		last->runs += counts[i].runs;
		if (!sf_add(last->dur_us, counts[i].dur_us, &last->dur_us))
			return false;
	}
	p->counts = counts;
	p->ncounts = kept;
	return true;
}

/* ---- all of it ---- */

static bool
read_events(
    struct sf_profile *p, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	const char *name = sf_input_name(pieces->input);
	struct sf_buf key = { 0 };
	struct sf_json scan;
	struct sf_error why;
	struct event event;

	while (sf_pieces_element(pieces, &scan, arena, error)) {
		long long line = (long long)pieces->lineno;

		p->events++;
		if (!sf_utf8_valid(pieces->text.p, pieces->text.n)) {
			sf_fail(error, "%s:%lld: the event is not UTF-8", name,
			    line);
			break;
		}
		if (!read_event(&scan, &event, &why))
			scan.error = why.text;
		else if (scan.error == NULL && !add_event(p, &event, &key))
			scan.error = "durations pass 2^63 - 1";
		if (scan.error != NULL) {
			sf_fail(error, "%s:%lld: event %lld: %s", name, line,
			    (long long)p->events, scan.error);
			break;
		}
		sf_arena_reset(arena);
	}
	sf_buf_release(&key);
	sf_arena_free(arena);
	return error->text[0] == '\0';
}

bool
sf_profile_read(
    struct sf_profile *p, struct sf_input *input, struct sf_error *error)
{
	struct sf_pieces pieces;
	bool whole;

	*p = (struct sf_profile){ .arena = sf_arena_new() };
	sf_table_init(&p->names, p->arena);
	sf_table_init(&p->nodes, p->arena);
	whole = sf_pieces_open(&pieces, input, error) && pieces.open == '[';
	if (whole)
		whole = read_events(p, &pieces, error);
	else
		sf_fail(error, "%s:%lld: expected a JSON array, as in '[{'",
		    sf_input_name(input), (long long)pieces.line);
	sf_pieces_release(&pieces);
	if (!whole)
		return false;
	if (p->nodes.n == 0)
		return sf_fail(error,
		    "%s: none of the %lld events says which provider ran a "
		    "node, expected a profile of ONNX Runtime",
		    sf_input_name(input), (long long)p->events);
	return count_nodes(p) ||
	    sf_fail(error, "%s: durations pass 2^63 - 1", sf_input_name(input));
}

void
sf_profile_release(struct sf_profile *p)
{
	sf_table_release(&p->names);
	sf_table_release(&p->nodes);
	sf_arena_free(p->arena);
}
