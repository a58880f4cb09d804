/* A child that draws, and a parent that answers for it. */
#include "plot/guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/die.h"
#include "base/progress.h"

/* Ends the process as the signal does when nobody handles it. */
static _Noreturn void
end_by(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	signal(number, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number);
}

static _Noreturn void
end_as(int status)
{
	int number;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	number = WTERMSIG(status);
	if (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
	    number == SIGABRT)
		sf_die(SF_EX_IO,
		    "crashed while drawing (%s), which the libraries that draw "
		    "do when they run out of memory",
		    strsignal(number));
	end_by(number);
}

static _Noreturn void
wait_for(pid_t child, const sigset_t *watched)
{
	int status, number;

	for (;;) {
		number = sigwaitinfo(watched, NULL);
		if (number != SIGCHLD && number > 0)
			kill(child, number);
		else if (waitpid(child, &status, WNOHANG) == child)
			end_as(status);
	}
}

void
sf_guard(void)
{
	sigset_t watched, before;
	pid_t parent = getpid(), child;

	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, SIGHUP);
	sigaddset(&watched, SIGINT);
	sigaddset(&watched, SIGTERM);
	sigprocmask(SIG_BLOCK, &watched, &before);
	/* Nobody asks for children whose end is ignored. */
	signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (child < 0)
		sf_die(SF_EX_IO, "cannot draw in a process of its own: %s",
		    strerror(errno));
	if (child > 0) {
		sf_progress_stop();
		wait_for(child, &watched);
	}
	/* No picture without somebody who waits for it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(SF_EX_IO);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* An alarm is the process's own. */
	sf_progress_start();
}
