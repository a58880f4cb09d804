/* Maps a model file into memory, so that weights stay on the disk. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "onnx/read/model.h"

/* Containers that models are found in, by their first bytes. */
static const struct {
	const char *magic;
	size_t len;
	const char *name;
} containers[] = {
	{ "\x1f\x8b", 2, "gzip-compressed" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "BZh", 3, "bzip2-compressed" },
	{ "\xfd"
	  "7zXZ",
	    5, "xz-compressed" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd-compressed" },
	{ "<", 1, "a text with markup" },
	{ "{", 1, "a JSON text" },
	{ "version https://git-lfs", 23, "a Git LFS pointer" },
};

static struct sf_onnx_model *
parse(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	if (len == 0) {
		sf_fail(error, "the file is empty, expected an ONNX model");
		return NULL;
	}
	for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++)
		if (len >= containers[i].len &&
		    memcmp(bytes, containers[i].magic, containers[i].len) ==
			0) {
			sf_fail(error, "the file is %s, expected an ONNX model",
			    containers[i].name);
			return NULL;
		}
	return sf_onnx_parse(bytes, len, arena, error);
}

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

static struct sf_onnx_model *
load_mapped(int fd, size_t len, struct sf_arena *arena, struct sf_error *error,
    bool *io)
{
	struct sf_onnx_model *model;
	void *bytes;

	if (len == 0)
		return parse("", 0, arena, error);
	bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		*io = true;
		sf_fail(error, "mapping %zu bytes: %s", len, strerror(errno));
		return NULL;
	}
	model = parse(bytes, len, arena, error);
	munmap(bytes, len);
	return model;
}

/* A file that was redirected is mapped like one that is named. */
static struct sf_onnx_model *
load_stdin(struct sf_arena *arena, struct sf_error *error, bool *io)
{
	struct sf_onnx_model *model = NULL;
	struct sf_buf buf = { 0 };
	struct stat st;

	*io = false;
	if (fstat(0, &st) == 0 && S_ISREG(st.st_mode) &&
	    lseek(0, 0, SEEK_CUR) == 0)
		return load_mapped(0, (size_t)st.st_size, arena, error, io);
	*io = !read_all(0, &buf);
	if (*io)
		sf_fail(error, "%s", strerror(errno));
	else
		model = parse(buf.p, buf.n, arena, error);
	sf_buf_release(&buf);
	return model;
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

struct sf_onnx_model *
sf_onnx_load(
    const char *path, struct sf_arena *arena, struct sf_error *error, bool *io)
{
	struct sf_onnx_model *model = NULL;
	struct stat st;
	int fd;

	*io = false;
	if (strcmp(path, "-") == 0)
		return load_stdin(arena, error, io);
	/* Opening a FIFO would wait for a writer. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*io = fd < 0 || fstat(fd, &st) != 0;
	if (*io)
		sf_fail(error, "%s", strerror(errno));
	else if (S_ISREG(st.st_mode))
		model = load_mapped(fd, (size_t)st.st_size, arena, error, io);
	else
		sf_fail(error,
		    "it is %s, expected a file; use - for standard input",
		    sort_of_file(st.st_mode));
	if (fd >= 0)
		close(fd);
	return model;
}
