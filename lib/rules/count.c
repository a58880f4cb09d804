/* Counting the operators of a stream. */
#include "rules/count.h"

#include <stdarg.h>

#include "base/die.h"
#include "rules/rule.h"

void
sf_counter_init(struct sf_counter *counter, struct sf_rulebook *book,
    struct sf_arena *arena)
{
	*counter = (struct sf_counter){ .book = book };
	sf_values_init(&counter->values);
	sf_table_init(&counter->without_rule, arena);
	sf_table_init(&counter->unresolved, arena);
	sf_table_init(&counter->unfit, arena);
}

void
sf_counter_release(struct sf_counter *counter)
{
	sf_values_release(&counter->values);
	sf_table_release(&counter->without_rule);
	sf_table_release(&counter->unresolved);
	sf_table_release(&counter->unfit);
	sf_buf_release(&counter->text);
}

/* Of a name: how many do not fit the rule, and why the first does not. */
struct unfit {
	int64_t n;
	const char *reason;
};

/* The first tensor that is not resolved, NULL when all are. */
static const struct sf_tensor *
first_unresolved(const struct sf_tensor *tensors, int n)
{
	for (int i = 0; i < n; i++)
		if (!tensors[i].absent && !tensors[i].resolved)
			return &tensors[i];
	return NULL;
}

static const char *
what_is_missing(const struct sf_tensor *t)
{
	if (!t->rank_known)
		return "its shape";
	return t->dtype == SF_DT_UNKNOWN ? "its type" : "a size";
}

static void put_unresolved(struct sf_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
put_unresolved(struct sf_stream *stream, const char *format, ...)
{
	struct sf_buf text = { 0 };
	va_list ap;

	va_start(ap, format);
	sf_buf_vprintf(&text, format, ap);
	va_end(ap);
	sf_jsonw_str(sf_stream_extend(stream, "unresolved"),
	    (struct sf_str){ text.p, text.n });
	sf_buf_release(&text);
}

/*
 * Not resolved: says so in the record, unless it is there. What costs the same
 * whatever its shapes needs none.
 */
static bool
is_unresolved(const struct sf_rule *rule, struct sf_stream *stream,
    const struct sf_op *op)
{
	const struct sf_tensor *t;

	if (op->unresolved.n != 0)
		return true;
	if (rule->constant)
		return false;
	t = first_unresolved(op->inputs, op->ninputs);
	if (t == NULL)
		t = first_unresolved(op->outputs, op->noutputs);
	if (t == NULL)
		return false;
	put_unresolved(stream, "tensor '%.*s': %s is not known",
	    SF_STR_ARG(t->tid), what_is_missing(t));
	return true;
}

static void
explain(
    struct sf_counter *counter, const struct sf_rule *rule, struct sf_eval *e)
{
	struct sf_str formula = sf_rule_formula(rule, e->arena);

	sf_buf_put(&counter->text, formula.p, formula.n);
	SF_BUF_LIT(&counter->text, " = ");
	sf_expr_print(rule->fields[SF_FIELD_FLOPS], e, &counter->text);
}

/* The operator is not what its rule is for, as ERROR says. */
static void
set_aside(struct sf_counter *counter, struct sf_stream *stream,
    struct sf_op *op, const struct sf_error *error)
{
	struct sf_entry *entry = sf_table_add(&counter->unfit, op->name);
	struct unfit *unfit = entry->ptr;

	if (unfit == NULL) {
		struct sf_arena *arena = counter->unfit.arena;

		entry->ptr = unfit = sf_arena_calloc(arena, 1, sizeof *unfit);
		unfit->reason = sf_arena_printf(
		    arena, "op %lld: %s", (long long)op->i, error->text);
	}
	unfit->n++;
	op->counts = (struct sf_counts){ .category = SF_CAT_UNKNOWN };
	put_unresolved(stream, "%s", error->text);
	SF_BUF_LIT(&counter->text, "unresolved");
}

static void
apply(struct sf_counter *counter, const struct sf_rule *rule,
    struct sf_stream *stream, struct sf_op *op)
{
	struct sf_error error;
	struct sf_attrs attrs = { .read = false };
	bool wrong = false;
	struct sf_eval e = { .op = op,
		.arena = sf_stream_record_arena(stream),
		.error = &error,
		.attrs = &attrs,
		.wrong = &wrong };
	bool fits = sf_rule_count(rule, &e, &op->counts);

	if (wrong)
		sf_op_die(stream, op, "%s", error.text);
	if (!fits)
		set_aside(counter, stream, op, &error);
	else if (counter->why)
		explain(counter, rule, &e);
}

/* Sets op->counts, and the explanation where it is wanted. */
static void
decide(struct sf_counter *counter, const struct sf_rule *rule,
    struct sf_stream *stream, struct sf_op *op)
{
	op->counts = (struct sf_counts){ .category = SF_CAT_UNKNOWN };
	if (op->folded || op->dead) {
		op->counts.category = SF_CAT_VIEW;
		sf_buf_printf(
		    &counter->text, "%s", op->folded ? "folded" : "dead");
	} else if (rule == NULL) {
		sf_table_add(&counter->without_rule, op->name)->num++;
		SF_BUF_LIT(&counter->text, "no rule");
	} else if (is_unresolved(rule, stream, op)) {
		sf_table_add(&counter->unresolved, op->name)->num++;
		SF_BUF_LIT(&counter->text, "unresolved");
	} else {
		apply(counter, rule, stream, op);
	}
}

void
sf_counter_count(
    struct sf_counter *counter, struct sf_stream *stream, struct sf_op *op)
{
	const struct sf_rule *rule = sf_rulebook_find(counter->book, op->name);

	counter->text.n = 0;
	if (op->i == 0)
		sf_values_reset(&counter->values);
	sf_values_mark(&counter->values, op);
	/* Who made a value is nothing to a rule: only parameters are kept. */
	if (rule != NULL && rule->aliases && op->ninputs != 0 &&
	    op->inputs[0].param)
		sf_values_pass(&counter->values, op);
	decide(counter, rule, stream, op);
	sf_stream_put_counts(stream, op);
	op->counted = true;
	if (counter->why)
		sf_jsonw_str(sf_stream_extend(stream, "why"),
		    (struct sf_str){ counter->text.p, counter->text.n });
}

bool
sf_counter_complete(const struct sf_counter *counter)
{
	return counter->without_rule.n == 0 && counter->unresolved.n == 0 &&
	    counter->unfit.n == 0;
}

static void
complain(const struct sf_table *names, const char *what)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct sf_entry *entry = names->order[i];

		sf_note("%s '%.*s': %lld operator%s", what,
		    SF_STR_ARG(entry->name), (long long)entry->num,
		    entry->num == 1 ? "" : "s");
	}
}

