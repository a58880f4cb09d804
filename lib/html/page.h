/*
 * A report as one page of HTML: the answer, the tables and the pictures of each
 * trace, and a roofline of all when several were costed. It needs no script, no
 * other file and nobody to ask, and says so to the browser. It is written when
 * the input has ended; until then it is held.
 */
#ifndef SF_HTML_PAGE_H
#define SF_HTML_PAGE_H

#include "report/report.h"
#include "stream/stream.h"

struct sf_html_page;

/* STREAM is a sink that must outlive the page. FORMAT of REQUEST is not used. */
struct sf_html_page *sf_html_page_new(
    struct sf_stream *stream, const struct sf_report_request *request);
void sf_html_page_free(struct sf_html_page *page);

/* Takes the stream's current record, SF_K_EOF at last. */
void sf_html_page_record(struct sf_html_page *page, enum sf_kind kind);

#endif
