/* What the section on memory gathers. */
#ifndef SF_REPORT_FOOTPRINT_SECTION_H
#define SF_REPORT_FOOTPRINT_SECTION_H

#include "report/section.h"
#include "trace/footprint.h"

struct sf_footprint_report {
	struct sf_footprint live;
	struct sf_buf names; /* of all ops and their nodes, each behind a NUL */
	struct sf_buf starts; /* size_t an op: where its name begins */
	bool counted;         /* all ops so far, and so all views, are known */
	/* At the end: what was found, as far as it is known. */
	bool known;
	struct sf_high_water peak;
	int64_t weights; /* -1 when the trace does not say */
	int64_t total;   /* -1 when it is not known */
};

/* The name and the node of the op at which the peak is. */
struct sf_str sf_footprint_op_name(const struct sf_footprint_report *r);
struct sf_str sf_footprint_op_node(const struct sf_footprint_report *r);

/* Writing the section, see struct sf_section. */
void
sf_footprint_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void
sf_footprint_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
