/*
 * What is between the mutators: bytes that change in place, and chance. Each
 * kind of input has its own file; mutate.c chooses.
 */
#ifndef SF_TESTS_FUZZ_MUTATE_H
#define SF_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *p;
	size_t n, room;
};

struct span {
	size_t at, n;
};

/* One of N by a generator of ours, so that a seed means the same everywhere. */
unsigned mutate_next(unsigned *state, size_t n);

/* Puts bytes in the place of a span; false when they have no room. */
bool mutate_put(struct text *t, struct span where, const char *bytes, size_t n);

/* libFuzzer's own mutation of a span of at most a few KiB. */
bool mutate_bytes(struct text *t, struct span where);

/*
 * One change each. COPY holds what T held before the first one. False when it
 * found nothing to change.
 */
bool mutate_json(struct text *t, const struct text *copy, unsigned *state);
bool mutate_lines(struct text *t, const struct text *copy, unsigned *state);

/* Operators, points and ends count what there is now. */
void mutate_count(struct text *t);

/* Protocol buffers: a field changes, and the lengths around it with it. */
bool mutate_wire(struct text *t, const struct text *copy, unsigned *state);

/* What is unpacked of a gzip stream or an entry of an archive changes. */
bool mutate_gzip(struct text *t, unsigned *state);
bool mutate_zip(struct text *t, unsigned *state);

/* Changes text or bytes as what they look like, packed bytes as bytes. */
void mutate_plain(struct text *t, unsigned *state);

#endif
