/*
 * What a profiler's names say: which events are calls of the dispatcher, and
 * which of those are counted as one operator although others ran inside them.
 */
#ifndef SF_DISPATCH_NAMES_H
#define SF_DISPATCH_NAMES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "rules/rulebook.h"
#include "trace/category.h"

enum sf_call_sort {
	SF_CALL_OTHER, /* no call of the dispatcher: a region, autograd */
	/* Does its own work; what runs inside is part of that. */
	SF_CALL_WHOLE,
	/* Is made of others: counted as what runs inside, if anything does. */
	SF_CALL_COMPOSITE,
	SF_CALL_UNKNOWN,    /* no rule tells */
	SF_CALL_COLLECTIVE, /* record_param_comms: sizes and group of one */
	SF_CALL_KERNEL,     /* one that a compiler made */
};

/* What a call that runs inside another one says about that. */
enum sf_call_weight {
	SF_WEIGHT_NONE,  /* memory and questions: bookkeeping */
	SF_WEIGHT_LIGHT, /* views and fills: enough for a composite */
	SF_WEIGHT_WORK,
};

struct sf_call_kind {
	enum sf_call_sort sort;
	enum sf_call_weight weight;
	bool idle;  /* did nothing when nothing ran inside: to, contiguous */
	bool free;  /* costs nothing whatever its tensors are */
	bool comms; /* of a namespace of collectives */
	enum sf_category category;
	struct sf_str name; /* "aten.mm", lives as long as the table */
};

struct sf_call_names;

/* BOOK says which operators have rules. */
struct sf_call_names *
sf_call_names_new(struct sf_arena *arena, struct sf_rulebook *book);
void sf_call_names_release(struct sf_call_names *names);

/*
 * What the name of an event says, "aten::mm". The answer lives as long as
 * NAMES.
 */
const struct sf_call_kind *
sf_call_names_find(struct sf_call_names *names, struct sf_str name);

#endif
