/* The designs of a sweep. */
#include "sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/num.h"
#include "sweep/draw.h"

/* ---- what is asked for ---- */

/* "KEY=REST", of which the key is one of the target's; returns REST. */
static const char *
take_key(struct sf_target *t, const char *option, const char *text,
    struct sf_str *name, const struct sf_key_scope **scope,
    const struct sf_key **key)
{
	const char *equals = strchr(text, '=');
	struct sf_buf names = { 0 };

	if (equals == NULL)
		sf_die(SF_EX_USAGE,
		    "option '--%s': found '%s', expected KEY=...", option,
		    text);
	*name = (struct sf_str){ text, (size_t)(equals - text) };
	*key = sf_target_key(t, *name, scope);
	if (*key != NULL && (*scope)->in == NULL)
		sf_die(SF_EX_USAGE, "option '--%s %s' %s", option, text,
		    (*scope)->why);
	if (*key != NULL) {
		sf_target_vary(t, *key);
		return equals + 1;
	}
	sf_scopes_expected(t->scopes, t->nscopes, *name, &names);
	sf_die(SF_EX_USAGE,
	    "option '--%s': unknown key '%.*s', expected one of: %.*s", option,
	    (int)(name->n < 60 ? name->n : 60), name->p, (int)names.n, names.p);
}

static bool
has_axis(const struct sf_plan *p, const char *name)
{
	for (int i = 0; i < p->naxes; i++)
		if (strcmp(p->axes[i].name, name) == 0)
			return true;
	return false;
}

/* One parameter is set by one option, or an index would mean little. */
static void
check_settings(const struct sf_plan *p, const struct sf_plan_request *r)
{
	for (size_t i = 0; r->settings != NULL && i < r->settings->n; i++) {
		const char *text = r->settings->v[i];
		const char *equals = strchr(text, '=');
		struct sf_str name = { text,
			equals != NULL ? (size_t)(equals - text) : 0 };

		for (int k = 0; k < p->naxes; k++)
			if (sf_str_is(name, p->axes[k].name))
				sf_die(SF_EX_USAGE,
				    "'%s' is an axis and in '--set', expected "
				    "one of them",
				    p->axes[k].name);
	}
}

static void
add_axes(struct sf_plan *p, const struct sf_plan_request *r)
{
	struct sf_arena *arena = sf_stream_arena(p->target->stream);

	p->axes = sf_arena_calloc(arena, r->grid.n + 1, sizeof *p->axes);
	for (size_t i = 0; i < r->grid.n; i++) {
		struct sf_sweep_axis *a = &p->axes[p->naxes];
		struct sf_error error;
		struct sf_str name;
		const char *spec = take_key(
		    p->target, "grid", r->grid.v[i], &name, &a->scope, &a->key);

		a->name = sf_arena_strndup(arena, name.p, name.n);
		if (has_axis(p, a->name))
			sf_die(
			    SF_EX_USAGE, "axis '%s' is there twice", a->name);
		if (!sf_axis_parse(a, spec, arena, &error))
			sf_die(SF_EX_USAGE, "option '--grid %s': %s",
			    r->grid.v[i], error.text);
		p->naxes++;
	}
	check_settings(p, r);
}

/* The columns of a file are axes whose values are its own. */
static void
add_columns(struct sf_plan *p)
{
	struct sf_arena *arena = sf_stream_arena(p->target->stream);
	const char *const *names;
	int n = sf_points_names(p->file, &names);

	p->axes = sf_arena_calloc(arena, (size_t)n + 1, sizeof *p->axes);
	for (int i = 0; i < n; i++) {
		struct sf_sweep_axis *a = &p->axes[p->naxes];

		a->name = sf_arena_strdup(arena, names[i]);
		if (has_axis(p, a->name))
			sf_die(SF_EX_INPUT, "%s:1: column '%s' is there twice",
			    sf_points_name(p->file), a->name);
		a->key =
		    sf_target_key(p->target, sf_str_of(a->name), &a->scope);
		p->naxes++;
	}
}

