/*
 * What the section on measured times gathers: what operators took where they
 * ran, beside what their costs say.
 */
#ifndef SF_REPORT_MEASURED_SECTION_H
#define SF_REPORT_MEASURED_SECTION_H

#include "base/table.h"
#include "report/section.h"
#include "report/top.h"

/*
 * Sums over measured operators. COMPARED are those that a cost says something
 * of: not what costs nothing, and not what could not be counted.
 */
struct sf_beside {
	int64_t calls;
	double measured_s;
	int64_t compared;
	double compared_s; /* measured, of these */
	double modelled_s;
	double off_s; /* the differences, without their signs */
};

struct sf_type_beside {
	struct sf_beside sum;
	const struct sf_type *type; /* in the totals */
};

struct sf_measured_report {
	struct sf_beside all;
	struct sf_table types; /* entries hold struct sf_type_beside */
	struct sf_top top;     /* by measured time */
};

/* modelled / measured - 1; false where there is nothing to compare with. */
bool sf_beside_error(double measured_s, double modelled_s, double *error);

/* All types, by measured time, the longest first, then by name. */
struct sf_type_beside **
sf_measured_sorted(const struct sf_measured_report *m, struct sf_arena *arena);

/* Writing the section, see struct sf_section. */
void
sf_measured_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void
sf_measured_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
