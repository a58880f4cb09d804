/* External sorting: runs of a temporary file, merged into another one. */
#include "base/sorted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/die.h"

enum {
	FIRST_ROOM = 1024,
	PAGES = 32,       /* of a sorted file that are in memory, and */
	PAGE_RECORDS = 64 /* records of each */
};

/* A sorted part of the file, read piece by piece while it is merged. */
struct run {
	size_t at, end; /* records that are not in the buffer */
	char *buffer;
	size_t first, n; /* those that are in it and not merged */
};

struct sf_sorted {
	size_t size, most; /* bytes of a record, records in memory */
	int (*compare)(const void *, const void *);
	char *v; /* records in memory; of a file, its pages */
	size_t n, room;
	int fd; /* -1: all are in memory */
	size_t in_file;
	struct run *runs;
	size_t nruns;
	size_t page[PAGES]; /* which one is there, from 1; 0: none */
};

struct sf_sorted *
sf_sorted_new(
    size_t record, size_t most, int (*compare)(const void *, const void *))
{
	struct sf_sorted *s = sf_calloc(1, sizeof *s);

	s->size = record;
	s->most = most < record ? 1 : most / record;
	s->compare = compare;
	s->fd = -1;
	return s;
}

void
sf_sorted_free(struct sf_sorted *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->v);
	free(s->runs);
	free(s);
}

/* ---- the file ---- */

SF_NORETURN static void
file_die(void)
{
	sf_die(SF_EX_IO, "temporary file: %s", strerror(errno));
}

static int
open_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[PATH_MAX];
	int fd = -1;

	if (dir == NULL || dir[0] == '\0')
		dir = "/tmp";
#ifdef O_TMPFILE
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
#endif
	/* Not every file system has files without a name. */
	snprintf(path, sizeof path, "%s/simfront-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0 || unlink(path) != 0)
		file_die();
	return fd;
}

static void
put(int fd, const char *bytes, size_t n)
{
	while (n != 0) {
		ssize_t some = write(fd, bytes, n);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			file_die();
		bytes += some;
		n -= (size_t)some;
	}
}

static void
take(int fd, char *bytes, size_t n, size_t from)
{
	while (n != 0) {
		ssize_t some = pread(fd, bytes, n, (off_t)from);

		if (some < 0 && errno == EINTR)
			continue;
		if (some == 0)
			errno = EIO;
		if (some <= 0)
			file_die();
		bytes += some;
		from += (size_t)some;
		n -= (size_t)some;
	}
}

/* ---- adding ---- */

static void
sort(struct sf_sorted *s)
{
	if (s->n != 0)
		qsort(s->v, s->n, s->size, s->compare);
}

static void
spill(struct sf_sorted *s)
{
	if (s->fd < 0)
		s->fd = open_file();
	sort(s);
	put(s->fd, s->v, s->n * s->size);
	s->runs = sf_reallocarray(s->runs, s->nruns + 1, sizeof *s->runs);
	s->runs[s->nruns++] =
	    (struct run){ .at = s->in_file, .end = s->in_file + s->n };
	s->in_file += s->n;
	s->n = 0;
}

void
sf_sorted_add(struct sf_sorted *s, const void *record)
{
	if (s->n == s->most)
		spill(s);
	if (s->n == s->room) {
		s->room = s->room == 0 ? FIRST_ROOM : s->room * 2;
		if (s->room > s->most)
			s->room = s->most;
		s->v = sf_reallocarray(s->v, s->room, s->size);
	}
	memcpy(s->v + s->n++ * s->size, record, s->size);
}

/* ---- merging ---- */

static const char *
head(const struct sf_sorted *s, const struct run *run)
{
	return run->buffer + run->first * s->size;
}

/* The next records of a run, at most ROOM; false at its end. */
static bool
refill(const struct sf_sorted *s, struct run *run, size_t room)
{
	run->first = 0;
	run->n = run->end - run->at < room ? run->end - run->at : room;
	take(s->fd, run->buffer, run->n * s->size, run->at * s->size);
	run->at += run->n;
	return run->n != 0;
}

/* Moves run I of a heap down to where the run above it has less. */
static void
sink(struct sf_sorted *s, size_t i)
{
	for (;;) {
		size_t least = i;
		struct run kept;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->nruns; k++)
			if (s->compare(head(s, &s->runs[k]),
				head(s, &s->runs[least])) < 0)
				least = k;
		if (least == i)
			return;
		kept = s->runs[i];
		s->runs[i] = s->runs[least];
		s->runs[least] = kept;
		i = least;
	}
}

/* Each run has a part of the memory, and what was merged has one. */
static void
merge(struct sf_sorted *s)
{
	size_t room = s->most / (s->nruns + 1), n = 0;
	char *out;
	int to = open_file();

	if (room == 0) {
		room = 1;
		s->v = sf_reallocarray(s->v, s->nruns + 1, s->size);
	}
	out = s->v + s->nruns * room * s->size;
	for (size_t i = 0; i < s->nruns; i++) {
		s->runs[i].buffer = s->v + i * room * s->size;
		refill(s, &s->runs[i], room);
	}
	for (size_t i = s->nruns / 2; i-- != 0;)
		sink(s, i);
	while (s->nruns != 0) {
		struct run *first = &s->runs[0];

		memcpy(out + n++ * s->size, head(s, first), s->size);
		if (n == room) {
			put(to, out, n * s->size);
			n = 0;
		}
		first->first++;
		if (--first->n == 0 && !refill(s, first, room))
			*first = s->runs[--s->nruns];
		if (s->nruns != 0)
			sink(s, 0);
	}
	put(to, out, n * s->size);
	close(s->fd);
	s->fd = to;
}

void
sf_sorted_finish(struct sf_sorted *s)
{
	if (s->fd < 0) {
		sort(s);
		return;
	}
	if (s->n != 0)
		spill(s);
	merge(s);
	free(s->v);
	s->v = sf_calloc(PAGES * PAGE_RECORDS, s->size);
}

/* ---- reading ---- */

size_t
sf_sorted_count(const struct sf_sorted *s)
{
	return s->in_file + s->n;
}

/* The page is read unless it is there; its place follows from its number. */
static const char *
in_page(struct sf_sorted *s, size_t number)
{
	size_t place = number % PAGES, first = number * PAGE_RECORDS;
	char *at = s->v + place * PAGE_RECORDS * s->size;
	size_t n = s->in_file - first;

	if (s->page[place] == number + 1)
		return at;
	if (n > PAGE_RECORDS)
		n = PAGE_RECORDS;
	take(s->fd, at, n * s->size, first * s->size);
	s->page[place] = number + 1;
	return at;
}

/* Record I, until another one is asked for. */
static const char *
record_at(struct sf_sorted *s, size_t i)
{
	return s->fd < 0
	    ? s->v + i * s->size
	    : in_page(s, i / PAGE_RECORDS) + i % PAGE_RECORDS * s->size;
}

size_t
sf_sorted_first(struct sf_sorted *s, const void *least)
{
	size_t low = 0, high = sf_sorted_count(s);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->compare(record_at(s, mid), least) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void
sf_sorted_get(struct sf_sorted *s, size_t i, void *record)
{
	memcpy(record, record_at(s, i), s->size);
}
