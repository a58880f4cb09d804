/*
 * How a program ends when it cannot go on, and how it speaks on standard
 * error. Every message is one line: PROGRAM: PLACE: what was found, what was
 * expected.
 */
#ifndef SF_BASE_DIE_H
#define SF_BASE_DIE_H

#include "base/decl.h"

SF_PUBLIC_BEGIN

/* Exit statuses; every program uses these and no others. */
enum sf_exit {
	SF_EX_OK = 0,    /* done */
	SF_EX_NO = 1,    /* a verdict of "no" (--strict, a difference) */
	SF_EX_USAGE = 2, /* options or operands that cannot be meant */
	SF_EX_INPUT = 3, /* input that is not what it should be */
	SF_EX_IO = 4,    /* reading or writing failed */
};

/*
 * Sets the name that messages begin with; NAME must live as long as the
 * process. It is the one piece of global state.
 */
void sf_set_program(const char *name);

/*
 * Prints one line and exits with CODE; what is buffered for standard output is
 * dropped, so nothing follows the last whole line that was written. Line
 * breaks and control bytes in the message are printed as \xNN.
 */
SF_NORETURN void sf_die(enum sf_exit code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "PROGRAM: note: ..." on standard error and goes on. */
void sf_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An invariant of ours is broken: says where and aborts. */
#define sf_bug(...) sf_bug_at(__FILE__, __LINE__, __VA_ARGS__)
SF_NORETURN void sf_bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

SF_PUBLIC_END

#endif
