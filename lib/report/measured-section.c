/* Measured times beside modelled ones. */
#include "report/measured-section.h"

#include <math.h>
#include <stdlib.h>

#include "cost/op_cost.h"

static void *
begin(struct sf_subject *s)
{
	struct sf_measured_report *m = sf_arena_calloc(s->arena, 1, sizeof *m);

	sf_table_init(&m->types, s->arena);
	sf_top_init(&m->top, (size_t)s->top);
	return m;
}

static void
release(void *state)
{
	struct sf_measured_report *m = state;

	sf_table_release(&m->types);
	sf_top_release(&m->top);
}

static void
add(struct sf_beside *sum, double measured_s, double modelled_s)
{
	sum->calls++;
	sum->measured_s += measured_s;
	if (modelled_s < 0)
		return;
	sum->compared++;
	sum->compared_s += measured_s;
	sum->modelled_s += modelled_s;
	sum->off_s += fabs(modelled_s - measured_s);
}

/* What the op's cost says, -1 when there is none to compare with. */
static double
modelled(struct sf_subject *s, const struct sf_op *op)
{
	struct sf_op_cost cost;

	if (op->cost.n == 0)
		return -1;
	sf_op_cost_read(s->stream, op, &cost);
	return cost.bound == SF_BOUND_FREE ? -1 : cost.time_s + cost.transfer_s;
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_measured_report *m = state;
	struct sf_type_beside *type;
	struct sf_timed timed = { .i = op->i, .span_s = op->measured_s };
	struct sf_entry *entry;

	if (!op->measured)
		return;
	entry = sf_table_add(&m->types, op->name);
	if (entry->ptr == NULL) {
		type = entry->ptr = sf_arena_calloc(s->arena, 1, sizeof *type);
		type->type = sf_totals_type(&s->totals, op->name);
	}
	type = entry->ptr;
	timed.name = type->type->name;
	timed.modelled_s = modelled(s, op);
	add(&m->all, op->measured_s, timed.modelled_s);
	add(&type->sum, op->measured_s, timed.modelled_s);
	sf_top_add(&m->top, &timed);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_measured_report *m = state;

	sf_subject_time(s, m->all.measured_s);
	sf_subject_time(s, m->all.modelled_s);
	sf_top_sort(&m->top);
}

bool
sf_beside_error(double measured_s, double modelled_s, double *error)
{
	if (!(measured_s > 0) || modelled_s < 0)
		return false;
	*error = modelled_s / measured_s - 1;
	return isfinite(*error);
}

static int
compare_types(const void *left, const void *right)
{
	const struct sf_type_beside *a = *(struct sf_type_beside *const *)left;
	const struct sf_type_beside *b = *(struct sf_type_beside *const *)right;

	if (a->sum.measured_s != b->sum.measured_s)
		return a->sum.measured_s > b->sum.measured_s ? -1 : 1;
	return strcmp(a->type->name.p, b->type->name.p);
}

struct sf_type_beside **
sf_measured_sorted(const struct sf_measured_report *m, struct sf_arena *arena)
{
	size_t n = m->types.n;
	struct sf_type_beside **all =
	    sf_arena_calloc(arena, n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = m->types.order[i]->ptr;
	qsort(all, n, sizeof(struct sf_type_beside *), compare_types);
	return all;
}

const struct sf_section sf_section_measured = {
	.begin = begin,
	.op = take_op,
	.check = check,
	.markdown = sf_measured_markdown,
	.figures = sf_measured_figures,
	.release = release,
};
