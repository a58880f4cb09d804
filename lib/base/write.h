/* write(2) that finishes the job or ends the program. */
#ifndef SF_BASE_WRITE_H
#define SF_BASE_WRITE_H

#include <stddef.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * Writes all LEN bytes to FD. A failure dies with SF_EX_IO and what the system
 * says of it; a reader that has gone ends the program by SIGPIPE, silently.
 */
void sf_write_all(int fd, const char *bytes, size_t len);

/* Closes standard output and dies when the system reports a late failure. */
void sf_close_stdout(void);

SF_PUBLIC_END

#endif
