/* Modules that ran while a profile was taken. */
#include "dispatch/module.h"

#include "base/num.h"

/* From one time to another; NUMBER tells those apart that are alike. */
struct range {
	int64_t thread, start_ns, end_ns;
	int64_t class; /* from 1 */
	int64_t number;
};

/* One that runs. */
struct open {
	int64_t end_ns;
	size_t length; /* of the name up to it */
};

/* What is around comes before what is inside. */
static int
by_time(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->thread != y->thread)
		return sf_int_compare(x->thread, y->thread);
	if (x->start_ns != y->start_ns)
		return sf_int_compare(x->start_ns, y->start_ns);
	if (x->end_ns != y->end_ns)
		return sf_int_compare(y->end_ns, x->end_ns);
	return sf_int_compare(x->number, y->number);
}

void
sf_modules_init(struct sf_modules *m, struct sf_arena *arena)
{
	*m = (struct sf_modules){ .seen = 0 };
	m->v = sf_sorted_new(sizeof(struct range), SF_MODULE_MEMORY, by_time);
	sf_table_init(&m->classes, arena);
}

void
sf_modules_release(struct sf_modules *m)
{
	sf_sorted_free(m->v);
	sf_table_release(&m->classes);
}

void
sf_modules_add(struct sf_modules *m, int64_t thread, struct sf_str name,
    int64_t start_ns, int64_t end_ns)
{
	struct sf_entry *entry = sf_table_add(&m->classes, name);

	if (entry->num == 0)
		entry->num = (int64_t)m->classes.n;
	sf_sorted_add(m->v,
	    &(struct range){ .thread = thread,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.class = entry->num,
		.number = m->seen++ });
}

void
sf_modules_finish(struct sf_modules *m)
{
	sf_sorted_finish(m->v);
}

/* ---- those of a thread ---- */

/* The first range of that thread or of one behind it. */
static size_t
first_of(const struct sf_modules *m, int64_t thread)
{
	return sf_sorted_first(m->v,
	    &(struct range){
		.thread = thread, .start_ns = INT64_MIN, .end_ns = INT64_MAX });
}

void
sf_module_stack_init(
    struct sf_module_stack *s, const struct sf_modules *m, int64_t thread)
{
	*s = (struct sf_module_stack){ .next = first_of(m, thread),
		.end = first_of(m, thread + 1) };
}

void
sf_module_stack_release(struct sf_module_stack *s)
{
	sf_buf_release(&s->open);
	sf_buf_release(&s->name);
}

/* The innermost that runs, NULL: none does. */
static struct open *
top(const struct sf_module_stack *s)
{
	if (s->open.n == 0)
		return NULL;
	return (struct open *)(void *)(s->open.p + s->open.n) - 1;
}

static void
leave_before(struct sf_module_stack *s, int64_t ns)
{
	while (s->open.n != 0 && top(s)->end_ns <= ns) {
		s->open.n -= sizeof(struct open);
		s->name.n = s->open.n != 0 ? top(s)->length : 0;
		s->changes++;
	}
}

static void
enter(struct sf_module_stack *s, const struct sf_modules *m,
    const struct range *range)
{
	struct sf_str class = m->classes.order[range->class - 1]->name;
	struct open open = { .end_ns = range->end_ns };

	leave_before(s, range->start_ns);
	/* What passes the end of what is around ends with that. */
	if (s->open.n != 0 && top(s)->end_ns < open.end_ns)
		open.end_ns = top(s)->end_ns;
	if (s->name.n + 1 + class.n <= SF_MODULE_NAME) {
		if (s->name.n != 0)
			sf_buf_putc(&s->name, '.');
		sf_buf_put(&s->name, class.p, class.n);
	}
	open.length = s->name.n;
	sf_buf_put(&s->open, &open, sizeof open);
	s->changes++;
}

struct sf_str
sf_module_stack_at(
    struct sf_module_stack *s, const struct sf_modules *m, int64_t start_ns)
{
	struct range range;

	for (; s->next < s->end; s->next++) {
		sf_sorted_get(m->v, s->next, &range);
		if (range.start_ns > start_ns)
			break;
		enter(s, m, &range);
	}
	leave_before(s, start_ns);
	return (struct sf_str){ s->name.p != NULL ? s->name.p : "", s->name.n };
}
