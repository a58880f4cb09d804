/* Runs the programs in the process, in the place of base/die.c and write.c. */
#include "harness.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/die.h"
#include "base/write.h"
#include "owned.h"

enum {
	MOST_FILES = 8, /* descriptors that are looked after */
	MOST_MAPS = 16,
	MOST_ARGS = 24
};

static struct {
	jmp_buf back;
	bool armed;
	int status;
	char message[512];
	char *out;
	size_t n, room;
	const char *program;
} now = { .program = "simfront" };

static const char counted[] =
    "{\"kind\":\"trace\",\"format\":\"simfront-trace/1\",\"model\":\"m\","
    "\"route\":\"export\"}\n"
    "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.mm\",\"inputs\":["
    "{\"tid\":\"x\",\"shape\":[2,3],\"dtype\":\"f32\",\"itemsize\":4},"
    "{\"tid\":\"w\",\"shape\":[3,5],\"dtype\":\"f32\",\"itemsize\":4,"
    "\"param\":true}],\"outputs\":[{\"tid\":\"y\",\"shape\":[2,5],"
    "\"dtype\":\"f32\",\"itemsize\":4}],\"attrs\":{},"
    "\"category\":\"matmul\",\"flops\":60,\"bytes_read\":84,"
    "\"bytes_written\":40,\"weight_bytes\":60}\n"
    "{\"kind\":\"end\",\"ops\":1}\n";

const struct bytes counted_trace = { counted, sizeof counted - 1 };

static int input_fd, file_fd, first_free;
static bool open_before[MOST_FILES], verbose;

/* ---- in the place of base/die.c ---- */

void
sf_set_program(const char *name)
{
	now.program = name;
}

static SF_NORETURN void
leave(int status)
{
	if (!now.armed)
		abort();
	now.status = status;
	longjmp(now.back, 1);
}

SF_NORETURN void
sf_die(enum sf_exit code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(now.message, sizeof now.message, format, ap);
	va_end(ap);
	leave((int)code);
}

/* In the place of the C library's: --help ends so. */
SF_NORETURN void __real_exit(int);
SF_NORETURN void __wrap_exit(int);

void
__wrap_exit(int status)
{
	if (now.armed)
		leave(status);
	__real_exit(status);
}

void
sf_note(const char *format, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
}

SF_NORETURN void
sf_bug_at(const char *file, int line, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "bug at %s:%d: ", file, line);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

/* ---- in the place of base/write.c ---- */

void
sf_write_all(int fd, const char *bytes, size_t len)
{
	must(fd == STDOUT_FILENO, "only standard output is written");
	if (len > MOST_OUTPUT - now.n)
		leave(GIVEN_UP);
	if (len > now.room - now.n) {
		now.room = now.room * 2 + len;
		now.out = owned_never(now.out, now.room);
	}
	if (len != 0)
		memcpy(now.out + now.n, bytes, len);
	now.n += len;
}

void
sf_close_stdout(void)
{
}

/* ---- the runs ---- */

void
must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s: does not hold: %s\n", now.program, what);
	abort();
}

bool
same(struct bytes a, struct bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
holds(struct bytes text, const char *word)
{
	return text.n != 0 &&
	    memmem(text.p, text.n, word, strlen(word)) != NULL;
}

/* Cutting a file costs more than writing over what it had. */
static void
put_file(int fd, struct bytes in)
{
	must(pwrite(fd, in.p, in.n, 0) == (ssize_t)in.n &&
		ftruncate(fd, (off_t)in.n) == 0 && lseek(fd, 0, SEEK_SET) == 0,
	    "the input fits into memory");
}

/* ---- in the place of mmap, as a run that dies unmaps nothing ---- */

void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __wrap_munmap(void *, size_t);

static struct {
	void *p;
	size_t n;
} maps[MOST_MAPS];

void *
__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	void *p = __real_mmap(at, n, prot, flags, fd, from);

	for (int i = 0; now.armed && p != MAP_FAILED; i++) {
		must(i < MOST_MAPS, "few files are mapped at a time");
		if (maps[i].p != NULL)
			continue;
		maps[i].p = p;
		maps[i].n = n;
		break;
	}
	return p;
}

