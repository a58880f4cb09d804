/* Of which type the data of values are. */
#include "cost/origin.h"

void
sf_origins_init(struct sf_origins *o)
{
	*o = (struct sf_origins){ .arena = sf_arena_new() };
	sf_table_init(&o->tids, o->arena);
}

void
sf_origins_release(struct sf_origins *o)
{
	sf_table_release(&o->tids);
	sf_arena_free(o->arena);
}

void
sf_origins_reset(struct sf_origins *o)
{
	sf_table_clear(&o->tids);
	sf_arena_reset(o->arena);
}

/* How wide it is as a floating-point type; 0: it is none. */
static int
width(enum sf_dtype dtype)
{
	switch (dtype) {
	case SF_DT_F16:
		return 1;
	case SF_DT_BF16:
		return 2;
	case SF_DT_F32:
		return 3;
	case SF_DT_F64:
		return 4;
	default:
		return 0;
	}
}

/* Only what is as wide can be of narrower data. */
static bool
may_be_widened(enum sf_dtype dtype)
{
	return dtype == SF_DT_F32 || dtype == SF_DT_F64;
}

enum sf_dtype
sf_origin_of(const struct sf_origins *o, const struct sf_tensor *t)
{
	const struct sf_entry *entry =
	    may_be_widened(t->dtype) ? sf_table_find(&o->tids, t->tid) : NULL;

	return entry != NULL && entry->num != SF_DT_UNKNOWN
	    ? (enum sf_dtype)entry->num
	    : t->dtype;
}

/*
 * The widest data that OP reads: F16 where it reads nothing, UNKNOWN where it
 * reads numbers of another kind alone.
 */
static enum sf_dtype
widest(const struct sf_origins *o, const struct sf_op *op)
{
	enum sf_dtype most = SF_DT_F16;
	bool floats = false, others = false;

	for (int i = 0; i < op->ninputs; i++) {
		const struct sf_tensor *t = &op->inputs[i];
		enum sf_dtype dtype;

		if (t->absent)
			continue;
		dtype = sf_origin_of(o, t);
		if (width(dtype) == 0) {
			others = others || dtype != SF_DT_B8;
			continue;
		}
		floats = true;
		if (width(dtype) > width(most))
			most = dtype;
	}
	return others && !floats ? SF_DT_UNKNOWN : most;
}

void
sf_origins_take(struct sf_origins *o, const struct sf_op *op)
{
	enum sf_dtype data = SF_DT_UNKNOWN;
	bool known = false;

	for (int i = 0; i < op->noutputs && !known; i++)
		known = !op->outputs[i].absent &&
		    may_be_widened(op->outputs[i].dtype);
	if (known)
		data = widest(o, op);
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *t = &op->outputs[i];
		struct sf_entry *entry = NULL;
		bool narrower;

		if (t->absent)
			continue;
		narrower = may_be_widened(t->dtype) && data != SF_DT_UNKNOWN &&
		    width(data) < width(t->dtype);
		/* A name may be written over. */
		if (narrower)
			entry = sf_table_add(&o->tids, t->tid);
		else if (o->tids.n != 0)
			entry = sf_table_find(&o->tids, t->tid);
		if (entry != NULL)
			entry->num = (int64_t)(narrower ? data : SF_DT_UNKNOWN);
	}
}
