/*
 * What a program can no longer do once its command line is read, so that
 * nothing in its input can make it do that.
 *
 * It opens no file for reading but those that the command line names and the
 * configurations, opens, makes, renames or removes none for writing but in the
 * directory of an output, starts no program and no process, and has no network
 * and no other process. What is needed is known by the rows of its options, see
 * base/opt.h. Landlock holds the files, a filter of seccomp the calls.
 */
#ifndef SF_BASE_SANDBOX_H
#define SF_BASE_SANDBOX_H

#include "base/arena.h"
#include "base/opt.h"

/*
 * Holds the process, and what it starts, from here on; there is no way back.
 * Where the system has only one of the two, or none, there is less, and nothing
 * is said. SIMFRONT_SANDBOX=off leaves the process as it is, and so does a build
 * with AddressSanitizer, which starts processes. Dies with SF_EX_USAGE at
 * another value of it than "on" and "off".
 */
void sf_sandbox_enter(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena);

/*
 * The same once configurations by their files, and fonts, are read, which until
 * then could be any: nothing but what the command line names can be opened from
 * here on, and who draws no longer starts a process.
 */
void sf_sandbox_settle(const struct sf_tool *tool,
    const struct sf_cmdline *line, struct sf_arena *arena);

#endif
