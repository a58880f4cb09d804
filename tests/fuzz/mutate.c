/*
 * Changes an input by what it looks like, so that what comes out is still read
 * to the end: lengths, counts and checksums are right. Now and then libFuzzer's
 * own mutations have it as it is.
 */
#include "mutate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_BYTES = 4096 /* of a span that libFuzzer changes */
};

/* libFuzzer has it; the replay never mutates. */
__attribute__((weak)) size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
    const uint8_t *other, size_t n, uint8_t *out, size_t room, unsigned seed);

unsigned
mutate_next(unsigned *state, size_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (*state >> 8) % (unsigned)n;
}

bool
mutate_put(struct text *t, struct span where, const char *bytes, size_t n)
{
	if (t->n - where.n + n > t->room)
		return false;
	memmove(t->p + where.at + n, t->p + where.at + where.n,
	    t->n - where.at - where.n);
	if (n != 0)
		memcpy(t->p + where.at, bytes, n);
	t->n += n - where.n;
	return true;
}

bool
mutate_bytes(struct text *t, struct span where)
{
	uint8_t bytes[MOST_BYTES];
	size_t n = where.n;

	if (n > MOST_BYTES || LLVMFuzzerMutate == NULL)
		return false;
	memcpy(bytes, t->p + where.at, n);
	n = LLVMFuzzerMutate(bytes, n, n + 32 < MOST_BYTES ? n + 32 : n);
	return mutate_put(t, where, (char *)bytes, n);
}

static bool
is_text(const struct text *t)
{
	return t->n != 0 && memchr(t->p, '\0', t->n) == NULL &&
	    memchr(t->p, '\n', t->n) != NULL;
}

static struct text
copy_of(const struct text *t)
{
	struct text copy = { malloc(t->n + 1), t->n, t->n };

	if (copy.p == NULL)
		abort();
	memcpy(copy.p, t->p, t->n);
	return copy;
}

typedef bool
change_of(struct text *t, const struct text *copy, unsigned *state);

static bool
change_some(struct text *t, change_of *change, unsigned *state)
{
	struct text copy = copy_of(t);
	unsigned n = 1 + mutate_next(state, 3);
	bool changed = false;

	while (n-- != 0 && t->n > 4)
		changed |= change(t, &copy, state);
	free(copy.p);
	return changed;
}

/* Counts are right afterwards, more often than not. */
static bool
change_json(struct text *t, unsigned *state)
{
	bool changed = change_some(t, mutate_json, state);

	if (mutate_next(state, 16) != 0)
		mutate_count(t);
	return changed;
}

static void
change_any(struct text *t)
{
	if (LLVMFuzzerMutate != NULL)
		t->n = LLVMFuzzerMutate((uint8_t *)t->p, t->n, t->room);
}

void
mutate_plain(struct text *t, unsigned *state)
{
	bool changed = false;

	if (t->p[0] == '{' || t->p[0] == '[')
		changed = change_json(t, state);
	else if (is_text(t) && mutate_next(state, 2) == 0)
		changed = change_some(t, mutate_lines, state);
	else if (!is_text(t) && mutate_next(state, 3) != 0)
		changed = change_some(t, mutate_wire, state);
	if (!changed)
		change_any(t);
}

static void
mutate_any(struct text *t, unsigned *state)
{
	bool changed = true;

	if (t->n < 4 || mutate_next(state, 8) == 0)
		changed = false;
	else if (memcmp(t->p, "\x1f\x8b", 2) == 0)
		changed = mutate_gzip(t, state);
	else if (memcmp(t->p, "PK\3\4", 4) == 0)
		changed = mutate_zip(t, state);
	else
		mutate_plain(t, state);
	if (!changed)
		change_any(t);
}

/* Where a command's input begins. */
static size_t
begins(const uint8_t *data, size_t size)
{
	const uint8_t *lf = size < 4 || memcmp(data, "sf-", 3) != 0
	    ? NULL
	    : memchr(data, '\n', size);

	return lf == NULL ? 0 : (size_t)(lf + 1 - data);
}

/* A command has a line of its own, which more words are put into. */
static bool
mutate_command(struct text *t, unsigned *state)
{
	size_t at = begins((uint8_t *)t->p, t->n);
	struct text rest;

	if (at == 0)
		return false;
	if (mutate_next(state, 3) == 0)
		return mutate_bytes(t, (struct span){ 0, at - 1 });
	rest = (struct text){ t->p + at, t->n - at, t->room - at };
	mutate_any(&rest, state);
	t->n = at + rest.n;
	return true;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	struct text text = { (char *)data, size, room };
	unsigned state = seed;

	if (!mutate_command(&text, &state))
		mutate_any(&text, &state);
	return text.n;
}

/* Members, lines and fields of the other come into the first. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
    const uint8_t *other, size_t n, uint8_t *out, size_t room, unsigned seed)
{
	size_t at = begins(data, size), from = begins(other, n);
	struct text text = { (char *)out + at, size - at, room - at };
	struct text copy = { (char *)(uintptr_t)other + from, n - from,
		n - from };
	unsigned state = seed, changes = 1 + mutate_next(&state, 4);
	bool json;

	if (size > room || text.n < 4 || copy.n < 4)
		return 0;
	memcpy(out, data, size);
	json = text.p[0] == '{' || text.p[0] == '[';
	if (json != (copy.p[0] == '{' || copy.p[0] == '['))
		return 0;
	while (changes-- != 0 && text.n > 4)
		if (json)
			mutate_json(&text, &copy, &state);
		else if (is_text(&text) && is_text(&copy))
			mutate_lines(&text, &copy, &state);
		else
			mutate_wire(&text, &copy, &state);
	if (json)
		mutate_count(&text);
	return at + text.n;
}