static void
add_formulas(struct sf_plan *p, const struct sf_plan_request *r)
{
	struct sf_arena *arena = sf_stream_arena(p->target->stream);

	p->ties.v = sf_arena_calloc(arena, r->ties.n + 1, sizeof *p->ties.v);
	p->where.v = sf_arena_calloc(arena, r->where.n + 1, sizeof *p->where.v);
	for (size_t i = 0; i < r->ties.n; i++) {
		struct sf_bound_formula *b = &p->ties.v[p->ties.n++];
		const struct sf_key_scope *scope;
		const struct sf_key *key;
		const char *rest = take_key(
		    p->target, "tie", r->ties.v[i], &b->name, &scope, &key);

		b->name.p = sf_arena_strndup(arena, b->name.p, b->name.n);
		if (has_axis(p, b->name.p))
			sf_die(SF_EX_USAGE,
			    "'%s' is an axis and in '--tie', expected one of "
			    "them",
			    b->name.p);
		if (!sf_key_is_number(key))
			sf_die(SF_EX_USAGE,
			    "option '--tie': '%s' is no number, expected a "
			    "key that is",
			    b->name.p);
		sf_bound_parse(b, "tie", rest, p->target, false, NULL);
	}
	for (size_t i = 0; i < r->where.n; i++)
		sf_bound_parse(&p->where.v[p->where.n++], "where",
		    r->where.v[i], p->target, false, NULL);
}

static void
count_all(struct sf_plan *p, const struct sf_plan_request *r)
{
	p->total = 1;
	if (r->random != 0) {
		p->mode = SF_PLAN_RANDOM;
		p->total = r->random;
		return;
	}
	if (r->lhs != 0) {
		p->mode = SF_PLAN_LHS;
		p->total = r->lhs;
		return;
	}
	for (int i = 0; i < p->naxes; i++)
		if (!sf_mul(p->total, p->axes[i].n, &p->total))
			sf_die(SF_EX_USAGE,
			    "the grid has more than 2^63 - 1 designs");
}

static void
check_request(const struct sf_plan_request *r)
{
	if (r->points == NULL && r->grid.n == 0)
		sf_die(SF_EX_USAGE,
		    "missing option: expected '--grid' or '--points'");
	if (r->points != NULL &&
	    (r->grid.n != 0 || r->random != 0 || r->lhs != 0))
		sf_die(SF_EX_USAGE,
		    "'--points' goes with none of '--grid', '--random' and "
		    "'--lhs'");
	if (r->random != 0 && r->lhs != 0)
		sf_die(
		    SF_EX_USAGE, "'--random' and '--lhs' exclude each other");
}

struct sf_plan *
sf_plan_new(struct sf_target *target, const struct sf_plan_request *r)
{
	struct sf_plan *p =
	    sf_arena_calloc(sf_stream_arena(target->stream), 1, sizeof *p);
	struct sf_error error;

	check_request(r);
	*p = (struct sf_plan){ .target = target,
		.seed = r->seed,
		.shard = { 1, 1 },
		.scratch = sf_arena_new() };
	if (r->shard != NULL && !sf_shard_parse(r->shard, &p->shard, &error))
		sf_die(SF_EX_USAGE, "option '--shard': %s", error.text);
	if (r->points != NULL) {
		p->mode = SF_PLAN_POINTS;
		p->total = -1;
		p->file = sf_points_open(r->points, target);
		sf_target_vary(target, NULL);
		add_columns(p);
	} else {
		add_axes(p, r);
		count_all(p, r);
	}
	add_formulas(p, r);
	return p;
}

void
sf_plan_free(struct sf_plan *p)
{
	if (p->file != NULL)
		sf_points_close(p->file);
	sf_arena_free(p->scratch);
}

void
sf_plan_rewind(struct sf_plan *p)
{
	const char *name;

	if (p->file == NULL)
		return;
	name = sf_points_name(p->file);
	if (name[0] == '<')
		sf_die(SF_EX_USAGE,
		    "'--points -' with a second trace, expected one");
	name = sf_arena_strdup(sf_stream_arena(p->target->stream), name);
	sf_points_close(p->file);
	p->file = sf_points_open(name, p->target);
}

/* ---- designs ---- */

bool
sf_plan_next(struct sf_plan *p, int64_t *i)
{
	if (p->file != NULL) {
		do
			if (!sf_points_next(p->file, i))
				return false;
		while (!sf_shard_has(&p->shard, *i));
		return true;
	}
	do
		if (++*i >= p->total)
			return false;
	while (!sf_shard_has(&p->shard, *i));
	return true;
}

