/* Records that wait: a ring, whose buffers are used again. */
#include "stream/hold.h"

#include <stdlib.h>

enum {
	FIRST_ROOM = 16
}; /* a power of two */

void
sf_hold_init(struct sf_hold *h, struct sf_stream *stream)
{
	*h = (struct sf_hold){ .stream = stream, .room = FIRST_ROOM };
	h->held = sf_malloc(FIRST_ROOM * sizeof(*h->held));
	memset(h->held, 0, FIRST_ROOM * sizeof(*h->held));
}

void
sf_hold_release(struct sf_hold *h)
{
	for (size_t i = 0; i < h->room; i++) {
		sf_buf_release(&h->held[i].line);
		sf_buf_release(&h->held[i].added);
		sf_buf_release(&h->held[i].behind);
	}
	free(h->held);
	sf_buf_release(&h->lines);
	*h = (struct sf_hold){ 0 };
}

static struct sf_held *
held_at(struct sf_hold *h, size_t i)
{
	return &h->held[(h->begin + i) & (h->room - 1)];
}

static void
grow(struct sf_hold *h)
{
	struct sf_held *more =
	    sf_reallocarray(NULL, 2 * h->room, sizeof(*more));

	memset(more, 0, 2 * h->room * sizeof(*more));
	for (size_t i = 0; i < h->n; i++)
		more[i] = *held_at(h, i);
	free(h->held);
	h->held = more;
	h->begin = 0;
	h->room *= 2;
}

void
sf_hold_add(struct sf_hold *h, int64_t tag)
{
	struct sf_held *held;

	if (h->n == h->room)
		grow(h);
	held = held_at(h, h->n++);
	held->tag = tag;
	sf_stream_take(h->stream, &held->line);
}

void
sf_hold_follow(struct sf_hold *h)
{
	if (h->n != 0)
		sf_stream_take(h->stream, &held_at(h, h->n - 1)->behind);
}

struct sf_held *
sf_hold_first(struct sf_hold *h)
{
	if (h->n == 0)
		sf_bug("no record waits");
	return held_at(h, 0);
}

void
sf_hold_go(struct sf_hold *h, const struct sf_jsonw *members)
{
	struct sf_held *first = held_at(h, 0);
	struct sf_buf *line = &first->line, *lines = &h->lines;
	size_t brace = line->n;

	while (line->p[--brace] != '}')
		;
	/* In one piece, so that no part of a line is ever written alone. */
	lines->n = 0;
	sf_buf_put(lines, line->p, brace);
	sf_buf_putc(lines, ',');
	sf_buf_put(lines, members->buf.p, members->buf.n);
	sf_buf_put(lines, line->p + brace, line->n - brace);
	sf_buf_put(lines, first->added.p, first->added.n);
	sf_buf_put(lines, first->behind.p, first->behind.n);
	sf_stream_put_lines(h->stream, *lines);
	line->n = first->added.n = first->behind.n = 0;
	h->n--;
	/* An empty ring begins anew, so that the same buffers are used again. */
	h->begin = h->n != 0 ? (h->begin + 1) & (h->room - 1) : 0;
}
