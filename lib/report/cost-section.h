/* What the section on costs gathers: where time goes, and on what it runs. */
#ifndef SF_REPORT_COST_SECTION_H
#define SF_REPORT_COST_SECTION_H

#include "base/table.h"
#include "cost/peak.h"
#include "cost/roofline.h"
#include "report/section.h"

/* Sums over some of the operators. */
struct sf_spent {
	int64_t calls, flops, bytes;
	double time_s;     /* of the units */
	double transfer_s; /* of the link */
};

/* All calls of one operator. */
struct sf_type_spent {
	struct sf_spent sum;
	unsigned units;             /* bit u: some call runs on unit u */
	const struct sf_type *type; /* in the totals */
};

struct sf_cost_report {
	bool costed;            /* there is a device record */
	struct sf_pairs device; /* its members */
	bool offload;
	struct sf_rates rates; /* of the device or accelerator */
	enum sf_memory_mode memory;
	int64_t ops; /* operators with a cost */
	struct sf_spent all;
	struct sf_spent by_unit[SF_UNIT_COUNT];
	struct sf_spent by_category[SF_CAT_COUNT];
	/* By the type that products multiply; the last of what has none. */
	struct sf_spent by_type[SF_PEAK_COUNT + 1];
	/* FLOPs by the type at whose peak they are costed. */
	int64_t at_peak[SF_PEAK_COUNT + 1];
	int64_t masked_flops; /* that are not run, and not among those */
	double peaks[SF_PEAK_COUNT + 1]; /* the device's own; 0: it has none */
	double peak_flops;
	bool typed, ideal;
	int64_t devices;
	double bound_s[SF_BOUND_COUNT]; /* time by enum sf_bound */
	double memory_bytes;   /* that go to memory in that memory mode */
	struct sf_table types; /* entries hold struct sf_type_spent */
};

/* Adds B to A. */
void sf_spent_add(struct sf_spent *a, const struct sf_spent *b);

/* All seconds: of units and link. */
double sf_spent_s(const struct sf_spent *spent);

/* Calls that are not free. */
int64_t sf_cost_calls(const struct sf_cost_report *c);

/* The whole trace as if it were one operator, on one device. */
double sf_cost_roofline_s(const struct sf_cost_report *c, enum sf_bound bound);

/*
 * All types, an array of c->types.n in the arena: by seconds, the largest
 * first, then by name.
 */
struct sf_type_spent **
sf_cost_sorted(const struct sf_cost_report *c, struct sf_arena *arena);

/* The units of a type's calls: "accel, host". */
void sf_type_units(struct sf_buf *out, const struct sf_type_spent *type);

/* Writing the section, see struct sf_section. */
void sf_cost_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_cost_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
