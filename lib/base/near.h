/* The name that was meant: of those there are, the one that is most like it. */
#ifndef SF_BASE_NEAR_H
#define SF_BASE_NEAR_H

#include "base/buf.h"
#include "base/decl.h"
#include "base/str.h"

SF_PUBLIC_BEGIN

struct sf_near {
	struct sf_str text; /* what was written */
	struct sf_str best; /* the nearest so far; empty: none is near */
	size_t distance;    /* of it */
};

/*
 * Nothing is near that differs in more than a third of its letters, unless it
 * is a part of the name or only goes on behind it; upper and lower case are one.
 * Of two that are as near it is the shorter one.
 */
void sf_near_init(struct sf_near *near, struct sf_str text);
void sf_near_try(struct sf_near *near, struct sf_str name);

/* "; did you mean '--event'?" with DASHES before it, where something is near. */
void
sf_near_put(const struct sf_near *near, const char *dashes, struct sf_buf *out);

/* The same behind "one, two, three", where TEXT is near to one of those. */
void sf_near_put_of(struct sf_buf *list, struct sf_str text);

SF_PUBLIC_END

#endif
