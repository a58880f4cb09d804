/*
 * Rules of the user's own, as simfront-rules(5) describes them: one a line,
 *
 *	NAME[(INPUT, ...)] CATEGORY[; FIELD = FORMULA]...
 */
#ifndef SF_RULES_RULEFILE_H
#define SF_RULES_RULEFILE_H

#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"
#include "rules/rulebook.h"

SF_PUBLIC_BEGIN

/*
 * Adds the rules of TEXT, which must live as long as the book's arena, and
 * appends to OVERRIDDEN the names that had a rule. False with the line, what
 * was found and what was expected in *ERROR; PATH is what it calls the file.
 */
bool sf_rulefile_parse(struct sf_rulebook *book, const char *path,
    struct sf_str text, struct sf_arena *arena, struct sf_table *overridden,
    struct sf_error *error);

/*
 * The same from a file, whose CRC-32 is stored. Dies with SF_EX_INPUT, or with
 * SF_EX_IO when it can not be read.
 */
uint32_t sf_rulefile_load(struct sf_rulebook *book, const char *path,
    struct sf_arena *arena, struct sf_table *overridden);

SF_PUBLIC_END

#endif
