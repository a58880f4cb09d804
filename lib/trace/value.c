/* The values of a trace, followed through its operators. */
#include "trace/value.h"

#include "base/hash.h"

__extension__ typedef unsigned __int128 uint128;

void
sf_values_init(struct sf_values *values)
{
	*values = (struct sf_values){ .arena = sf_arena_new() };
	sf_table_init(&values->tids, values->arena);
}

void
sf_values_release(struct sf_values *values)
{
	sf_table_release(&values->tids);
	sf_arena_free(values->arena);
}

void
sf_values_reset(struct sf_values *values)
{
	sf_table_clear(&values->tids);
	sf_arena_reset(values->arena);
	memset(values->marks, 0, sizeof values->marks);
}

/* ---- what is known of a tid ---- */

/* Where there are many, a look at their marks is for nothing. */
static bool
has_marks(const struct sf_values *values)
{
	return values->tids.n < SF_VALUE_MARKS / 4;
}

static bool
is_marked(const struct sf_values *values, struct sf_str tid)
{
	uint64_t hash = sf_hash_quick(tid.p, tid.n) % SF_VALUE_MARKS;

	return (values->marks[hash / 64] >> hash % 64 & 1) != 0;
}

/* NULL when nothing is. */
static struct sf_trace_value *
find(const struct sf_values *values, struct sf_str tid)
{
	const struct sf_entry *entry;

	if (values->tids.n == 0 ||
	    (has_marks(values) && !is_marked(values, tid)))
		return NULL;
	entry = sf_table_find(&values->tids, tid);
	return entry != NULL ? entry->ptr : NULL;
}

/* What is known of it from now on. */
static struct sf_trace_value *
add(struct sf_values *values, struct sf_str tid)
{
	struct sf_entry *entry = sf_table_add(&values->tids, tid);

	if (entry->ptr != NULL)
		return entry->ptr;
	if (has_marks(values)) {
		uint64_t hash = sf_hash_quick(tid.p, tid.n) % SF_VALUE_MARKS;

		values->marks[hash / 64] |= UINT64_C(1) << hash % 64;
	}
	return entry->ptr =
		   sf_arena_alloc(values->arena, sizeof(struct sf_trace_value));
}

/* ---- following them ---- */

struct sf_trace_value
sf_value_of(const struct sf_values *values, const struct sf_tensor *t)
{
	struct sf_trace_value value = {
		.maker = -1, .param = t->param, .stored = t->stored
	};
	const struct sf_trace_value *known =
	    t->absent ? NULL : find(values, t->tid);

	if (known == NULL)
		return value;
	value.maker = known->maker;
	value.places = known->places;
	if (known->param && !t->param) {
		value.param = true;
		value.stored = known->stored;
	}
	return value;
}

void
sf_values_mark(const struct sf_values *values, struct sf_op *op)
{
	if (values->tids.n == 0)
		return;
	for (int i = 0; i < op->ninputs; i++) {
		struct sf_tensor *t = &op->inputs[i];
		struct sf_trace_value value;

		if (t->absent || t->param)
			continue;
		value = sf_value_of(values, t);
		t->param = value.param;
		t->stored = value.param ? value.stored : t->stored;
	}
}

/* What a value is unless something else is said of it. */
static bool
is_usual(const struct sf_trace_value *value)
{
	return value->maker < 0 && !value->param && value->places == 0;
}

static void
set(struct sf_values *values, const struct sf_tensor *t,
    const struct sf_trace_value *value)
{
	struct sf_trace_value *known =
	    is_usual(value) ? find(values, t->tid) : add(values, t->tid);

	if (known != NULL)
		*known = *value;
}

void
sf_values_make(struct sf_values *values, const struct sf_op *op, int places)
{
	const struct sf_trace_value made = { .maker = op->i, .places = places };

	for (int i = 0; i < op->noutputs; i++)
		if (!op->outputs[i].absent)
			set(values, &op->outputs[i], &made);
}

/* Of a part as much is stored as its share of the elements, rounded up. */
static int64_t
stored_of_part(
    const struct sf_tensor *whole, int64_t stored, const struct sf_tensor *part)
{
	uint128 share;

	if (stored == whole->bytes || whole->numel == 0)
		return part->bytes;
	if (part->numel == whole->numel)
		return stored;
	share = (uint128)(uint64_t)stored * (uint64_t)part->numel;
	share = (share + (uint64_t)whole->numel - 1) / (uint64_t)whole->numel;
	/* A view that repeats elements stores no more than it shows. */
	return share < (uint64_t)part->bytes ? (int64_t)share : part->bytes;
}

void
sf_values_pass(struct sf_values *values, const struct sf_op *op)
{
	struct sf_trace_value first = { .maker = -1 }, handed;
	int64_t maker;

	if (op->ninputs != 0)
		first = sf_value_of(values, &op->inputs[0]);
	maker = first.maker;
	for (int i = 1; i < op->ninputs && maker < 0; i++)
		maker = sf_value_of(values, &op->inputs[i]).maker;
	for (int i = 0; i < op->noutputs; i++) {
		const struct sf_tensor *t = &op->outputs[i];

		if (t->absent)
			continue;
		handed = first;
		handed.maker = maker;
		if (handed.param)
			handed.stored =
			    stored_of_part(&op->inputs[0], first.stored, t);
		set(values, t, &handed);
	}
}

void
sf_value_place(struct sf_values *values, const struct sf_tensor *t, int places)
{
	struct sf_trace_value value = sf_value_of(values, t);

	value.places = places;
	if (!t->absent)
		set(values, t, &value);
}
