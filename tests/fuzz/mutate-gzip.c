/* What is inside of a gzip stream changes; its checksum is right again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mutate.h"

enum {
	MOST_PLAIN = 1 << 17,
	GZIP = 15 + 16 /* zlib's windowBits for a gzip header */
};

/* The first member alone; 0 when it is not sound. */
static size_t
unpack(const struct text *t, struct text *plain)
{
	z_stream z = { .next_in = (Bytef *)t->p,
		.avail_in = (uInt)t->n,
		.next_out = (Bytef *)plain->p,
		.avail_out = (uInt)plain->room };
	int end;

	if (inflateInit2(&z, GZIP) != Z_OK)
		return 0;
	end = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return end == Z_STREAM_END ? z.total_out : 0;
}

static bool
pack(const struct text *plain, struct text *t, int level)
{
	z_stream z = { .next_in = (Bytef *)plain->p,
		.avail_in = (uInt)plain->n,
		.next_out = (Bytef *)t->p,
		.avail_out = (uInt)t->room };
	int end;

	if (deflateInit2(&z, level, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return false;
	end = deflate(&z, Z_FINISH);
	t->n = z.total_out;
	deflateEnd(&z);
	return end == Z_STREAM_END;
}

bool
mutate_gzip(struct text *t, unsigned *state)
{
	static char bytes[MOST_PLAIN], packed[MOST_PLAIN];
	struct text plain = { bytes, 0, sizeof bytes };
	struct text out = { packed, 0,
		t->room < sizeof packed ? t->room : sizeof packed };

	if (mutate_next(state, 4) == 0)
		return false;
	plain.n = unpack(t, &plain);
	if (plain.n == 0)
		return false;
	mutate_plain(&plain, state);
	if (!pack(&plain, &out, (int)mutate_next(state, 10)))
		return false;
	memcpy(t->p, out.p, out.n);
	t->n = out.n;
	return true;
}
