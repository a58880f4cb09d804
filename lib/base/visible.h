/*
 * Text from outside that is to be seen: in a message, a page, a table. Nothing
 * in it colours a terminal, ends a line or turns the writing direction.
 */
#ifndef SF_BASE_VISIBLE_H
#define SF_BASE_VISIBLE_H

#include <stddef.h>

#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

enum {
	SF_VISIBLE_ROOM = 6
};

/*
 * The character of TEXT that begins at *AT, which is moved behind it, as it is
 * to be seen: itself, or \xNN for a control and for a byte that is not UTF-8,
 * or \uNNNN for a separator of lines and a mark of direction. Fills OUT and
 * returns how many bytes; *HIDDEN says whether they stand for something else.
 */
size_t sf_visible(
    struct sf_str text, size_t *at, char out[SF_VISIBLE_ROOM], bool *hidden);

SF_PUBLIC_END

#endif
