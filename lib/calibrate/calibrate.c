/* Samples, fits and what they do not say. */
#include "calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "trace/op.h"

void
sf_calibration_init(struct sf_calibration *c, const struct sf_device *base,
    struct sf_arena *arena)
{
	*c = (struct sf_calibration){
		.arena = arena, .base = base, .device = *base
	};
	sf_origins_init(&c->origins);
	sf_table_init(&c->types, arena);
	for (int i = 0; i < SF_CAT_COUNT; i++)
		sf_table_init(&c->categories[i].sizes, arena);
}

void
sf_calibration_release(struct sf_calibration *c)
{
	sf_origins_release(&c->origins);
	sf_table_release(&c->types);
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		sf_buf_release(&c->categories[i].samples);
		sf_buf_release(&c->categories[i].types);
		sf_buf_release(&c->categories[i].groups);
		sf_table_release(&c->categories[i].sizes);
	}
}

/* ---- samples ---- */

static struct sf_calibrated_type *
type_of(struct sf_calibration *c, const struct sf_op *op)
{
	struct sf_entry *entry = sf_table_add(&c->types, op->name);
	struct sf_calibrated_type *type = entry->ptr;

	if (type == NULL) {
		type = entry->ptr = sf_arena_calloc(c->arena, 1, sizeof *type);
		type->name = entry->name;
		type->category = op->counts.category;
	}
	if (op->counts.category == SF_CAT_UNKNOWN)
		type->uncounted = true;
	else
		type->category = op->counts.category;
	return type;
}

/*
 * FLOPs as if all were of the type of peak_flops: those of a type of twice the
 * peak are half as many.
 */
static double
flops_of(const struct sf_calibration *c, struct sf_stream *stream,
    const struct sf_op *op)
{
	double flops = sf_cost_flops(&op->counts);
	enum sf_precision used;

	if (!sf_device_has_peaks(c->base))
		return flops;
	return flops *
	    (c->base->peak_flops /
		sf_device_peak(
		    c->base, sf_op_peak(stream, op, &c->origins), &used));
}

static void
add_sample(struct sf_calibration *c, struct sf_stream *stream,
    struct sf_calibrated_type *type, const struct sf_op *op)
{
	struct sf_calibrated_category *cat =
	    &c->categories[op->counts.category];
	struct sf_sample s = { .flops = flops_of(c, stream, op),
		.bytes = sf_cost_bytes(&op->counts, SF_MEMORY_UNFUSED),
		.time_s = op->measured_s };
	struct sf_str key = { (const char *)&s,
		offsetof(struct sf_sample, time_s) };
	struct sf_entry *size = sf_table_add(&cat->sizes, key);

	if (size->num == 0)
		size->num = (int64_t)cat->sizes.n;
	sf_buf_put(&cat->samples, &s, sizeof s);
	sf_buf_put(&cat->types, &type, sizeof type);
	sf_buf_put(&cat->groups, &size->num, sizeof size->num);
	cat->calls++;
	type->calls++;
}

void
sf_calibration_record(
    struct sf_calibration *c, struct sf_stream *stream, enum sf_kind kind)
{
	struct sf_calibrated_type *type;
	struct sf_op op;

	c->traces += kind == SF_K_TRACE;
	if (kind == SF_K_TRACE)
		sf_origins_reset(&c->origins);
	if (kind != SF_K_OP)
		return;
	sf_op_read(stream, &op);
	if (!op.counted)
		sf_op_die(stream, &op,
		    "is not counted, expected a trace from sf-rules");
	c->ops++;
	if (op.counts.category == SF_CAT_VIEW) {
		sf_origins_take(&c->origins, &op);
		return;
	}
	type = type_of(c, &op);
	type->collective = sf_str_starts(op.name, "c10d.") ||
	    sf_str_starts(op.name, "_c10d_functional");
	if (op.measured && op.measured_s > 0 && !type->collective &&
	    !sf_cost_is_free(&op.counts))
		add_sample(c, stream, type, &op);
	else
		type->other++;
	sf_origins_take(&c->origins, &op);
}

/* ---- what a device says ---- */

