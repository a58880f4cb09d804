/* A file that is whole under its name, or not there. */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/die.h"
#include "base/link.h"

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

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Whether PATH is there and nothing that another file may take the place of. A
 * name such as /dev/stdout may stand for a file that has no other, or for that
 * which standard output goes to.
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
	static const char random[] = ".XXXXXX";
	size_t n = strlen(end);
	char *temporary = sf_malloc(n + sizeof random);
	sigset_t before;
	int fd;

	memcpy(temporary, end, n);
	memcpy(temporary + n, random, sizeof random);
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
