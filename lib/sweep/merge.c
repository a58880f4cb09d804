/* Shares of a sweep, side by side. */
#include "sweep/merge.h"

#include <string.h>

#include "base/die.h"
#include "stream/trace.h"
#include "sweep/head.h"
#include "sweep/point-record.h"

struct share {
	struct sf_stream *stream;
	enum sf_kind kind;  /* of the record that is read */
	int64_t i;          /* of a point; -1 of other records */
	struct sf_buf head; /* of the trace, without its share */
	size_t tools_end;
	struct sf_shard shard;
	int64_t dropped;
};

struct merge {
	struct sf_stream *stream;
	struct share *shares;
	int n;
	struct sf_buf line;
};

static const char *
name_of(const struct share *s)
{
	return sf_stream_name(s->stream);
}

static void
next_record(struct share *s)
{
	struct sf_point point;

	do
		s->kind = sf_stream_next(s->stream);
	while (s->kind == SF_K_BODY);
	s->i = -1;
	if (s->kind != SF_K_POINT)
		return;
	sf_point_read(s->stream, &point);
	sf_point_numbers(s->stream, NULL, 0, NULL);
	s->i = point.i;
}

/* Reads the head of the next trace; false at the end of the file. */
static bool
read_head(struct share *s, struct sf_buf *line)
{
	if (s->kind == SF_K_EOF)
		return false;
	s->head.n = 0;
	s->shard = (struct sf_shard){ 1, 1 };
	s->dropped = 0;
	while (s->kind != SF_K_POINT && s->kind != SF_K_END) {
		bool tool = s->kind == SF_K_TRACE || s->kind == SF_K_TOOL;

		if (s->kind == SF_K_OP)
			sf_stream_die(s->stream,
			    "an op, expected a trace of points from sf-sweep");
		line->n = 0;
		sf_stream_take(s->stream, line);
		sf_head_put_tool(
		    &s->head, (struct sf_str){ line->p, line->n }, &s->shard);
		if (tool)
			s->tools_end = s->head.n;
		next_record(s);
	}
	return true;
}

/* All files begin a trace of one head; false when all of them end. */
static bool
read_heads(struct merge *m)
{
	bool any = read_head(&m->shares[0], &m->line);

	for (int k = 1; k < m->n; k++) {
		struct share *s = &m->shares[k], *first = &m->shares[0];

		if (read_head(s, &m->line) != any)
			sf_die(SF_EX_INPUT, "%s: has not as many traces as %s",
			    name_of(s), name_of(first));
		if (any &&
		    (s->head.n != first->head.n ||
			memcmp(s->head.p, first->head.p, s->head.n) != 0))
			sf_die(SF_EX_INPUT,
			    "%s: its head differs from that of %s, expected "
			    "shares of one sweep",
			    name_of(s), name_of(first));
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
			    name_of(&m->shares[k]),
			    (long long)m->shares[k].shard.n, (long long)n,
			    name_of(&m->shares[0]));
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

/* A share has come to its end. */
static void
end_share(struct share *s)
{
	struct sf_end end;

	if (s->kind != SF_K_END)
		sf_stream_die(s->stream,
		    "a record behind a point, expected a point or the 'end'");
	sf_end_read(s->stream, &end);
	s->dropped = end.dropped;
	next_record(s);
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
			sf_stream_die(s->stream, "point %lld is %s",
			    (long long)s->i,
			    s->i == last ? "there twice"
					 : "behind a later one");
		last = s->i;
		m->line.n = 0;
		sf_stream_take(s->stream, &m->line);
		sf_stream_put_lines(m->stream, m->line);
		next_record(s);
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

		s->stream = sf_stream_beside(
		    stream, line->noperands != 0 ? line->operands[k] : "-");
		next_record(s);
	}
	for (; read_heads(&m); traces += n) {
		check_shards(&m);
		merge_trace(&m);
	}
	sf_stream_check_traces(
	    stream, sf_stream_name(m.shares[n - 1].stream), traces);
	for (int k = 0; k < n; k++) {
		sf_stream_drop(m.shares[k].stream);
		sf_buf_release(&m.shares[k].head);
	}
	sf_buf_release(&m.line);
	sf_stream_flush(stream);
}
