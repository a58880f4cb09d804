/* Reading lines; gzip is recognised by its first two bytes. */
#include "stream/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "base/die.h"
#include "stream/json.h"

/* With its LF; a test has a smaller one. */
#ifndef SF_LONGEST_LINE
#define SF_LONGEST_LINE (1 << 30)
#endif

enum {
	FIRST_ROOM = 256 * 1024,
	PACKED_ROOM = 64 * 1024,
	LONGEST_LINE = SF_LONGEST_LINE,
	GZIP_MAGIC_1 = 0x1f,
	GZIP_MAGIC_2 = 0x8b,
};

/* How the bytes that come next are to be taken. */
enum coding {
	UNDECIDED,
	PLAIN,
	GZIP
};

struct sf_input {
	int fd;
	const char *name;
	int64_t lineno;
	bool ended;  /* no more bytes come from the file */
	bool summed; /* CRC32 is wanted */
	uint32_t crc32;
	enum coding coding;
	char *buf; /* room + padding */
	size_t room, at, end, scanned;
	z_stream z;
	unsigned char *packed; /* bytes of the file not yet decoded */
	size_t packed_at, packed_end;
};

struct sf_input *
sf_input_open(const char *path)
{
	struct sf_input *in = sf_malloc(sizeof *in);

	*in = (struct sf_input){ .name = path, .room = FIRST_ROOM };
	if (strcmp(path, "-") == 0) {
		in->fd = STDIN_FILENO;
		in->name = "<stdin>";
	} else {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (in->fd < 0)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	in->buf = sf_malloc(in->room + SF_JSON_PADDING + 1);
	memset(in->buf, 0, in->room + SF_JSON_PADDING + 1);
	in->packed = sf_malloc(PACKED_ROOM);
	return in;
}

void
sf_input_close(struct sf_input *in)
{
	if (in->coding == GZIP)
		inflateEnd(&in->z);
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	free(in->packed);
	free(in->buf);
	free(in);
}

/* read(2) of at most N bytes; 0 at the end of the file. */
static size_t
read_some(struct sf_input *in, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(in->fd, to, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		sf_die(
		    SF_EX_IO, "%s: read failed: %s", in->name, strerror(errno));
	if (in->summed)
		in->crc32 = sf_crc32(in->crc32, to, (size_t)got);
	return (size_t)got;
}

/* Adds bytes of the file to those not yet decoded; false at its end. */
static bool
fetch(struct sf_input *in)
{
	size_t got;

	if (in->packed_at != 0)
		memmove(in->packed, in->packed + in->packed_at,
		    in->packed_end - in->packed_at);
	in->packed_end -= in->packed_at;
	in->packed_at = 0;
	got = read_some(
	    in, in->packed + in->packed_end, PACKED_ROOM - in->packed_end);
	in->packed_end += got;
	return got != 0;
}

/* Looks at the first two bytes that come. */
static void
decide(struct sf_input *in)
{
	const unsigned char *p;

	while (in->packed_end - in->packed_at < 2 && fetch(in))
		;
	p = in->packed + in->packed_at;
	in->coding = PLAIN;
	if (in->packed_end - in->packed_at < 2 || p[0] != GZIP_MAGIC_1 ||
	    p[1] != GZIP_MAGIC_2)
		return;
	in->coding = GZIP;
	in->z = (z_stream){ 0 };
	if (inflateInit2(&in->z, 15 + 16) != Z_OK)
		sf_out_of_memory();
}

static size_t
read_plain(struct sf_input *in, char *to, size_t n)
{
	size_t left = in->packed_end - in->packed_at;

	if (left == 0)
		return read_some(in, to, n);
	if (n > left)
		n = left;
	memcpy(to, in->packed + in->packed_at, n);
	in->packed_at += n;
	return n;
}

/*
 * Decodes up to N bytes. At the end of a gzip member what follows is looked at
 * anew: compressed and plain streams may be concatenated.
 */
static size_t
read_gzip(struct sf_input *in, char *to, size_t n)
{
	in->z.next_out = (unsigned char *)to;
	in->z.avail_out = (unsigned)(n < FIRST_ROOM ? n : FIRST_ROOM);
	n = in->z.avail_out;
	while (in->z.avail_out == n) {
		int status;

		if (in->packed_at == in->packed_end && !fetch(in))
			sf_die(SF_EX_INPUT,
			    "%s:%lld: the gzip data is cut short", in->name,
			    (long long)in->lineno + 1);
		in->z.next_in = in->packed + in->packed_at;
		in->z.avail_in = (unsigned)(in->packed_end - in->packed_at);
		status = inflate(&in->z, Z_NO_FLUSH);
		in->packed_at = in->packed_end - in->z.avail_in;
		if (status == Z_STREAM_END) {
			inflateEnd(&in->z);
			in->coding = UNDECIDED;
			break;
		}
		if (status == Z_MEM_ERROR)
			sf_out_of_memory();
		if (status != Z_OK)
			sf_die(SF_EX_INPUT,
			    "%s:%lld: the gzip data is damaged: %s", in->name,
			    (long long)in->lineno + 1,
			    in->z.msg != NULL ? in->z.msg : "no progress");
	}
	return n - in->z.avail_out;
}

/* Adds at least one byte to the buffer; false at the end of the input. */
static bool
fill(struct sf_input *in)
{
	size_t got = 0;

	while (got == 0) {
		char *to = in->buf + in->end;
		size_t n = in->room - in->end;

		if (in->coding == UNDECIDED)
			decide(in);
		if (in->coding == GZIP) {
			got = read_gzip(in, to, n);
			continue;
		}
		got = read_plain(in, to, n);
		if (got == 0)
			return false;
	}
	in->end += got;
	return true;
}

/* Makes room behind the bytes that are there. */
static void
make_room(struct sf_input *in)
{
	if (in->at != 0) {
		memmove(in->buf, in->buf + in->at, in->end - in->at);
		in->end -= in->at;
		in->scanned -= in->at;
		in->at = 0;
	}
	if (in->room - in->end >= in->room / 2 ||
	    (in->room >= LONGEST_LINE && in->end < in->room))
		return;
	if (in->room >= LONGEST_LINE)
		sf_die(SF_EX_INPUT, "%s:%lld: the line is longer than 1 GiB",
		    in->name, (long long)in->lineno + 1);
	in->room *= 2;
	in->buf = sf_realloc(in->buf, in->room + SF_JSON_PADDING + 1);
	memset(in->buf + in->end, 0, in->room + SF_JSON_PADDING + 1 - in->end);
}

bool
sf_input_line(struct sf_input *in, struct sf_str *line)
{
	char *lf;

	for (;;) {
		lf = in->end == in->scanned ? NULL
					    : memchr(in->buf + in->scanned,
						  '\n', in->end - in->scanned);
		if (lf != NULL || in->ended)
			break;
		in->scanned = in->end;
		if (in->room == in->end || in->at != 0)
			make_room(in);
		in->ended = !fill(in);
	}
	if (lf == NULL) {
		if (in->at == in->end)
			return false;
		/* The last line lacks its LF; there is room for it. */
		lf = in->buf + in->end++;
		*lf = '\n';
	}
	line->p = in->buf + in->at;
	line->n = (size_t)(lf - line->p);
	in->at = in->scanned = (size_t)(lf + 1 - in->buf);
	in->lineno++;
	return true;
}

char *
sf_input_text(struct sf_input *in, size_t *n)
{
	*n = in->end - in->at;
	return in->buf + in->at;
}

bool
sf_input_more(struct sf_input *in)
{
	if (in->ended)
		return false;
	if (in->room == in->end || in->at != 0)
		make_room(in);
	in->ended = !fill(in);
	return !in->ended;
}

void
sf_input_take(struct sf_input *in, size_t n)
{
	in->at += n;
	in->scanned = in->at;
}

void
sf_input_sum(struct sf_input *in)
{
	in->summed = true;
}

uint32_t
sf_input_crc32(const struct sf_input *in)
{
	return in->crc32;
}

int64_t
sf_input_file_bytes(const struct sf_input *in)
{
	struct stat st;

	return fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : -1;
}

struct sf_str
sf_input_from(const struct sf_input *in, const char *p)
{
	return (struct sf_str){ p, (size_t)(in->buf + in->end - p) };
}

const char *
sf_input_name(const struct sf_input *in)
{
	return in->name;
}

int64_t
sf_input_lineno(const struct sf_input *in)
{
	return in->lineno;
}

static bool
is_pipe(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

void
sf_input_no_trace(const struct sf_input *in, int out)
{
	bool nothing = in->lineno == 0 && in->end == 0;

	if (nothing && in->fd == STDIN_FILENO && is_pipe(in->fd) &&
	    is_pipe(out))
		_exit(SF_EX_INPUT);
	sf_die(SF_EX_INPUT, "%s: no trace in the input", in->name);
}
