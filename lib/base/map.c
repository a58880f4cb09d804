/* A file as bytes in memory. */
#include "base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"

/* A pipe cannot be mapped. */
static bool
read_all(int fd, struct sf_buf *buf)
{
	ssize_t n;

	do {
		sf_buf_need(buf, 65536);
		n = read(fd, buf->p + buf->n, buf->room - buf->n);
		if (n > 0)
			buf->n += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0;
}

static bool
map_file(struct sf_map *map, int fd, size_t len, struct sf_error *error)
{
	if (len == 0)
		return true;
	map->mapped = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map->mapped == MAP_FAILED) {
		map->mapped = NULL;
		return sf_fail(
		    error, "mapping %zu bytes: %s", len, strerror(errno));
	}
	map->bytes = map->mapped;
	map->len = len;
	return true;
}

static const char *
sort_of_file(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

static bool
open_file(
    struct sf_map *map, const char *path, struct sf_error *error, bool *io)
{
	/* Opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool good = fd >= 0 && fstat(fd, &st) == 0;

	*io = !good;
	if (!good)
		sf_fail(error, "%s", strerror(errno));
	else if (S_ISREG(st.st_mode)) {
		good = map_file(map, fd, (size_t)st.st_size, error);
		*io = !good;
	} else
		good = sf_fail(error,
		    "it is %s, expected a file; use - for standard input",
		    sort_of_file(st.st_mode));
	if (fd >= 0)
		close(fd);
	return good;
}

bool
sf_map_open(
    struct sf_map *map, const char *path, struct sf_error *error, bool *io)
{
	*map = (struct sf_map){ .bytes = "" };
	*io = false;
	if (strcmp(path, "-") != 0)
		return open_file(map, path, error, io);
	*io = !read_all(0, &map->read);
	if (*io) {
		sf_buf_release(&map->read);
		return sf_fail(error, "%s", strerror(errno));
	}
	map->bytes = map->read.p;
	map->len = map->read.n;
	return true;
}

void
sf_map_close(struct sf_map *map)
{
	if (map->mapped != NULL)
		munmap(map->mapped, map->len);
	sf_buf_release(&map->read);
}

/* The signal comes of our own reading, so that all may be called. */
static void
end_shorter(int number)
{
	(void)number;
	sf_die(SF_EX_IO, "the file became shorter while it was read");
}

void
sf_map_guard(void)
{
	struct sigaction action = { .sa_handler = end_shorter };

	sigaction(SIGBUS, &action, NULL);
}
