/* What the trace's section gathers beside the totals. */
#ifndef SF_REPORT_TRACE_SECTION_H
#define SF_REPORT_TRACE_SECTION_H

#include "report/provenance.h"
#include "report/section.h"

struct sf_trace_report {
	struct sf_provenance made_by;
};

/* Writing the section, see struct sf_section. */
void sf_trace_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_trace_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
