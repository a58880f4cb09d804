/*
 * The longest line: taken or refused by its length alone, in whatever pieces it
 * comes. The reader is compiled here with a limit of its own, of 1 MiB.
 */
#define SF_LONGEST_LINE (1 << 20)
#include "../../lib/stream/input.c"

#include <stdio.h>

#include "check.h"

enum {
	MOST = 3 * SF_LONGEST_LINE
};

/* How an input comes. */
struct way {
	const char *name;
	size_t chunk; /* of a pipe; 0: a file */
	bool packed;
};

static const struct way ways[] = {
	{ "file", 0, false },
	{ "packed file", 0, true },
	{ "pipe, 65536", 65536, false },
	{ "pipe, 4093", 4093, false },
	{ "pipe, 250007", 250007, false },
	{ "packed pipe, 997", 997, true },
};

/* Bytes of an input, before they are packed. */
struct text {
	char bytes[MOST];
	size_t n;
};

static void
add(struct text *t, size_t n)
{
	memset(t->bytes + t->n, 'x', n - 1);
	t->n += n;
	t->bytes[t->n - 1] = '\n';
}

/* Lines of LARGE and LITTLE bytes, unless 0, before one of N and its LF. */
static void
make(struct text *t, size_t large, size_t little, size_t n, bool whole)
{
	t->n = 0;
	if (large != 0)
		add(t, large);
	if (little != 0)
		add(t, little);
	add(t, n + 1);
	if (!whole)
		t->n--;
}

/* The same packed; what it comes to is small. */
static size_t
pack(const struct text *t, unsigned char *to, size_t room)
{
	z_stream z = { 0 };

	CHECK(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
	z.next_in = (unsigned char *)t->bytes;
	z.avail_in = (unsigned)t->n;
	z.next_out = to;
	z.avail_out = (unsigned)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void
put(int fd, const void *from, size_t n, size_t chunk)
{
	const char *p = from;

	while (n != 0) {
		ssize_t done =
		    write(fd, p, chunk != 0 && chunk < n ? chunk : n);

		if (done <= 0)
			_exit(0); /* nobody reads on */
		p += done;
		n -= (size_t)done;
	}
}

/* Reads all lines of FD. */
static void
read_all(void *fd)
{
	struct sf_input *in;
	struct sf_str line;

	dup2(*(const int *)fd, STDIN_FILENO);
	in = sf_input_open("-");
	while (sf_input_line(in, &line))
		continue;
}

static int
verdict_of(const struct text *t, const struct way *way)
{
	static unsigned char packed[1 << 16];
	const void *from = t->bytes;
	size_t n = t->n;
	int fds[2], got;
	FILE *file;
	pid_t writer;

	if (way->packed) {
		n = pack(t, packed, sizeof packed);
		from = packed;
	}
	if (way->chunk == 0) {
		file = tmpfile();
		put(fileno(file), from, n, 0);
		rewind(file);
		fds[0] = fileno(file);
		got = check_exit_of(read_all, fds);
		fclose(file);
		return got;
	}
	CHECK(pipe(fds) == 0);
	writer = fork();
	if (writer == 0) {
		close(fds[0]);
		put(fds[1], from, n, way->chunk);
		_exit(0);
	}
	close(fds[1]);
	got = check_exit_of(read_all, fds);
	close(fds[0]);
	waitpid(writer, NULL, 0);
	return got;
}

static void
try_all(struct text *t, size_t large, size_t little)
{
	char what[100];

	for (size_t n = SF_LONGEST_LINE - 2; n <= SF_LONGEST_LINE + 1; n++)
		for (size_t w = 0; w < 2 * sizeof ways / sizeof *ways; w++) {
			const struct way *way = &ways[w / 2];
			int want = n < SF_LONGEST_LINE ? 0 : 3;

			make(t, large, little, n, w % 2 == 0);
			snprintf(what, sizeof what, "%zu behind %zu, %zu, %s%s",
			    n, large, little, way->name,
			    w % 2 == 0 ? "" : ", no LF");
			CHECK_FOR(what, verdict_of(t, way) == want);
		}
}

int
main(void)
{
	static const size_t large[] = { 0, 300001, 900000, SF_LONGEST_LINE };
	static const size_t little[] = { 0, 1, 7, 250000 };
	static struct text text;

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			try_all(&text, large[i], little[k]);
	return 0;
}