int
__wrap_munmap(void *p, size_t n)
{
	for (int i = 0; i < MOST_MAPS; i++)
		if (maps[i].p == p)
			maps[i].p = NULL;
	return __real_munmap(p, n);
}

static void
check_maps(bool died)
{
	for (int i = 0; i < MOST_MAPS; i++) {
		if (maps[i].p == NULL)
			continue;
		must(died, "a program that ends unmaps its files");
		__real_munmap(maps[i].p, maps[i].n);
		maps[i].p = NULL;
	}
}

/* Standard input and the file are files in memory from now on. */
static void
set_up(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	verbose = getenv("FUZZ_VERBOSE") != NULL;
	/* There is no way back from it to the next run. */
	must(setenv("SIMFRONT_SANDBOX", "off", 1) == 0, "there is memory");
	input_fd = memfd_create("input", 0);
	file_fd = memfd_create("file", 0);
	must(input_fd >= 0 && file_fd >= 0 && dup2(input_fd, 0) == 0,
	    "files in memory can be made");
}

/*
 * The fuzzer opens files of its own between two runs. A run gets the least
 * descriptor that is free, so those above the first one that is are its own.
 */
static void
look_at_files(void)
{
	int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);

	must(fd >= 0, "a descriptor is free");
	close(fd);
	first_free = fd;
	for (int i = 0; i < MOST_FILES; i++)
		open_before[i] = i != 0 && fcntl(fd + i, F_GETFD) >= 0;
}

const char *
file_of(struct bytes in)
{
	static char path[32];

	set_up();
	put_file(file_fd, in);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file_fd);
	return path;
}

/* Closes what a run that died left open; one that ended may leave nothing. */
static void
check_files(bool died)
{
	for (int i = 0; i < MOST_FILES; i++) {
		if (open_before[i] || fcntl(first_free + i, F_GETFD) < 0)
			continue;
		must(died, "a program that ends closes its files");
		close(first_free + i);
	}
}

static void
check_status(const char *name, int may)
{
	if (now.status == GIVEN_UP ||
	    (now.status >= 0 && (may & 1 << now.status) != 0))
		return;
	fprintf(stderr, "fuzz: sf-%s ended with status %d: %s\n", name,
	    now.status, now.message);
	abort();
}

bool
run_guarded(const char *name, int may, void (*body)(void *), void *context)
{
	bool died;

	set_up();
	look_at_files();
	now.status = 0;
	now.message[0] = '\0';
	owned_begin();
	now.armed = true;
	died = setjmp(now.back) != 0;
	if (!died)
		body(context);
	now.armed = false;
	owned_end(died);
	check_files(died);
	check_maps(died);
	check_status(name, may);
	return !died;
}

struct call {
	main_of *main;
	int argc;
	char **argv;
};

static void
call_main(void *context)
{
	struct call *call = context;

	now.status = call->main(call->argc, call->argv);
}

struct run
run_program(const char *name, main_of *main, struct bytes in, int may,
    const char *const args[])
{
	struct call call = { .main = main };
	char *argv[MOST_ARGS + 2];
	char program_name[32];
	struct run run;

	set_up();
	snprintf(program_name, sizeof program_name, "sf-%s", name);
	argv[call.argc++] = program_name;
	for (int i = 0; args[i] != NULL && i < MOST_ARGS; i++)
		argv[call.argc++] = (char *)(uintptr_t)args[i];
	argv[call.argc] = NULL;
	call.argv = argv;
	put_file(0, in);
	now.n = 0;
	if (verbose)
		fprintf(stderr, "fuzz: sf-%s\n", name);
	run_guarded(name, may, call_main, &call);
	sf_set_program("simfront"); /* the name given was ours */
	run = (struct run){ .status = now.status, .out = { now.out, now.n } };
	memcpy(run.message, now.message, sizeof run.message);
	now.out = NULL;
	now.n = now.room = 0;
	return run;
}

void
run_free(struct run *run)
{
	free((char *)(uintptr_t)run->out.p);
	run->out = (struct bytes){ NULL, 0 };
}
