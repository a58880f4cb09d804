/* Shares of a sweep, side by side. */
#include "sweep/merge.h"

#include <string.h>

#include "base/die.h"
#include "base/num.h"
#include "stream/input.h"
#include "stream/json.h"
#include "stream/tool.h"
#include "sweep/head.h"

struct share {
	struct sf_input *input;
	struct sf_arena *arena; /* of the line that is read */
	struct sf_str line;     /* the next one; its LF follows */
	bool there;             /* there is one */
	int64_t i;              /* of a point; -1 of other lines */
	struct sf_buf head;     /* of the trace, without its share */
	size_t tools_end;
	struct sf_shard shard;
	int64_t points, dropped;
};

struct merge {
	struct sf_stream *stream;
	struct share *shares;
	int n;
};

static SF_NORETURN void
die_at(const struct share *s, const char *text)
{
	sf_die(SF_EX_INPUT, "%s:%lld: %s", sf_input_name(s->input),
	    (long long)sf_input_lineno(s->input), text);
}

/* The kind of the line is that, as programs write it. */
static bool
is_kind(const struct share *s, enum sf_kind kind)
{
	static const char begin[] = "{\"kind\":\"";
	const char *name = sf_kind_name(kind);
	size_t n = strlen(name), at = sizeof begin - 1;

	return s->there && s->line.n > at + n &&
	    memcmp(s->line.p, begin, at) == 0 &&
	    memcmp(s->line.p + at, name, n) == 0 && s->line.p[at + n] == '"';
}

/* The count KEY of the line; -1 where there is none. */
static int64_t
count_of(const struct share *s, const char *key)
{
	struct sf_json scan = {
		.p = s->line.p, .start = s->line.p, .arena = s->arena
	};
	struct sf_str name;
	int64_t found = -1;

	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &name)) {
		if (sf_str_is(name, key))
			found = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	}
	if (!sf_json_end_line(&scan))
		die_at(s, scan.error);
	return found;
}

static void
next_line(struct share *s)
{
	sf_arena_reset(s->arena);
	s->there = sf_input_line(s->input, &s->line);
	s->i = -1;
	if (!s->there)
		return;
	if (!sf_utf8_valid(s->line.p, s->line.n))
		die_at(s, "the line is not UTF-8");
	if (is_kind(s, SF_K_POINT)) {
		s->i = count_of(s, "i");
		if (s->i < 0)
			die_at(s, "point: 'i' is missing, expected a count");
	}
}

/* Reads the head of the next trace; false at the end of the file. */
static bool
read_head(struct share *s)
{
	if (!s->there)
		return false;
	if (!is_kind(s, SF_K_TRACE))
		die_at(s, "a record outside a trace, expected a 'trace'");
	s->head.n = 0;
	s->shard = (struct sf_shard){ 1, 1 };
	s->points = s->dropped = 0;
	while (s->there && !is_kind(s, SF_K_POINT) && !is_kind(s, SF_K_END)) {
		bool tool = is_kind(s, SF_K_TRACE) || is_kind(s, SF_K_TOOL);
		struct sf_str line = { s->line.p, s->line.n + 1 };

		if (is_kind(s, SF_K_OP))
			die_at(s,
			    "an op, expected a trace of points from sf-sweep");
		count_of(s, "");
		sf_head_put_tool(&s->head, line, &s->shard);
		if (tool)
			s->tools_end = s->head.n;
		next_line(s);
	}
	return true;
}

/* All files begin a trace of one head; false when all of them end. */
static bool
read_heads(struct merge *m)
{
	bool any = read_head(&m->shares[0]);

	for (int k = 1; k < m->n; k++) {
		struct share *s = &m->shares[k], *first = &m->shares[0];

		if (read_head(s) != any)
			sf_die(SF_EX_INPUT, "%s: has not as many traces as %s",
			    sf_input_name(s->input),
			    sf_input_name(first->input));
		if (any &&
		    (s->head.n != first->head.n ||
			memcmp(s->head.p, first->head.p, s->head.n) != 0))
			sf_die(SF_EX_INPUT,
			    "%s: its head differs from that of %s, expected "
			    "shares of one sweep",
			    sf_input_name(s->input),
			    sf_input_name(first->input));
	}
	return any;
}

