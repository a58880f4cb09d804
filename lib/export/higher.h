/* What the files on operators that take graphs share. */
#ifndef SF_EXPORT_HIGHER_H
#define SF_EXPORT_HIGHER_H

#include "export/walk.h"

enum {
	SF_EXPORT_MAX_GRAPHS = 8,
	SF_EXPORT_MAX_GROUPS = 8
};

/* The operands of one, in order. */
struct sf_export_operands {
	struct sf_str graphs[SF_EXPORT_MAX_GRAPHS];
	int ngraphs;
	struct sf_export_value **values; /* tensors and numbers */
	int nvalues;
	int before; /* of these, in front of the first graph */
	/* Where the values of each argument end; graphs are none. */
	int ends[SF_EXPORT_MAX_GROUPS];
	int ngroups;          /* there may be more than that */
	struct sf_str called; /* an operator, or empty */
	bool decided;         /* the first operand is known: */
	bool truth;
};

/* Adds NODE as one operator; WHY as sf_export_add has it. */
bool sf_export_whole(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    const char *why, struct sf_error *error);

/*
 * Opens a graph of NODE inside SCOPE as INNER; what it makes is named
 * NODE/PARTNAME. To be closed in any case.
 */
bool sf_export_body_open(struct sf_export_scope *inner,
    struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_str graph, const char *part, struct sf_error *error);
void sf_export_body_close(struct sf_export_scope *inner);

/* Runs it on VALUES; what it returns is in *MADE. */
bool sf_export_body(struct sf_export_scope *inner,
    struct sf_export_value *const *values, int n,
    struct sf_export_value ***made, int *nmade, struct sf_error *error);

/* All three. */
bool sf_export_run(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_str graph, const char *part,
    struct sf_export_value *const *values, int n,
    struct sf_export_value ***made, int *nmade, struct sf_error *error);

/* What the graph returned is what the node's results are from here on. */
bool sf_export_hand_out(struct sf_export_scope *scope,
    const struct sf_export_node *node, struct sf_export_value *const *made,
    int nmade, struct sf_error *error);

/* Puts the graph of that number in the place of NODE. */
bool sf_export_expand(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    int graph, struct sf_error *error);

/* What has two graphs, of which it runs one. */
bool sf_export_branch(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    struct sf_error *error);

/* Runs its second graph as long as its first says; it has groups. */
bool sf_export_while(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    struct sf_error *error);

/* NODE does VALUE; that the user says something else is an error. */
void sf_export_known(const struct sf_export_scope *scope,
    const struct sf_export_node *node, enum sf_choice_kind kind, int64_t value);

/* A scan, whose first argument goes round, or a map, where none does. */
bool
sf_export_scan(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o, bool carries, struct sf_error *error);

/* How far the walk is. */
struct sf_export_mark {
	int64_t nops, nopen, expanded;
	const char *open;
	size_t nassumed;
	bool blame;
};

struct sf_export_mark sf_export_mark(const struct sf_export_walk *walk);

/* As if nothing had been expanded since. */
void
sf_export_undo(struct sf_export_walk *walk, const struct sf_export_mark *mark);

/* So much was taken back that no more is tried. */
bool sf_export_no_more(const struct sf_export_walk *walk);

/*
 * Why STEPS more steps such as the one that was just expanded, which began at
 * MARK and has TEXT bytes of graphs, are too many; NULL: they are not.
 */
const char *sf_export_too_many(struct sf_export_walk *walk,
    const struct sf_export_mark *mark, struct sf_str name, size_t text,
    int64_t steps);

#endif
