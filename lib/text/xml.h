/* Text that means itself in XML and in HTML, whatever is in it. */
#ifndef SF_TEXT_XML_H
#define SF_TEXT_XML_H

#include "base/buf.h"
#include "base/str.h"

/*
 * Appends TEXT as the content of an element or of an attribute in double
 * quotes. What is hidden is shown as sf_visible says, and the two code points
 * that XML has no place for, U+FFFE and U+FFFF, as \uNNNN.
 */
void sf_xml_text(struct sf_buf *out, struct sf_str text);

#endif
