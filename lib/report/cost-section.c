/* Costs: what sf-cost gave each operator, summed in the ways it is asked for. */
#include "report/cost-section.h"

#include <stdlib.h>

static void *
begin(struct sf_subject *s)
{
	struct sf_cost_report *c = sf_arena_calloc(s->arena, 1, sizeof *c);

	sf_table_init(&c->types, s->arena);
	return c;
}

static void
release(void *state)
{
	struct sf_cost_report *c = state;

	sf_table_release(&c->types);
}

/* ---- the device ---- */

static struct sf_str
device_text(
    const struct sf_cost_report *c, struct sf_subject *s, const char *key)
{
	const struct sf_pair *pair = sf_pairs_find(&c->device, key);

	if (pair == NULL)
		sf_stream_die(s->stream, "device: no '%s'", key);
	return sf_pair_text(pair, s->arena);
}

/* The place of a word in a list of names, -1 when it is not there. */
static int
find_word(struct sf_str word, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (sf_str_is(word, names[i]))
			return i;
	return -1;
}

static int
device_word(const struct sf_cost_report *c, struct sf_subject *s,
    const char *key, const char *const *names)
{
	struct sf_str word = device_text(c, s, key);
	int at = find_word(word, names);

	if (at >= 0)
		return at;
	sf_stream_die(s->stream, "device: %s: found '%.*s', expected %s or %s",
	    key, SF_STR_ARG(word), names[0], names[1]);
}

static double
device_rate(
    const struct sf_cost_report *c, struct sf_subject *s, const char *key)
{
	struct sf_str text = device_text(c, s, key);
	struct sf_json scan = {
		.p = text.p, .start = text.p, .arena = s->arena
	};
	double rate = sf_json_double(&scan);

	if (scan.error != NULL || !(rate > 0))
		sf_stream_die(s->stream,
		    "device: %s: found '%.*s', expected a number above 0", key,
		    SF_STR_ARG(text));
	return rate;
}

static void
record(void *state, struct sf_subject *s, enum sf_kind kind)
{
	static const char *const modes[] = { "roofline", "offload", NULL };
	struct sf_cost_report *c = state;
	struct sf_json scan;

	if (kind != SF_K_DEVICE)
		return;
	if (c->costed)
		sf_stream_die(s->stream, "a second device record");
	c->costed = true;
	scan = sf_stream_scan(s->stream);
	c->device = sf_pairs_read(&scan, s->arena);
	sf_stream_check(s->stream, &scan);
	c->offload = device_word(c, s, "mode", modes) == 1;
	c->memory =
	    (enum sf_memory_mode)device_word(c, s, "memory", sf_memory_modes);
	c->rates.flops_per_s = device_rate(c, s, "flops_per_s");
	c->rates.bytes_per_s = device_rate(c, s, "bytes_per_s");
}

/* ---- the cost of an operator ---- */

struct cost {
	double time_s, transfer_s;
	enum sf_bound bound;
	enum sf_cost_unit unit;
};

/* The number of the word at SCAN in the list of names. */
static int
read_word(struct sf_json *scan, const char *const *names)
{
	int word = find_word(sf_json_string(scan), names);

	if (word >= 0)
		return word;
	sf_json_fail(scan, "a word that this version does not know");
	return 0;
}

/* The members of `cost`, each there once. */
static unsigned
read_member(struct cost *cost, struct sf_json *scan, struct sf_str key)
{
	if (SF_KEY(key, "time_s")) {
		cost->time_s = sf_json_double(scan);
		return 1;
	}
	if (SF_KEY(key, "bound")) {
		cost->bound = (enum sf_bound)read_word(scan, sf_bound_names);
		return 2;
	}
	if (SF_KEY(key, "unit")) {
		cost->unit = (enum sf_cost_unit)read_word(scan, sf_cost_units);
		return 4;
	}
	if (SF_KEY(key, "transfer_s")) {
		cost->transfer_s = sf_json_double(scan);
		return 8;
	}
	sf_json_skip(scan);
	return 0;
}

static struct cost
read_cost(struct sf_subject *s, const struct sf_op *op)
{
	struct sf_json scan = { .p = op->cost.p,
		.start = op->cost.p,
		.arena = sf_stream_record_arena(s->stream) };
	struct cost cost = { 0 };
	unsigned seen = 0;
	struct sf_str key;

	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		unsigned member = read_member(&cost, &scan, key);

		if ((seen & member) != 0)
			sf_json_fail(&scan, "a member that was there already");
		seen |= member;
	}
	if (scan.error != NULL)
		sf_op_die(s->stream, op, "cost: %s", scan.error);
	if (seen != 15 || !(cost.time_s >= 0 && cost.transfer_s >= 0))
		sf_op_die(s->stream, op,
		    "cost: found '%.*s', expected time_s and transfer_s >= 0, "
		    "a bound and a unit",
		    SF_STR_ARG(op->cost));
	return cost;
}

