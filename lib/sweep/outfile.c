/* Files that are gone on with. */
#include "sweep/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"

static SF_NORETURN void
die_of_file(const struct sf_outfile *f, const char *what)
{
	sf_die(SF_EX_IO, "%s: %s: %s", f->path, what, strerror(errno));
}

/*
 * The lock of an open file, and not that of a process, which would be lost when
 * the file is read through another descriptor.
 */
static void
lock(const struct sf_outfile *f)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(f->fd, F_OFD_SETLK, &whole) == 0)
		return;
	if (errno == EAGAIN || errno == EACCES)
		sf_die(SF_EX_IO, "%s: another process is writing it", f->path);
	die_of_file(f, "cannot be locked");
}

/* Something that is there and no file, a pipe or a device. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

void
sf_outfile_open(struct sf_outfile *f, const char *path, bool resume)
{
	bool special = is_special(path);

	*f = (struct sf_outfile){ .path = path, .resume = resume };
	if (special && resume)
		sf_die(
		    SF_EX_USAGE, "'--resume' needs a file, %s is none", path);
	/* A pipe that is opened to be read, too, does not wait for its reader. */
	f->fd = special
	    ? -1
	    : open(path, O_RDWR | O_CREAT | O_CLOEXEC | (resume ? O_APPEND : 0),
		  0666);
	/* What cannot be read can be written all the same. */
	if (f->fd < 0 && !resume)
		f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (f->fd < 0)
		die_of_file(f, "cannot be opened");
	if (special)
		return;
	lock(f);
	if (!resume && ftruncate(f->fd, 0) != 0)
		die_of_file(f, "cannot be emptied");
}

/* A reader of the file from where it is settled. */
static FILE *
reader(const struct sf_outfile *f)
{
	FILE *in = fopen(f->path, "re");

	if (in == NULL || fseeko(in, f->at, SEEK_SET) != 0)
		die_of_file(f, "cannot be read");
	return in;
}

static SF_NORETURN void
die_of_line(
    const struct sf_outfile *f, struct sf_str found, struct sf_str expected)
{
	size_t at = 0;

	while (at < found.n && at < expected.n && found.p[at] == expected.p[at])
		at++;
	/* A little of what is around it says which word it is. */
	at = at < 20 ? 0 : at - 20;
	found = (struct sf_str){ found.p + at, found.n - at };
	expected = (struct sf_str){ expected.p + at, expected.n - at };
	sf_die(SF_EX_USAGE,
	    "%s:%lld: column %zu: found '%.*s', expected '%.*s': it is of "
	    "another sweep",
	    f->path, (long long)f->line + 1, at + 1,
	    (int)(found.n < 60 ? found.n : 60), found.p,
	    (int)(expected.n < 60 ? expected.n : 60), expected.p);
}

/* The next whole line with its LF; false where there is none. */
static bool
next_line(FILE *in, char **line, size_t *room, struct sf_str *out)
{
	ssize_t n = getline(line, room, in);

	if (n <= 0 || (*line)[n - 1] != '\n')
		return false;
	*out = (struct sf_str){ *line, (size_t)n };
	return true;
}

static void
settle(struct sf_outfile *f, struct sf_str line)
{
	f->at += (int64_t)line.n;
	f->line++;
}

/* True when all lines of HEAD are there; dies when others are. */
static bool
find_head(struct sf_outfile *f, FILE *in, struct sf_str head)
{
	char *text = NULL;
	size_t room = 0;
	bool all = true;

	while (head.n != 0 && all) {
		const char *lf = sf_str_chr(head, '\n');
		struct sf_str want = { head.p, (size_t)(lf - head.p) + 1 };
		struct sf_str line;

		all = next_line(in, &text, &room, &line);
		if (all && !sf_str_eq(line, want))
			die_of_line(f, line, want);
		if (all)
			settle(f, line);
		head = (struct sf_str){ head.p + want.n, head.n - want.n };
	}
	free(text);
	return all;
}

/* The index of a point record as it is written here; -1 of another line. */
static int64_t
index_of(struct sf_str line)
{
	static const char begin[] = "{\"kind\":\"point\",\"i\":";
	const char *p = line.p + sizeof begin - 1;
	size_t n = 0;
	int64_t i;

	if (!sf_str_starts(line, begin))
		return -1;
	while (p[n] >= '0' && p[n] <= '9')
		n++;
	return sf_int_parse(p, n, &i) ? i : -1;
}

/* Points and the end behind a head. */
static void
find_points(
    struct sf_outfile *f, FILE *in, struct sf_outfile_rest *rest, bool points)
{
	struct sf_outfile head = *f;
	struct sf_str line;
	char *text = NULL;
	size_t room = 0;

	while (!rest->end && next_line(in, &text, &room, &line)) {
		int64_t i = index_of(line);

		rest->end = sf_str_starts(line, "{\"kind\":\"end\"");
		if (i < 0 && !rest->end)
			die_of_line(f, line,
			    (struct sf_str){ "{\"kind\":\"point\"", 15 });
		settle(f, line);
		if (!rest->end) {
			rest->points++;
			rest->last = i;
		}
	}
	free(text);
	if (!rest->end && !points) {
		f->at = head.at;
		f->line = head.line;
		rest->points = 0;
		rest->last = -1;
	}
}

struct sf_outfile_rest
sf_outfile_find(struct sf_outfile *f, struct sf_str head, bool points)
{
	struct sf_outfile_rest rest = { .last = -1 };
	struct sf_outfile before = *f;
	FILE *in;

	if (!f->resume)
		return rest;
	in = reader(f);
	rest.head = find_head(f, in, head);
	if (rest.head)
		find_points(f, in, &rest, points);
	else {
		f->at = before.at;
		f->line = before.line;
	}
	fclose(in);
	if (rest.end)
		return rest;
	if (ftruncate(f->fd, f->at) != 0)
		die_of_file(f, "cannot be cut");
	/* From here on it is written, and nothing is looked for. */
	f->resume = false;
	return rest;
}

void
sf_outfile_finish(struct sf_outfile *f)
{
	struct stat st;

	if (f->resume && fstat(f->fd, &st) == 0 && st.st_size > f->at)
		sf_die(SF_EX_USAGE,
		    "%s:%lld: more than this sweep writes is there", f->path,
		    (long long)f->line + 1);
	if (close(f->fd) != 0 && errno != EINTR)
		die_of_file(f, "close failed");
}
