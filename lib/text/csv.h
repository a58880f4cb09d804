/* Comma-separated values, RFC 4180. */
#ifndef SF_TEXT_CSV_H
#define SF_TEXT_CSV_H

#include "base/buf.h"
#include "base/str.h"

/*
 * Text from outside: quoted where it has a comma or a quote, what is hidden
 * made visible, and an apostrophe before what would be a formula.
 */
void sf_csv_field(struct sf_buf *out, struct sf_str text);

#endif
