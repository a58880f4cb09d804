/* Where symbolic links lead. */
#include "base/link.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

enum {
	MOST_LINKS = 40 /* as the system has it */
};

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