/* With the base's own where the fit says nothing. */
static double
modelled(const struct sf_calibration *c, enum sf_category category,
    const struct sf_fit *fit, const struct sf_sample *s)
{
	struct sf_rates rates = sf_device_rates_of(c->base, 1, category);
	struct sf_fit all = { .s_per_flop = 1 / rates.flops_per_s,
		.s_per_byte = 1 / rates.bytes_per_s,
		.call_s = rates.call_s };

	if (fit != NULL && (fit->terms & SF_FIT_FLOPS) != 0)
		all.s_per_flop = fit->s_per_flop;
	if (fit != NULL && (fit->terms & SF_FIT_BYTES) != 0)
		all.s_per_byte = fit->s_per_byte;
	if (fit != NULL && (fit->terms & SF_FIT_CALL) != 0)
		all.call_s = fit->call_s;
	return sf_fit_time(&all, s->flops, s->bytes);
}

static void
add_off(struct sf_off *off, double modelled_s, double measured_s)
{
	off->calls++;
	off->off_s += fabs(modelled_s - measured_s);
	off->measured_s += measured_s;
	off->relative += fabs(modelled_s - measured_s) / measured_s;
}

double
sf_off_mean(const struct sf_off *off)
{
	return off->calls == 0 ? -1 : off->relative / (double)off->calls;
}

bool
sf_calibration_value(const struct sf_calibration *c, enum sf_category category,
    unsigned term, double *value)
{
	const struct sf_calibrated_category *cat = &c->categories[category];

	if (!cat->fitted || (cat->fit.terms & term) == 0)
		return false;
	*value = term == SF_FIT_FLOPS
	    ? 1 / (cat->fit.s_per_flop * c->base->peak_flops)
	    : term == SF_FIT_BYTES
	    ? 1 / (cat->fit.s_per_byte * c->base->memory_bw)
	    : cat->fit.call_s;
	return true;
}

/* ---- fits ---- */

/*
 * What can bound a call at the peaks of the device: arithmetic that takes a
 * tenth of the time of the bytes cannot, and the other way round. So what
 * moves in proportion to its FLOPs, as most element-wise operators do, is not
 * taken to be slow arithmetic.
 */
static unsigned
allowed(const struct sf_calibration *c, const struct sf_sample *v, size_t n)
{
	unsigned terms = SF_FIT_CALL;

	for (size_t i = 0; i < n; i++) {
		double compute_s = v[i].flops / c->base->peak_flops;
		double memory_s = v[i].bytes / c->base->memory_bw;

		if (compute_s > 0 && compute_s >= 0.1 * memory_s)
			terms |= SF_FIT_FLOPS;
		if (memory_s > 0 && memory_s >= 0.1 * compute_s)
			terms |= SF_FIT_BYTES;
	}
	return terms;
}

/* Takes away what a device cannot have. */
static void
limit(const struct sf_calibration *c, struct sf_fit *fit)
{
	double flops_eff = 1 / (fit->s_per_flop * c->base->peak_flops);
	double bw_eff = 1 / (fit->s_per_byte * c->base->memory_bw);

	if ((fit->terms & SF_FIT_FLOPS) != 0 &&
	    !(flops_eff >= 1e-6 && flops_eff <= 1e3))
		fit->terms &= ~(unsigned)SF_FIT_FLOPS;
	if ((fit->terms & SF_FIT_BYTES) != 0 &&
	    !(bw_eff >= 1e-6 && bw_eff <= 1e3))
		fit->terms &= ~(unsigned)SF_FIT_BYTES;
	if ((fit->terms & SF_FIT_CALL) != 0 &&
	    !(fit->call_s >= 1e-12 && fit->call_s <= 1e3))
		fit->terms &= ~(unsigned)SF_FIT_CALL;
}

