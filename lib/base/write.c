/* Writing that does not lose anything in silence. */
#include "base/write.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"

/* Some parents ignore SIGPIPE; the program ends by it all the same. */
static void
die_by_sigpipe(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

void
sf_write_all(int fd, const char *bytes, size_t len)
{
	while (len != 0) {
		ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EPIPE)
			die_by_sigpipe();
		if (done < 0)
			sf_die(SF_EX_IO, "%s: write failed: %s",
			    fd == STDOUT_FILENO ? "<stdout>" : "<output>",
			    strerror(errno));
		bytes += done;
		len -= (size_t)done;
	}
}

void
sf_close_stdout(void)
{
	if (close(STDOUT_FILENO) != 0 && errno != EINTR)
		sf_die(SF_EX_IO, "<stdout>: close failed: %s", strerror(errno));
}
