/*
 * An entry of an archive changes, or how it is packed; the checksums, sizes and
 * places are right again. What stands between the entries is not kept.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mutate.h"

enum {
	MOST_ENTRIES = 64,
	MOST_PLAIN = 1 << 17,
	LOCAL = 30, /* bytes of a header without its name */
	CENTRAL = 46,
	END = 22
};

struct entry {
	const char *name, *packed;
	size_t name_n, packed_n, n;
	uint32_t crc;
	unsigned method; /* 0: stored, 8: deflated */
};

struct archive {
	struct entry v[MOST_ENTRIES];
	int n;
};

static size_t
number(const char *p, int bytes)
{
	size_t x = 0;

	while (bytes-- != 0)
		x = x << 8 | (unsigned char)p[bytes];
	return x;
}

/* An entry of the directory, whose record is at AT. */
static bool
take_entry(const struct text *t, size_t *at, struct entry *e)
{
	const char *p = t->p + *at;
	size_t local, body;

	if (t->n - *at < CENTRAL || memcmp(p, "PK\1\2", 4) != 0)
		return false;
	*e = (struct entry){ .name = p + CENTRAL,
		.name_n = number(p + 28, 2),
		.packed_n = number(p + 20, 4),
		.n = number(p + 24, 4),
		.crc = (uint32_t)number(p + 16, 4),
		.method = (unsigned)number(p + 10, 2) };
	local = number(p + 42, 4);
	*at += CENTRAL + e->name_n + number(p + 30, 2) + number(p + 32, 2);
	if (*at > t->n || local > t->n || t->n - local < LOCAL)
		return false;
	body = local + LOCAL + number(t->p + local + 26, 2) +
	    number(t->p + local + 28, 2);
	e->packed = t->p + body;
	return body <= t->n && e->packed_n <= t->n - body &&
	    (e->method == 0 || e->method == 8);
}

static bool
take_archive(const struct text *t, struct archive *a)
{
	size_t at = t->n, entries;

	a->n = 0;
	if (t->n < END)
		return false;
	for (at = t->n - END; memcmp(t->p + at, "PK\5\6", 4) != 0; at--)
		if (at == 0)
			return false;
	entries = number(t->p + at + 10, 2);
	at = number(t->p + at + 16, 4);
	if (entries == 0 || entries > MOST_ENTRIES || at > t->n)
		return false;
	while ((size_t)a->n < entries)
		if (!take_entry(t, &at, &a->v[a->n++]))
			return false;
	return true;
}

static bool
unpack(const struct entry *e, struct text *plain)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)e->packed,
		.avail_in = (uInt)e->packed_n,
		.next_out = (Bytef *)plain->p,
		.avail_out = (uInt)plain->room };
	int end;

	plain->n = e->packed_n;
	if (e->packed_n > plain->room)
		return false;
	if (e->method == 0) {
		memcpy(plain->p, e->packed, e->packed_n);
		return true;
	}
	if (inflateInit2(&z, -15) != Z_OK)
		return false;
	end = inflate(&z, Z_FINISH);
	plain->n = z.total_out;
	inflateEnd(&z);
	return end == Z_STREAM_END;
}

/* Stored, or deflated into ROOM. */
static bool
pack(const struct text *plain, struct text *room, struct entry *e, int level)
{
	z_stream z = { .next_in = (Bytef *)plain->p,
		.avail_in = (uInt)plain->n,
		.next_out = (Bytef *)room->p,
		.avail_out = (uInt)room->room };
	int end;

	e->n = e->packed_n = plain->n;
	e->packed = plain->p;
	e->method = 0;
	e->crc = (uint32_t)crc32(0, (Bytef *)plain->p, (uInt)plain->n);
	if (level == 0)
		return true;
	if (deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return false;
	end = deflate(&z, Z_FINISH);
	e->packed_n = z.total_out;
	deflateEnd(&z);
	e->packed = room->p;
	e->method = 8;
	return end == Z_STREAM_END;
}

static void
put_number(char *p, size_t x, int bytes)
{
	for (; bytes != 0; bytes--, x >>= 8)
		*p++ = (char)(x & 255);
}

/* From the method on, what both headers of an entry have. */
static void
put_shared(char *p, const struct entry *e)
{
	put_number(p, e->method, 2);
	put_number(p + 6, e->crc, 4);
	put_number(p + 10, e->packed_n, 4);
	put_number(p + 14, e->n, 4);
	put_number(p + 18, e->name_n, 2);
}

static bool
append(struct text *t, const char *bytes, size_t n)
{
	return mutate_put(t, (struct span){ t->n, 0 }, bytes, n);
}

static bool
put_archive(struct text *out, const struct archive *a)
{
	char central[CENTRAL], end[END] = "PK\5\6";
	size_t places[MOST_ENTRIES], directory;
	bool fits = true;

	for (int i = 0; i < a->n; i++) {
		const struct entry *e = &a->v[i];
		char local[LOCAL] = "PK\3\4\24";

		places[i] = out->n;
		put_shared(local + 8, e);
		fits = fits && append(out, local, LOCAL) &&
		    append(out, e->name, e->name_n) &&
		    append(out, e->packed, e->packed_n);
	}
	directory = out->n;
	for (int i = 0; i < a->n; i++) {
		memset(central, 0, sizeof central);
		memcpy(central, "PK\1\2\24\0\24", 7);
		put_shared(central + 10, &a->v[i]);
		put_number(central + 42, places[i], 4);
		fits = fits && append(out, central, CENTRAL) &&
		    append(out, a->v[i].name, a->v[i].name_n);
	}
	put_number(end + 8, (size_t)a->n, 2);
	put_number(end + 10, (size_t)a->n, 2);
	put_number(end + 12, out->n - directory, 4);
	put_number(end + 16, directory, 4);
	return fits && append(out, end, END);
}

bool
mutate_zip(struct text *t, unsigned *state)
{
	static char bytes[MOST_PLAIN], packed[MOST_PLAIN], whole[MOST_PLAIN];
	struct text plain = { bytes, 0, sizeof bytes };
	struct text room = { packed, 0, sizeof packed };
	struct text out = { whole, 0,
		t->room < sizeof whole ? t->room : sizeof whole };
	struct archive a;
	struct entry *e;

	if (mutate_next(state, 4) == 0 || !take_archive(t, &a))
		return false;
	e = &a.v[mutate_next(state, (size_t)a.n)];
	if (mutate_next(state, 16) == 0) { /* an entry goes */
		*e = a.v[--a.n];
	} else {
		if (!unpack(e, &plain))
			return false;
		if (plain.n > 3)
			mutate_plain(&plain, state);
		if (!pack(&plain, &room, e, (int)mutate_next(state, 10)))
			return false;
	}
	if (!put_archive(&out, &a))
		return false;
	memcpy(t->p, out.p, out.n);
	t->n = out.n;
	return true;
}