/* The fit without every fifth size, and how far it is off at these. */
static void
hold_out(struct sf_calibration *c, enum sf_category category)
{
	struct sf_calibrated_category *cat = &c->categories[category];
	const struct sf_sample *v = (const void *)cat->samples.p;
	const int64_t *group = (const void *)cat->groups.p;
	struct sf_calibrated_type **types = (void *)cat->types.p;
	struct sf_buf kept = { 0 };
	struct sf_fit fit;
	size_t n = (size_t)cat->calls;

	for (size_t i = 0; i < n; i++)
		if (group[i] % SF_HOLD_OUT != 0)
			sf_buf_put(&kept, &v[i], sizeof v[i]);
	if (kept.n != 0 && kept.n != cat->samples.n) {
		size_t nkept = kept.n / sizeof *v;
		const struct sf_sample *rest = (const void *)kept.p;

		fit = sf_fit(rest, nkept, allowed(c, rest, nkept));
		limit(c, &fit);
		cat->held = true;
		for (size_t i = 0; i < n; i++) {
			double time_s = modelled(c, category, &fit, &v[i]);

			if (group[i] % SF_HOLD_OUT != 0)
				continue;
			add_off(&cat->held_out, time_s, v[i].time_s);
			add_off(&types[i]->held_out, time_s, v[i].time_s);
			add_off(&c->held_out, time_s, v[i].time_s);
		}
	}
	sf_buf_release(&kept);
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whether the fit, with what the base says of the other terms, is better. */
static bool
is_better(const struct sf_calibration *c, enum sf_category category)
{
	const struct sf_calibrated_category *cat = &c->categories[category];
	const struct sf_sample *v = (const void *)cat->samples.p;
	struct sf_off before = { 0 }, after = { 0 };

	for (size_t i = 0; i < (size_t)cat->calls; i++) {
		add_off(
		    &before, modelled(c, category, NULL, &v[i]), v[i].time_s);
		add_off(&after, modelled(c, category, &cat->fit, &v[i]),
		    v[i].time_s);
	}
	return after.relative <= before.relative;
}

/* Errors before and after, and the spread of what is left. */
static void
compare(struct sf_calibration *c, enum sf_category category)
{
	struct sf_calibrated_category *cat = &c->categories[category];
	const struct sf_sample *v = (const void *)cat->samples.p;
	struct sf_calibrated_type **types = (void *)cat->types.p;
	const struct sf_fit *fit = cat->fitted ? &cat->fit : NULL;
	size_t n = (size_t)cat->calls;
	double *left = sf_reallocarray(NULL, n + 1, sizeof *left);

	for (size_t i = 0; i < n; i++) {
		double was_s = modelled(c, category, NULL, &v[i]);
		double is_s = modelled(c, category, fit, &v[i]);

		add_off(&cat->before, was_s, v[i].time_s);
		add_off(&types[i]->before, was_s, v[i].time_s);
		add_off(&c->before, was_s, v[i].time_s);
		add_off(&cat->after, is_s, v[i].time_s);
		add_off(&types[i]->after, is_s, v[i].time_s);
		add_off(&c->after, is_s, v[i].time_s);
		left[i] = is_s / v[i].time_s - 1;
	}
	qsort(left, n, sizeof *left, compare_doubles);
	cat->low = left[(n - 1) / 10];
	cat->mid = left[(n - 1) / 2];
	cat->high = left[(n - 1) * 9 / 10];
	free(left);
}

/* Puts what was found into the device. */
static void
set_values(struct sf_calibration *c, enum sf_category category)
{
	static const struct {
		unsigned term;
		const char *suffix;
	} rows[] = { { SF_FIT_FLOPS, "flops_eff" }, { SF_FIT_BYTES, "bw_eff" },
		{ SF_FIT_CALL, "call" } };

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct sf_key *key;
		const char *name;
		double value;

		if (!sf_calibration_value(c, category, rows[i].term, &value))
			continue;
		name = sf_arena_printf(c->arena, "%s_%s",
		    sf_category_name(category), rows[i].suffix);
		key = sf_keys_find(&sf_device_keys, sf_str_of(name));
		if (key != NULL)
			*(double *)(void *)((char *)&c->device + key->offset) =
			    value;
	}
}

void
sf_calibration_finish(struct sf_calibration *c)
{
	for (int i = 0; i < SF_CAT_COUNT; i++) {
		struct sf_calibrated_category *cat = &c->categories[i];
		const struct sf_sample *v = (const void *)cat->samples.p;
		enum sf_category category = (enum sf_category)i;
		size_t n = (size_t)cat->calls;

		if (n == 0)
			continue;
		if (n < SF_LEAST_CALLS || cat->sizes.n < SF_LEAST_SIZES) {
			cat->why = "too few calls, or too few sizes";
		} else {
			cat->fit = sf_fit(v, n, allowed(c, v, n));
			limit(c, &cat->fit);
			cat->fitted = cat->fit.terms != 0;
			cat->why = "its calls do not tell arithmetic, memory "
				   "and a fixed time apart";
			if (cat->fitted && !is_better(c, category)) {
				cat->fitted = false;
				cat->why = "what its calls tell does not go "
					   "with the base's other terms";
			}
			hold_out(c, category);
		}
		compare(c, category);
		set_values(c, category);
	}
}
