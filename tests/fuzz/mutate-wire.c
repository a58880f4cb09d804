/*
 * Protocol buffers without their schema: what parses as fields to its very end
 * is taken for a message. Whatever changes, the lengths of those around it
 * change with it.
 */
#include "mutate.h"

#include <stdint.h>
#include <string.h>

enum {
	MOST_FIELDS = 4096,
	MOST_DEPTH = 24,
	MOST_VARINT = 10
};

struct field {
	size_t at, body, end; /* its tag, what it holds, and its end */
	int parent;           /* -1: the message itself */
	unsigned type;
};

struct fields {
	struct field v[MOST_FIELDS];
	int n;
};

/* Moves *AT behind a varint; false when there is none before END. */
static bool
take_varint(const struct text *t, size_t *at, size_t end, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < MOST_VARINT && *at < end; i++) {
		unsigned char c = (unsigned char)t->p[(*at)++];

		*value |= (uint64_t)(c & 127) << (7 * i);
		if (c < 128)
			return true;
	}
	return false;
}

static bool
take_field(const struct text *t, size_t *at, size_t end, struct field *f)
{
	uint64_t tag, n = 0;

	f->at = *at;
	if (!take_varint(t, at, end, &tag) || tag < 8)
		return false;
	f->type = (unsigned)(tag & 7);
	f->body = *at;
	if (f->type == 0)
		return take_varint(t, at, end, &n) && (f->end = *at) != 0;
	if (f->type == 2 && !take_varint(t, at, end, &n))
		return false;
	if (f->type != 2 && f->type != 1 && f->type != 5)
		return false;
	n = f->type == 2 ? n : f->type == 1 ? 8 : 4;
	f->body = *at;
	if (n > end - *at)
		return false;
	*at += n;
	f->end = *at;
	return true;
}

/* All fields of a message and those inside of them; false when it is none. */
static bool
collect(const struct text *t, size_t at, size_t end, int parent, int depth,
    struct fields *all)
{
	int first = all->n, last;

	while (at < end) {
		struct field f = { .parent = parent };

		if (all->n == MOST_FIELDS || !take_field(t, &at, end, &f)) {
			all->n = first;
			return false;
		}
		all->v[all->n++] = f;
	}
	last = all->n;
	for (int i = first; i < last && depth < MOST_DEPTH; i++)
		if (all->v[i].type == 2 && all->v[i].end != all->v[i].body)
			collect(t, all->v[i].body, all->v[i].end, i, depth + 1,
			    all);
	return true;
}

static size_t
encode(uint64_t value, char *out)
{
	size_t n = 0;

	for (; value >= 128; value >>= 7)
		out[n++] = (char)(value | 128);
	out[n++] = (char)value;
	return n;
}

/* The length before the body of a field that grew becomes what it is now. */
static bool
grow(struct text *t, const struct fields *all, int i, long grown)
{
	while (i >= 0 && grown != 0) {
		const struct field *f = &all->v[i];
		char text[MOST_VARINT];
		size_t from = f->at, n;
		uint64_t skipped;

		take_varint(t, &from, t->n, &skipped); /* the tag */
		n = encode((uint64_t)((long)(f->end - f->body) + grown), text);
		if (!mutate_put(
			t, (struct span){ from, f->body - from }, text, n))
			return false;
		grown += (long)n - (long)(f->body - from);
		i = f->parent;
	}
	return true;
}

/* Puts bytes in the place of a span that is inside of field PARENT. */
static bool
put(struct text *t, const struct fields *all, int parent, struct span where,
    struct text bytes)
{
	/* Lengths need at most a byte more each. */
	if (t->n - where.n + bytes.n + MOST_DEPTH > t->room)
		return false;
	return mutate_put(t, where, bytes.p, bytes.n) &&
	    grow(t, all, parent, (long)bytes.n - (long)where.n);
}

static struct text
bytes_of(const struct text *t, size_t from, size_t to)
{
	return (struct text){ t->p + from, to - from, to - from };
}

static bool
change_value(struct text *t, const struct fields *all, int i, unsigned *state)
{
	static const uint64_t values[] = { 0, 1, 2, 3, 4, 7, 8, 10, 16, 64, 127,
		128, 255, 65536, 1u << 31, UINT64_C(1) << 32, INT64_MAX,
		UINT64_MAX, UINT64_MAX - 1 };
	const struct field *f = &all->v[i];
	struct span body = { f->body, f->end - f->body };
	char text[MOST_VARINT + 256];
	struct text bytes = { text, body.n, sizeof text };

	if (f->type == 0) {
		bytes.n = encode(values[mutate_next(state, 19)], text);
	} else {
		if (body.n > 256)
			return false;
		memcpy(text, t->p + body.at, body.n);
		if (!mutate_bytes(&bytes, (struct span){ 0, body.n }))
			return false;
		if (f->type != 2)
			bytes.n = body.n;
	}
	return put(t, all, f->type == 2 ? i : f->parent, body, bytes);
}

/* A field of COPY with the tag byte of F, which is in T, or any one. */
static const struct field *
alike(const struct text *t, const struct field *f, const struct text *copy,
    const struct fields *all, unsigned *state)
{
	const struct field *g = all->v;

	for (int tries = 0; tries < 16; tries++) {
		g = &all->v[mutate_next(state, (size_t)all->n)];
		if (copy->p[g->at] == t->p[f->at])
			break;
	}
	return g;
}

bool
mutate_wire(struct text *t, const struct text *copy, unsigned *state)
{
	static struct fields here, there;
	const struct field *f, *g;
	int i;

	here.n = there.n = 0;
	if (!collect(t, 0, t->n, -1, 0, &here) || here.n == 0 ||
	    !collect(copy, 0, copy->n, -1, 0, &there) || there.n == 0)
		return false;
	i = (int)mutate_next(state, (size_t)here.n);
	f = &here.v[i];
	switch (mutate_next(state, 6)) {
	case 0: /* a field goes */
		return put(t, &here, f->parent,
		    (struct span){ f->at, f->end - f->at },
		    (struct text){ t->p, 0, 0 });
	case 1: /* one comes before it */
		g = &there.v[mutate_next(state, (size_t)there.n)];
		return put(t, &here, f->parent, (struct span){ f->at, 0 },
		    bytes_of(copy, g->at, g->end));
	case 2: /* or one that looks alike, or stands in its place */
		g = alike(t, f, copy, &there, state);
		return put(t, &here, f->parent,
		    (struct span){ f->at,
			mutate_next(state, 2) == 0 ? 0 : f->end - f->at },
		    bytes_of(copy, g->at, g->end));
	default:
		return change_value(t, &here, i, state);
	}
}
