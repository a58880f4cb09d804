/*
 * Views of parameters, followed through a trace: an input that is a view of a
 * parameter is a parameter, whether or not the front end marked it.
 */
#ifndef SF_RULES_ALIAS_H
#define SF_RULES_ALIAS_H

#include "base/arena.h"
#include "base/decl.h"
#include "base/table.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

struct sf_aliases {
	struct sf_arena *arena; /* emptied with each trace */
	struct sf_table tids;
};

void sf_aliases_init(struct sf_aliases *aliases);
void sf_aliases_release(struct sf_aliases *aliases);

/*
 * Sets PARAM of the inputs that are known to be views of parameters. The first
 * op of a trace begins anew.
 */
void sf_aliases_mark(struct sf_aliases *aliases, struct sf_op *op);

/*
 * Notes what a view hands on: when its first input is a parameter, so are its
 * outputs. Memory grows with the outputs that the front end did not mark.
 */
void sf_aliases_follow(struct sf_aliases *aliases, const struct sf_op *op);

SF_PUBLIC_END

#endif
