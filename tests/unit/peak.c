/*
 * peak COMMAND... - run a command, its output thrown away, and print the most
 * memory that it held at once, in KiB; exits with the command's status. A small
 * program measures what a large one cannot: a child starts with its parent's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	struct rusage use;
	int status;
	pid_t child;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &use) != child)
		return 126;
	printf("%ld\n", use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
