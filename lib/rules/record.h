/* The user's rules in the tool record: the files, and what they replace. */
#ifndef SF_RULES_RECORD_H
#define SF_RULES_RECORD_H

#include "base/decl.h"
#include "base/opt.h"
#include "rules/rulebook.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

/*
 * Adds the rules of the files to BOOK, names each file with its CRC-32 in the
 * tool record, and appends to REPLACED the names that had a rule. Dies as
 * sf_rulefile_load.
 */
void sf_rules_load(struct sf_stream *stream, struct sf_rulebook *book,
    const struct sf_list *paths, struct sf_table *replaced);

/* Adds "replaced_rules" to the tool record, unless there are none. */
void sf_rules_put_replaced(
    struct sf_stream *stream, const struct sf_table *replaced);

SF_PUBLIC_END

#endif
