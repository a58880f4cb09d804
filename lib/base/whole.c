/* A file that is whole under its name, or not there. */
#include "base/whole.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/die.h"

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

void
sf_write_whole(const char *path, const struct sf_buf *bytes)
{
	size_t n = strlen(path);
	char *temporary = sf_malloc(n + sizeof ".XXXXXX");
	sigset_t before;
	int fd;

	memcpy(temporary, path, n);
	memcpy(temporary + n, ".XXXXXX", sizeof ".XXXXXX");
	hold_signals(&before);
	fd = mkstemp(temporary);
	if (fd < 0)
		give_up(path, NULL, "making a temporary file beside it");
	if (!write_bytes(fd, bytes) || fchmod(fd, usual_mode()) != 0)
		give_up(path, temporary, "write");
	if (close(fd) != 0)
		give_up(path, temporary, "close");
	if (rename(temporary, path) != 0)
		give_up(path, temporary, "rename");
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(temporary);
}
