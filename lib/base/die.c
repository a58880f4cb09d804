/* Messages on standard error and the ways out of a program. */
#include "base/die.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/visible.h"

static const char *program; /* until it is set, as it was called */

void
sf_set_program(const char *name)
{
	program = name;
}

/*
 * One write(2) for the whole line, so that the messages of the stages of a
 * pipeline do not mix.
 */
static void say(const char *label, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void
say(const char *label, const char *format, va_list ap)
{
	char text[4096], line[8192];
	struct sf_str message;
	size_t at;
	bool hidden;

	sf_vprint_fit(text, sizeof text, format, ap);
	message = sf_str_of(text);
	at = (size_t)snprintf(line, sizeof line, "%.200s: %s",
	    program != NULL ? program : program_invocation_short_name, label);
	for (size_t i = 0; i < message.n && at + SF_VISIBLE_ROOM < sizeof line;)
		at += sf_visible(message, &i, line + at, &hidden);
	line[at++] = '\n';
	sf_progress_hide();
	if (write(STDERR_FILENO, line, at) < 0)
		return; /* There is nowhere left to complain to. */
}

void
sf_die(enum sf_exit code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say("", format, ap);
	va_end(ap);
	_exit(code);
}

void
sf_note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say("note: ", format, ap);
	va_end(ap);
}

void
sf_bug_at(const char *file, int line, const char *format, ...)
{
	char place[300];
	va_list ap;

	snprintf(place, sizeof place, "bug at %s:%d: ", file, line);
	va_start(ap, format);
	say(place, format, ap);
	va_end(ap);
	abort();
}
