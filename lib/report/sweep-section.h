/* What the section on a sweep gathers from its points. */
#ifndef SF_REPORT_SWEEP_SECTION_H
#define SF_REPORT_SWEEP_SECTION_H

#include "config/key.h"
#include "report/section.h"
#include "sweep/front.h"
#include "text/pairs.h"

struct sf_sweep_report {
	int64_t run, refused; /* points */
	double slowest_s;
	struct sf_front best; /* the fastest, in order; text: what they set */
	const struct sf_keys *keys; /* of what was swept */
};

/* The parameters that a design of the best sets. */
struct sf_pairs
sf_sweep_set(const struct sf_front_point *point, struct sf_arena *arena);

/* Writing the section, see struct sf_section. */
void sf_sweep_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_sweep_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
