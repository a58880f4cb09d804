/* What the section on a partition gathers. */
#ifndef SF_REPORT_EP_SECTION_H
#define SF_REPORT_EP_SECTION_H

#include "ep/record.h"
#include "report/section.h"

/* All nodes of one type, and where they are. */
struct sf_ep_type {
	struct sf_str name;
	int64_t nodes, claimed;
	/* Where they are costed; the unknown and those that cost nothing. */
	int64_t device, host, unknown, free;
};

struct sf_ep_report {
	bool partitioned; /* there is a partition record */
	struct sf_ep_result result;
	int64_t ops; /* that have a side: all, or none */
	int64_t subgraphs;
	struct sf_buf subgraph_of; /* int64_t an op; -1: of none */
	struct sf_table types;     /* entries hold struct sf_ep_type */
};

/*
 * The indices of all ops, those of one subgraph together and in trace order,
 * subgraphs in their order, those of the host at the end; in ARENA.
 */
const size_t *
sf_ep_by_subgraph(const struct sf_ep_report *e, struct sf_arena *arena);

/* The subgraph of operator I, -1 when it is the host's. */
int64_t sf_ep_subgraph(const struct sf_ep_report *e, size_t i);

/* Writing the section, see struct sf_section. */
void sf_ep_markdown(void *state, struct sf_subject *s, struct sf_buf *out);
void sf_ep_figures(void *state, struct sf_subject *s, struct sf_figures *f);

#endif
