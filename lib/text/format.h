/* What a program that answers writes: for people, or for programs. */
#ifndef SF_TEXT_FORMAT_H
#define SF_TEXT_FORMAT_H

#include "base/decl.h"

SF_PUBLIC_BEGIN

enum sf_format {
	SF_FORMAT_MD,
	SF_FORMAT_JSON,
	SF_FORMAT_CSV
};

/* Their names in that order, NULL-terminated: choices of an option. */
extern const char *const sf_formats[];

SF_PUBLIC_END

#endif
