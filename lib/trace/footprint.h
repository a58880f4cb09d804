/*
 * How much memory a run needs: the parameters, which stay, and what is live
 * beside them.
 *
 * A storage is one allocation. An operator that is no view makes one for each of
 * its outputs; the outputs of a view, and of an ATen operator in place (its name
 * ends in '_'), lie in the storage of its first input. It is live from the
 * operator that makes it to the last one that reads it or a view of it, and
 * during its maker when nobody does. A value that is read, is no parameter and
 * was made by no operator is an input of the model: it is live from the first
 * operator to the last, or, when inputs are consumed, to its last reader. What is
 * kept (tensors with "kept", or the outputs of the last operator where there are
 * none) is live to the end. A storage in which a tensor with "cache" lies is a
 * part of the cache, all else is an activation. A cache of the inputs that is
 * read by an operator which makes a cache that is kept is replaced by it: nobody
 * has it behind its last reader. During an operator all that it reads and writes
 * is live; folded and dead operators are not run.
 */
#ifndef SF_TRACE_FOOTPRINT_H
#define SF_TRACE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decl.h"
#include "base/table.h"
#include "trace/op.h"

SF_PUBLIC_BEGIN

struct sf_footprint {
	struct sf_arena *arena;
	bool consumed;          /* inputs are live to their last reader only */
	struct sf_table tids;   /* to the storage that each lies in, from 1 */
	struct sf_buf storages; /* struct sf_storage */
	struct sf_buf last;     /* the storages of the last op's outputs */
	int64_t ops;
	int64_t unknown; /* storages whose size is not known */
	bool any_kept;
};

/* The most that is live at once, in bytes without the parameters. */
struct sf_high_water {
	int64_t kept;  /* of it is live to the end */
	int64_t bytes; /* at the first op that has so much */
	int64_t cache; /* of these: of storages that are caches */
	int64_t op;    /* -1 when the trace has none */
};

/* ARENA holds the names, and must be there until the release. */
void sf_footprint_init(
    struct sf_footprint *f, struct sf_arena *arena, bool consumed);
void sf_footprint_release(struct sf_footprint *f);

/*
 * Adds the next operator, which must be counted: views are told by their
 * category. Parameters of the trace are those that VALUE.H's tracker marked.
 */
void sf_footprint_add(struct sf_footprint *f, const struct sf_op *op);

/* Of what was added; false when it passes 2^63 - 1. */
bool
sf_footprint_peak(const struct sf_footprint *f, struct sf_high_water *peak);

SF_PUBLIC_END

#endif