/* The value of axis K of design I. */
static const char *
value_of(const struct sf_plan *p, int64_t i, int k, int64_t place,
    char buffer[static SF_DOUBLE_MAX + 1])
{
	const struct sf_sweep_axis *a = &p->axes[k];
	double u = sf_draw(p->seed, i, k);

	if (p->mode == SF_PLAN_GRID)
		return sf_axis_value(a, place, buffer);
	if (p->mode == SF_PLAN_LHS)
		u = ((double)sf_draw_place(p->seed, i, k, p->total) + u) /
		    (double)p->total;
	return sf_axis_at(a, u, buffer);
}

/* Whether SCOPE is set in this of the two passes. */
static bool
in_pass(const struct sf_plan *p, const struct sf_key_scope *scope, bool second)
{
	return (scope != &p->target->scopes[0]) == second;
}

static bool
set_axes(struct sf_plan *p, int64_t i, bool second, struct sf_error *error)
{
	char buffer[SF_DOUBLE_MAX + 1];
	int64_t rest = i;

	/* The last axis is the fastest. */
	for (int k = p->naxes - 1; k >= 0; k--) {
		const struct sf_sweep_axis *a = &p->axes[k];
		int64_t place = rest % a->n;

		rest /= a->n;
		if (in_pass(p, a->scope, second) &&
		    !sf_key_set(a->key, a->scope->in,
			value_of(p, i, k, place, buffer), p->scratch, error))
			return false;
	}
	return true;
}

static bool
set_from_file(struct sf_plan *p, bool second, struct sf_error *error)
{
	const struct sf_points_value *values;
	int n = sf_points_values(p->file, &values);

	for (int k = 0; k < n; k++) {
		const struct sf_key_scope *scope;
		const struct sf_key *key =
		    sf_target_key(p->target, sf_str_of(values[k].name), &scope);

		if (in_pass(p, scope, second) &&
		    !sf_key_set(
			key, scope->in, values[k].text, p->scratch, error))
			return false;
	}
	return true;
}

static bool
set_tie(struct sf_plan *p, const struct sf_bound_formula *b,
    const struct sf_key *key, void *in, struct sf_error *error)
{
	double x = sf_bound_eval(b, NULL, NULL);
	char text[SF_DOUBLE_MAX + 1];

	if (!(x - x == 0))
		return sf_fail(
		    error, "%s is %g, expected a number", b->name.p, x);
	text[sf_double_format(x, text)] = '\0';
	if (key->type == SF_KEY_FLAG)
		strcpy(text, x != 0 ? "on" : "off");
	return sf_key_set(key, in, text, p->scratch, error);
}

static bool
set_ties(struct sf_plan *p, bool second, struct sf_error *error)
{
	for (int k = 0; k < p->ties.n; k++) {
		const struct sf_bound_formula *b = &p->ties.v[k];
		const struct sf_key_scope *scope;
		const struct sf_key *key =
		    sf_target_key(p->target, b->name, &scope);

		if (in_pass(p, scope, second) &&
		    !set_tie(p, b, key, scope->in, error))
			return false;
	}
	return true;
}

/* What names stand for is there before parameters of it are set. */
static bool
set_all(struct sf_plan *p, int64_t i, struct sf_error *error)
{
	const struct sf_target_type *type = p->target->type;

	type->reset(p->target);
	for (int second = 0; second < 2; second++) {
		if (p->file != NULL ? !set_from_file(p, second, error)
				    : !set_axes(p, i, second, error))
			return false;
		if (!set_ties(p, second, error))
			return false;
		if (type->load == NULL)
			return true;
		if (!second && !type->load(p->target, error))
			return false;
	}
	return true;
}

enum sf_plan_verdict
sf_plan_set(struct sf_plan *p, int64_t i, struct sf_error *error)
{
	sf_arena_reset(p->scratch);
	if (!set_all(p, i, error))
		return SF_PLAN_REFUSED;
	for (int k = 0; k < p->where.n; k++) {
		double x = sf_bound_eval(&p->where.v[k], NULL, NULL);

		if (!(x != 0))
			return SF_PLAN_HOLE;
	}
	return SF_PLAN_RUN;
}
