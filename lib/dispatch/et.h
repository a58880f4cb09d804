/*
 * An execution trace (ExecutionTraceObserver, "Chakra host trace"), schemas
 * 1.0.1 to 1.1.1: nodes with their arguments, each written when its call ended.
 * It is held in memory whole, as far as operators need it.
 */
#ifndef SF_DISPATCH_ET_H
#define SF_DISPATCH_ET_H

#include "base/error.h"
#include "base/table.h"
#include "dispatch/names.h"
#include "dispatch/tree.h"
#include "stream/pieces.h"

/* Texts of parallel arrays, with the bytes around them that a scanner wants. */
struct sf_et_values {
	struct sf_str values, shapes, types; /* empty: not there */
};

struct sf_et_node {
	struct sf_call_node call; /* the first member */
	int64_t id, parent;
	int64_t lineno;
	struct sf_str name;
	struct sf_str schema; /* empty where it is no call of the dispatcher */
	struct sf_et_values in, out;
	struct sf_str comms; /* members of an object, of a collective */
};

struct sf_et {
	struct sf_arena *arena;
	struct sf_call_names *names;
	struct sf_table strings;
	struct sf_str version;     /* "1.1.1-chakra.0.0.4" */
	struct sf_et_node **nodes; /* by id, which is the order of starting */
	size_t n, room;
	int64_t regions; /* compiled ones */
	bool cut;        /* the file ends behind a node: the process died */
};

void sf_et_init(
    struct sf_et *et, struct sf_arena *arena, struct sf_call_names *names);
void sf_et_release(struct sf_et *et);

/* Reads the members that only an execution trace has. */
bool sf_et_read_version(
    struct sf_et *et, struct sf_pieces *pieces, struct sf_error *error);
bool sf_et_read_nodes(
    struct sf_et *et, struct sf_pieces *pieces, struct sf_error *error);

/* When all is read: order and tree. */
bool sf_et_finish(struct sf_et *et, const char *file, struct sf_error *error);

/* For qsort of pointers to nodes. */
int sf_et_by_id(const void *a, const void *b);

#endif
