/* The answer: what a reader wants to know of a trace before all else. */
#ifndef SF_REPORT_ANSWER_SECTION_H
#define SF_REPORT_ANSWER_SECTION_H

#include "accel/summary_record.h"
#include "cost/device_record.h"
#include "ep/record.h"
#include "report/section.h"
#include "trace/footprint.h"

struct sf_answer_part {
	const char *name;
	double s;
};

struct sf_answer {
	/* While the trace is read. */
	bool costed, lowered, simulated;
	struct sf_device_record device;
	struct sf_summary summary;
	double peak_macs;           /* of the accelerator, in a second */
	bool partitioned, measured; /* by sf-ep; where it ran */
	struct sf_ep_result partition;
	double measured_s;
	double time_s, transfer_s, bound_s[SF_BOUND_COUNT];
	double at_peak_s;      /* its FLOPs, each at the peak of its type */
	struct sf_table spent; /* operator type -> double seconds */
	struct sf_footprint live;
	bool weighed; /* LIVE is filled: the device says its memory */

	/* When it is whole. */
	struct sf_str on; /* the device or accelerator; empty: no times */
	double latency_s; /* -1: none */
	struct sf_answer_part
	    parts[3];          /* that it is made of; of none: no name */
	double per_s;          /* units of work a second; -1: not known */
	const char *unit;      /* "tokens", "inputs" or "runs" */
	double peak_share;     /* of what it could compute; -1: not known */
	struct sf_str hotspot; /* a component, or an operator type */
	double hotspot_share;  /* of the time; -1: see WHY */
	struct sf_str why;
	int64_t memory; /* weights and the most beside them; -1: not known */
	/* What that is made of. */
	int64_t weights, cache, activations;
	int64_t devices; /* that would have so much; 0: not known */
	double has;      /* bytes of those there are; 0: not known */
};

/* Writing the section, see struct sf_section. */
void sf_answer_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_answer_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
