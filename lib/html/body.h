/*
 * The Markdown of this library's own programs as HTML. It knows what they write,
 * and no more: headings, tables, lists, indented code, paragraphs, and in them
 * strong text and backslashes before what would be markup. All else is text, so
 * whatever a name holds is shown and not obeyed.
 */
#ifndef SF_HTML_BODY_H
#define SF_HTML_BODY_H

#include "base/buf.h"
#include "base/str.h"

/* Appends the elements that MARKDOWN stands for. */
void sf_html_body(struct sf_buf *out, struct sf_str markdown);

#endif