/* ---- sums ---- */

void
sf_spent_add(struct sf_spent *a, const struct sf_spent *b)
{
	a->calls += b->calls;
	a->flops += b->flops;
	a->bytes += b->bytes;
	a->time_s += b->time_s;
	a->transfer_s += b->transfer_s;
}

static struct sf_type_spent *
type_of(struct sf_cost_report *c, struct sf_subject *s, struct sf_str name)
{
	struct sf_entry *entry = sf_table_add(&c->types, name);
	struct sf_type_spent *type = entry->ptr;

	if (type == NULL) {
		type = sf_arena_calloc(s->arena, 1, sizeof *type);
		type->type = sf_totals_type(&s->totals, name);
		entry->ptr = type;
	}
	return type;
}

static void
take_op(void *state, struct sf_subject *s, const struct sf_op *op)
{
	struct sf_cost_report *c = state;
	struct sf_type_spent *type;
	struct sf_spent one;
	struct cost cost;

	if (op->cost.n == 0)
		return;
	if (!op->counted)
		sf_op_die(s->stream, op, "is costed, expected its counts, too");
	cost = read_cost(s, op);
	type = type_of(c, s, op->name);
	/* Integers are parts of sums that the totals have checked. */
	one = (struct sf_spent){ .calls = 1,
		.flops = op->counts.flops,
		.bytes = op->counts.bytes_read + op->counts.bytes_written,
		.time_s = cost.time_s,
		.transfer_s = cost.transfer_s };
	c->ops++;
	sf_spent_add(&c->all, &one);
	sf_spent_add(&c->by_unit[cost.unit], &one);
	sf_spent_add(&c->by_category[op->counts.category], &one);
	sf_spent_add(&type->sum, &one);
	type->units |= 1u << cost.unit;
	c->bound_s[cost.bound] += cost.time_s;
	c->memory_bytes += sf_cost_bytes(&op->counts, c->memory);
}

static void
check(void *state, struct sf_subject *s)
{
	struct sf_cost_report *c = state;

	if (!c->costed && c->ops != 0)
		sf_stream_die(s->stream,
		    "%lld operators carry costs, expected a device record "
		    "before them",
		    (long long)c->ops);
	if (c->costed && c->ops != s->totals.ops)
		sf_stream_die(s->stream,
		    "%lld of %lld operators carry costs, expected all",
		    (long long)c->ops, (long long)s->totals.ops);
}

/* ---- what follows from it ---- */

double
sf_spent_s(const struct sf_spent *spent)
{
	return spent->time_s + spent->transfer_s;
}

int64_t
sf_cost_calls(const struct sf_cost_report *c)
{
	return c->all.calls - c->by_unit[SF_UNIT_NOBODY].calls;
}

double
sf_cost_roofline_s(const struct sf_cost_report *c, enum sf_bound bound)
{
	return bound == SF_BOUND_COMPUTE
	    ? (double)c->all.flops / c->rates.flops_per_s
	    : c->memory_bytes / c->rates.bytes_per_s;
}

static int
compare_types(const void *left, const void *right)
{
	const struct sf_type_spent *a = *(struct sf_type_spent *const *)left;
	const struct sf_type_spent *b = *(struct sf_type_spent *const *)right;
	double x = sf_spent_s(&a->sum), y = sf_spent_s(&b->sum);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->type->name.p, b->type->name.p);
}

struct sf_type_spent **
sf_cost_sorted(const struct sf_cost_report *c, struct sf_arena *arena)
{
	size_t n = c->types.n;
	struct sf_type_spent **all = sf_arena_calloc(arena, n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = c->types.order[i]->ptr;
	qsort(all, n, sizeof(struct sf_type_spent *), compare_types);
	return all;
}

void
sf_type_units(struct sf_buf *out, const struct sf_type_spent *type)
{
	const char *comma = "";

	for (int u = 0; u < SF_UNIT_COUNT; u++) {
		if ((type->units >> u & 1) == 0)
			continue;
		sf_buf_printf(out, "%s%s", comma, sf_cost_units[u]);
		comma = ", ";
	}
}

const struct sf_section sf_section_cost = {
	.begin = begin,
	.record = record,
	.op = take_op,
	.check = check,
	.markdown = sf_cost_markdown,
	.figures = sf_cost_figures,
	.release = release,
};
