/* A file that is whole under its name, or not there. */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/die.h"

enum {
	MOST_LINKS = 40 /* as the system has it */
};

/* Says what failed, the temporary file removed. */
static _Noreturn void
give_up(const char *path, const char *temporary, const char *what)
{
	int error = errno;

	if (temporary != NULL)
		unlink(temporary);
	sf_die(SF_EX_IO, "%s: %s failed: %s", path, what, strerror(error));
}

/* All bytes; false, with errno, when that fails. */
static bool
write_bytes(int fd, const struct sf_buf *bytes)
{
	size_t at = 0;

	while (at != bytes->n) {
		ssize_t done = write(fd, bytes->p + at, bytes->n - at);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0)
			at += (size_t)done;
	}
	return true;
}

/* The permissions that a file has which is simply made. */
static mode_t
usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Signals that end a program wait, so that they find no file half made. */
static void
hold_signals(sigset_t *before)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGTERM, SIGXFSZ };
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		sigaddset(&held, ending[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

static char *
joined(const char *dir, size_t ndir, const char *name, size_t n)
{
	char *path = sf_malloc(ndir + n + 1);

	memcpy(path, dir, ndir);
	memcpy(path + ndir, name, n);
	path[ndir + n] = '\0';
	return path;
}

char *
sf_link_end(const char *path)
{
	char *at = joined("", 0, path, strlen(path));

	for (int links = 0; links < MOST_LINKS; links++) {
		char to[PATH_MAX], *next;
		ssize_t n = readlink(at, to, sizeof to);
		const char *slash = strrchr(at, '/');
		size_t dir = slash != NULL ? (size_t)(slash - at) + 1 : 0;

		if (n < 0 || (size_t)n == sizeof to)
			return at;
		if (to[0] == '/')
			dir = 0;
		next = joined(at, dir, to, (size_t)n);
		free(at);
		at = next;
	}
	free(at);
	return joined("", 0, path, strlen(path));
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Whether PATH is there and nothing that another file may take the place of. A
 * name such as /dev/stdout may stand for a file that has no other, or for the one
 * that standard output goes to.
 */
static bool
is_in_place(const char *path, const char *end)
{
	struct stat it, other;

	if (stat(path, &it) != 0)
		return false;
	return !S_ISREG(it.st_mode) || lstat(end, &other) != 0 ||
	    !is_same(&it, &other) ||
	    (fstat(STDOUT_FILENO, &other) == 0 && is_same(&it, &other));
}

static void
write_in_place(const char *path, const struct sf_buf *bytes)
{
	struct stat it, out;
	int fd;

	if (stat(path, &it) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
	    S_ISREG(it.st_mode) && is_same(&it, &out))
		fd = dup(STDOUT_FILENO);
	else
		fd = open(path,
		    O_WRONLY | O_CLOEXEC | (S_ISREG(it.st_mode) ? O_TRUNC : 0));
	if (fd < 0)
		give_up(path, NULL, "open");
	if (!write_bytes(fd, bytes))
		give_up(path, NULL, "write");
	if (close(fd) != 0)
		give_up(path, NULL, "close");
}

/* END is where the file lies that is called PATH. */
static void
write_beside(const char *path, const char *end, const struct sf_buf *bytes)
{
	char *temporary = joined(end, strlen(end), ".XXXXXX", 7);
	sigset_t before;
	int fd;

	hold_signals(&before);
	fd = mkstemp(temporary);
	if (fd < 0)
		give_up(path, NULL, "making a temporary file beside it");
	if (!write_bytes(fd, bytes) || fchmod(fd, usual_mode()) != 0)
		give_up(path, temporary, "write");
	if (close(fd) != 0)
		give_up(path, temporary, "close");
	if (rename(temporary, end) != 0)
		give_up(path, temporary, "rename");
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(temporary);
}

void
sf_write_whole(const char *path, const struct sf_buf *bytes)
{
	char *end = sf_link_end(path);

	if (is_in_place(path, end))
		write_in_place(path, bytes);
	else
		write_beside(path, end, bytes);
	free(end);
}
