/* Drawing where the libraries that draw may crash. */
#ifndef SF_PLOT_GUARD_H
#define SF_PLOT_GUARD_H

/*
 * Returns in a child of the process, which is to do the rest of the work. The
 * parent passes HUP, INT and TERM on to it, waits, and ends as it ends. Font
 * libraries do not survive a failed allocation: a child that crashes is one line
 * and SF_EX_IO, and not a signal; what the C library says of it, or a bug of ours,
 * stands before that line. Dies with SF_EX_IO when there is no child.
 */
void sf_guard(void);

#endif