void
sf_counter_complain(const struct sf_counter *counter)
{
	complain(&counter->without_rule, "no rule for");
	complain(&counter->unresolved, "unresolved");
	for (size_t i = 0; i < counter->unfit.n; i++) {
		const struct sf_entry *entry = counter->unfit.order[i];
		const struct unfit *unfit = entry->ptr;

		sf_note("no fit for the rule of '%.*s': %lld operator%s; %s",
		    SF_STR_ARG(entry->name), (long long)unfit->n,
		    unfit->n == 1 ? "" : "s", unfit->reason);
	}
}

static void
summarise_without_rule(const struct sf_table *names)
{
	const struct sf_entry *most = NULL;
	long long all = 0;

	for (size_t i = 0; i < names->n; i++) {
		const struct sf_entry *entry = names->order[i];

		all += (long long)entry->num;
		if (most == NULL || entry->num > most->num)
			most = entry;
	}
	if (most == NULL)
		return;
	sf_note("%lld operator%s of %zu name%s without a rule, not counted; "
		"most are '%.*s': %lld",
	    all, all == 1 ? "" : "s", names->n, names->n == 1 ? "" : "s",
	    SF_STR_ARG(most->name), (long long)most->num);
}

static void
summarise_unfit(const struct sf_table *names)
{
	long long all = 0;

	if (names->n == 0)
		return;
	for (size_t i = 0; i < names->n; i++)
		all += ((const struct unfit *)names->order[i]->ptr)->n;
	sf_note("%lld operator%s of %zu name%s that %s not fit the rule, not "
		"counted; the first is '%.*s', %s",
	    all, all == 1 ? "" : "s", names->n, names->n == 1 ? "" : "s",
	    all == 1 ? "does" : "do", SF_STR_ARG(names->order[0]->name),
	    ((const struct unfit *)names->order[0]->ptr)->reason);
}

void
sf_counter_summarise(const struct sf_counter *counter)
{
	summarise_without_rule(&counter->without_rule);
	summarise_unfit(&counter->unfit);
}
