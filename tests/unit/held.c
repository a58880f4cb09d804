/* held - a filter that tries what it should not be able to do. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simfront.h"

static void
tell(const char *what, const char *of, bool done)
{
	printf("%s%s%s: %s\n", what, *of != '\0' ? " " : "", of,
	    done ? "done" : strerror(errno));
}

static void
try_file(const char *what, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	tell(what, path, fd >= 0);
	if (fd >= 0)
		close(fd);
}

static void
try_process(void)
{
	char *argv[] = { "echo", "execve: done", NULL }, *env[] = { NULL };
	pid_t child = fork(), nobody = 0x7fffffff;

	if (child == 0)
		_exit(0);
	tell("fork", "", child > 0);
	if (child > 0)
		waitpid(child, NULL, 0);
	tell("kill", "", kill(getpid(), 0) == 0);
	ptrace(PTRACE_ATTACH, nobody, NULL, NULL);
	tell("ptrace", "", errno == ESRCH);
	fflush(stdout);
	execve("/bin/echo", argv, env);
	tell("execve", "", false);
	fflush(stdout);
}

static void
try_all(const struct sf_list *reads, const struct sf_list *writes)
{
	const char *left;
	int fd;

	for (size_t i = 0; i < reads->n; i++)
		try_file("read", reads->v[i], O_RDONLY);
	for (size_t i = 0; i < writes->n; i++)
		try_file("write", writes->v[i], O_WRONLY | O_CREAT);
	left = writes->n != 0 ? writes->v[0] : "nothing";
	tell("chmod", "", chmod(left, 0600) == 0);
	tell("truncate", "", truncate(left, 0) == 0);
	tell("mkdir", "", mkdir("made", 0700) == 0);
	tell("rename", "", rename(left, "renamed") == 0);
	tell("unlink", "", unlink("renamed") == 0);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	tell("socket", "", fd >= 0);
	if (fd >= 0)
		close(fd);
	try_process();
}

int
main(int argc, char *argv[])
{
	struct sf_list reads = { 0 }, writes = { 0 }, paths = { 0 };
	bool late = false;
	const char *output = NULL, *input = NULL, *config = NULL;
	const struct sf_opt opts[] = {
		SF_OPT_LIST('r', "read", &reads, "FILE", "try to read it"),
		SF_OPT_LIST('w', "write", &writes, "FILE", "try to write it"),
		SF_OPT_PATH('i', "input", &input, "FILE", "an input"),
		SF_OPT_PATHS('p', "paths", &paths, "FILE", "inputs"),
		SF_OPT_OUTPUT(
		    'o', "output", &output, "FILE", "an output", false),
		SF_OPT_CONFIG('c', "config", &config, "C", "a configuration"),
		SF_OPT_FLAG('l', "late", &late, "try when a record is read"),
		SF_OPT_END,
	};
	bool drawing = strstr(argv[0], "drawing") != NULL;
	struct sf_stream *stream =
	    sf_sink_open(&(struct sf_tool){ .name = "held",
			     .sandboxed = true,
			     .summary = "Try what is held.",
			     .opts = opts,
			     .needs = drawing ? SF_NEEDS_DRAWING : 0 },
		argc, argv);

	if (late)
		sf_stream_next(stream);
	try_all(&reads, &writes);
	while (sf_stream_next(stream) != SF_K_EOF)
		continue;
	return sf_stream_close(stream);
}