/* Each share is there once. */
static void
check_shards(const struct merge *m)
{
	int64_t n = m->shares[0].shard.n;

	for (int k = 0; k < m->n; k++)
		if (m->shares[k].shard.n != n)
			sf_die(SF_EX_INPUT,
			    "%s: is a share of %lld, expected one of %lld as "
			    "%s",
			    sf_input_name(m->shares[k].input),
			    (long long)m->shares[k].shard.n, (long long)n,
			    sf_input_name(m->shares[0].input));
	for (int64_t i = 1; i <= n; i++) {
		int found = 0;

		for (int k = 0; k < m->n; k++)
			found += m->shares[k].shard.i == i;
		if (found != 1)
			sf_die(SF_EX_INPUT, "share %lld/%lld is %s",
			    (long long)i, (long long)n,
			    found == 0 ? "missing" : "there twice");
	}
}

/* A share has come to its end: what that says is what was there. */
static void
end_share(struct share *s)
{
	int64_t points;

	if (!s->there)
		die_at(s,
		    "the input ends inside a trace, expected its 'end' "
		    "record");
	if (!is_kind(s, SF_K_END))
		die_at(s,
		    "a record behind a point, expected a point or "
		    "the 'end'");
	points = count_of(s, "points");
	if ((points < 0 ? 0 : points) != s->points || count_of(s, "ops") != 0)
		die_at(s,
		    "the end record counts other points than there are: the "
		    "trace is not whole");
	s->dropped = count_of(s, "dropped");
	if (s->dropped < 0)
		s->dropped = 0;
	next_line(s);
}

/* The share that has the least index, NULL when all points were taken. */
static struct share *
least(const struct merge *m)
{
	struct share *found = NULL;

	for (int k = 0; k < m->n; k++) {
		struct share *s = &m->shares[k];

		if (s->i >= 0 && (found == NULL || s->i < found->i))
			found = s;
	}
	return found;
}

static void
put_points(struct merge *m, int64_t *points)
{
	int64_t last = -1;

	for (struct share *s; (s = least(m)) != NULL; (*points)++) {
		if (s->i <= last)
			sf_die(SF_EX_INPUT, "%s:%lld: point %lld is %s",
			    sf_input_name(s->input),
			    (long long)sf_input_lineno(s->input),
			    (long long)s->i,
			    s->i == last ? "there twice"
					 : "behind a later one");
		last = s->i;
		sf_stream_put_lines(m->stream,
		    (struct sf_buf){ (char *)(uintptr_t)s->line.p,
			s->line.n + 1, s->line.n + 1 });
		s->points++;
		next_line(s);
	}
}

static void
merge_trace(struct merge *m)
{
	const struct share *first = &m->shares[0];
	size_t at = first->tools_end;
	int64_t points = 0, dropped = 0;
	struct sf_jsonw *w;

	sf_stream_put_lines(
	    m->stream, (struct sf_buf){ first->head.p, at, at });
	sf_stream_put_tool(m->stream);
	sf_stream_put_lines(m->stream,
	    (struct sf_buf){
		first->head.p + at, first->head.n - at, first->head.n - at });
	put_points(m, &points);
	for (int k = 0; k < m->n; k++) {
		end_share(&m->shares[k]);
		dropped += m->shares[k].dropped;
	}
	w = sf_stream_record(m->stream, SF_K_END);
	sf_jsonw_kint(w, "ops", 0);
	sf_jsonw_kint(w, "points", points);
	if (dropped != 0)
		sf_jsonw_kint(w, "dropped", dropped);
	sf_stream_put(m->stream);
}

void
sf_points_merge(struct sf_stream *stream)
{
	const struct sf_cmdline *line = sf_stream_cmdline(stream);
	int n = line->noperands != 0 ? line->noperands : 1;
	struct merge m = { .stream = stream,
		.shares = sf_arena_calloc(
		    sf_stream_arena(stream), (size_t)n, sizeof *m.shares),
		.n = n };
	int64_t traces = 0;

	for (int k = 0; k < n; k++) {
		struct share *s = &m.shares[k];

		s->input = sf_input_open(
		    line->noperands != 0 ? line->operands[k] : "-");
		s->arena = sf_arena_new();
		next_line(s);
	}
	for (; read_heads(&m); traces++) {
		check_shards(&m);
		merge_trace(&m);
	}
	if (traces == 0)
		sf_input_no_trace(m.shares[0].input, -1);
	for (int k = 0; k < n; k++) {
		sf_input_close(m.shares[k].input);
		sf_arena_free(m.shares[k].arena);
		sf_buf_release(&m.shares[k].head);
	}
	sf_stream_flush(stream);
}
