/*
 * What may fail in the C library, made to fail: preloaded into a program, as
 * tests/faults/run does.
 *
 *	FAULT=KIND:N	the Nth call of KIND fails, from 1; none with 0
 *	FAULT_COUNT	a file of 8 bytes, in which such calls are counted
 *
 * KIND is alloc, read, write, close, open, rename or mkstemp; with hup, int or
 * term that signal comes before the Nth call of any of them but the first; with
 * eintr every second read and write is interrupted, with short each moves one
 * byte; with grown a file seems to be longer than it is, as one is that is being
 * cut; with held the program tries at its end what it should no longer be able to
 * do, and says "held: WHAT" of what it can.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own, below the names that are taken here. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static const char *kind = "";
static uint64_t at;
static uint64_t *count, counted;

static void begin(void) __attribute__((constructor));

static void
begin(void)
{
	const char *fault = getenv("FAULT"), *file = getenv("FAULT_COUNT");
	const char *colon = fault == NULL ? NULL : strchr(fault, ':');
	void *shared;
	int fd;

	if (colon == NULL)
		return;
	count = &counted;
	if (file != NULL) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR);
		shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		syscall(SYS_close, fd);
		if (shared == MAP_FAILED)
			_exit(99);
		count = shared;
	}
	at = strtoull(colon + 1, NULL, 10);
	kind = fault;
}

static bool
is_kind(const char *name)
{
	size_t n = strlen(name);

	return strncmp(kind, name, n) == 0 && kind[n] == ':';
}

/* A call of any kind, before which a signal may come. */
static void
meet_signal(void)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "hup", SIGHUP }, { "int", SIGINT },
		{ "term", SIGTERM } };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (is_kind(signals[i].name) && ++*count == at)
			raise(signals[i].number);
}

/* Whether this call of the kind NAME is the one that fails, with ERROR. */
static bool
fails(const char *name, int error)
{
	if (!is_kind(name) || ++*count != at)
		return false;
	errno = error;
	return true;
}

void *
malloc(size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_realloc(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

int
posix_memalign(void **p, size_t alignment, size_t n)
{
	*p = fails("alloc", ENOMEM) ? NULL : __libc_memalign(alignment, n);
	return *p == NULL ? ENOMEM : 0;
}

void *
aligned_alloc(size_t alignment, size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_memalign(alignment, n);
}

/* Every second call is interrupted. */
static bool
interrupted(void)
{
	if (!is_kind("eintr") || ++*count % 2 != 1)
		return false;
	errno = EINTR;
	return true;
}

static size_t
moved(size_t n)
{
	return is_kind("short") && n > 1 ? 1 : n;
}

ssize_t
read(int fd, void *to, size_t n)
{
	meet_signal();
	if (fails("read", EIO) || interrupted())
		return -1;
	return syscall(SYS_read, fd, to, moved(n));
}

ssize_t
write(int fd, const void *from, size_t n)
{
	if (fd == STDERR_FILENO)
		return syscall(SYS_write, fd, from, n);
	meet_signal();
	if (fails("write", ENOSPC) || interrupted())
		return -1;
	return syscall(SYS_write, fd, from, moved(n));
}

int
close(int fd)
{
	long status;

	meet_signal();
	if (!fails("close", EIO))
		return (int)syscall(SYS_close, fd);
	/* It is closed all the same, as Linux does. */
	status = syscall(SYS_close, fd);
	errno = EIO;
	return status < 0 ? (int)status : -1;
}

static int
open_at(const char *path, int flags, mode_t mode)
{
	meet_signal();
	if (fails("open", EMFILE))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return open_at(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

/* As glibc does it, but for what is said of the length. */
int
fstat(int fd, struct stat *st)
{
	int status = (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);

	if (status == 0 && is_kind("grown") && S_ISREG(st->st_mode))
		st->st_size += 1 << 20;
	return status;
}

int
rename(const char *from, const char *to)
{
	meet_signal();
	if (fails("rename", EIO))
		return -1;
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
mkostemp(char *path, int flags)
{
	static unsigned tries;
	size_t n = strlen(path);
	int fd;

	meet_signal();
	if (fails("mkstemp", EACCES))
		return -1;
	if (n < 6) {
		errno = EINVAL;
		return -1;
	}
	do {
		unsigned x = ++tries + (unsigned)getpid();

		for (size_t i = n - 6; i < n; i++, x /= 26)
			path[i] = (char)('a' + x % 26);
		fd = (int)syscall(SYS_openat, AT_FDCWD, path,
		    O_RDWR | O_CREAT | O_EXCL | flags, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

int
mkstemp(char *path)
{
	return mkostemp(path, 0);
}

/* ---- at the end ---- */

static void
say_can(const char *what, bool can)
{
	if (can)
		dprintf(STDERR_FILENO, "held: %s\n", what);
}

static void end(void) __attribute__((destructor));

static void
end(void)
{
	char *argv[] = { "echo", "held: execve", NULL }, *env[] = { NULL };

	if (!is_kind("held"))
		return;
	say_can("write",
	    syscall(SYS_openat, AT_FDCWD, "/tmp/./simfront-held",
		O_WRONLY | O_CREAT, 0600) >= 0);
	say_can("unlink", unlink("/tmp/./simfront-held") == 0);
	say_can("chmod", chmod(".", 0700) == 0);
	say_can("socket", socket(AF_INET, SOCK_DGRAM, 0) >= 0);
	say_can("ptrace",
	    syscall(SYS_ptrace, 16L, 0x7fffffffL, 0L, 0L) < 0 &&
		errno == ESRCH);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execve("/bin/echo", argv, env);
}
