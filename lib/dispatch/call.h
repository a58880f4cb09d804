/* One operator while it is put together from the arguments of a call. */
#ifndef SF_DISPATCH_CALL_H
#define SF_DISPATCH_CALL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "stream/jsonw.h"
#include "trace/op.h"

struct sf_made_op {
	struct sf_arena *arena; /* of one operator; emptied by its beginning */
	struct sf_buf inputs, outputs; /* struct sf_tensor */
	struct sf_jsonw attrs;         /* members, without braces */
	struct sf_str name;
	struct sf_str module;     /* empty: not known */
	struct sf_str unresolved; /* empty: it is */
	bool measured;
	double measured_s;
};

void sf_call_init(struct sf_made_op *call);
void sf_call_release(struct sf_made_op *call);

/* Begins an operator of that name. */
void sf_call_begin(struct sf_made_op *call, struct sf_str name);

/*
 * Adds a tensor to TO, one of the two lists; its shape is its caller's and
 * lives as long as the operator. False when its bytes pass 2^63 - 1.
 */
bool sf_call_add(struct sf_buf *to, struct sf_tensor tensor);

/* One that was left out. */
void sf_call_add_absent(struct sf_buf *to);

/* How many there are, and which. */
int sf_call_count(const struct sf_buf *list);
struct sf_tensor *sf_call_tensor(const struct sf_buf *list, int i);

/*
 * Copies the value that is next in SCAN, in compact form. False when it is
 * none.
 */
bool sf_call_copy(struct sf_json *scan, struct sf_jsonw *w);

/*
 * An element of a list of sizes, as a JSON array in SCAN, in ARENA. False when
 * it is no shape.
 */
bool sf_call_shape(
    struct sf_json *scan, struct sf_arena *arena, struct sf_tensor *tensor);

/*
 * Writes the operator. Inputs that were left out at the end of the list are
 * not written. An operator that has a tensor which is not resolved is said to
 * be unresolved for the reason WHY, and one that LACKS something for that, unless
 * it is FREE of cost; LACKS may be NULL.
 */
void sf_call_put(struct sf_made_op *call, struct sf_stream *stream, bool free,
    const char *lacks, const char *why);

#endif
