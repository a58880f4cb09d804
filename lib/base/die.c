/* Messages on standard error and the ways out of a program. */
#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static const char *program = "simfront";

void
sf_set_program(const char *name)
{
	program = name;
}

/* Appends one byte to a message so that it stays one line of visible text. */
static size_t
put_visible(char *out, size_t at, size_t size, unsigned char byte)
{
	if (byte >= 0x20 && byte != 0x7f) {
		if (at + 1 < size)
			out[at++] = (char)byte;
	} else if (at + 5 < size) {
		at += (size_t)snprintf(out + at, size - at, "\\x%02x", byte);
	}
	return at;
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
	size_t at;

	sf_vprint_fit(text, sizeof text, format, ap);
	at = (size_t)snprintf(line, sizeof line, "%.200s: %s", program, label);
	for (const char *p = text; *p != '\0'; p++)
		at = put_visible(line, at, sizeof line - 1, (unsigned char)*p);
	line[at++] = '\n';
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
