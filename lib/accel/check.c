/* Holding engines against each other. */
#include "accel/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

/* ---- what an engine tells ---- */

/* Of a core's part of an operator. */
struct told {
	uint64_t hash; /* over the times of its tiles */
	int64_t tiles;
};

enum {
	SLOTS = 1024
};

/* A closer look at some tiles of one part, so many of them a slot. */
struct look {
	int64_t part, from, tiles, stride;
	uint64_t hash[SLOTS];
	struct sf_times last[SLOTS]; /* the times, where STRIDE is 1 */
};

struct listener {
	const struct sf_program *program;
	int64_t nops, ncores;
	/*
	 * One for each operator, and one for what is told beyond them; of parts
	 * one for each core of each.
	 */
	struct sf_op_result *ops;
	struct told *parts;
	int64_t told;
	int64_t at[SF_MAX_CORES]; /* the operator of the last tile */
	struct look *look;        /* NULL: none */
};

/*
 * Each step is a bijection of the hash and of the value, so one time that
 * differs is always seen, and more with all but certainty.
 */
static uint64_t
hash_times(uint64_t hash, const struct sf_times *t)
{
	uint64_t words[SF_TILE_TIMES];

	memcpy(words, t, sizeof words);
	for (int i = 0; i < SF_TILE_TIMES; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	return hash;
}

static void
look_at(struct look *look, int64_t tile, const struct sf_times *t)
{
	int64_t i = (tile - look->from) / look->stride;

	if (tile < look->from || tile - look->from >= look->tiles)
		return;
	look->hash[i] = hash_times(look->hash[i], t);
	look->last[i] = *t;
}

/* Where in the program operator OP is, of which a core has a tile. */
static int64_t
find_op(struct listener *l, int64_t op, int core)
{
	int64_t *at = &l->at[core];

	while (*at < l->nops && l->program->ops[*at].i != op)
		(*at)++;
	return *at;
}

static void
hear_tile(void *to, int64_t op, int core, const struct sf_times *t)
{
	struct listener *l = to;
	int64_t part = find_op(l, op, core) * l->ncores + core;
	struct told *told = &l->parts[part];

	if (l->look != NULL && part == l->look->part)
		look_at(l->look, told->tiles, t);
	told->hash = hash_times(told->hash, t);
	told->tiles++;
}

static void
hear_op(void *to, const struct sf_op_result *result)
{
	struct listener *l = to;
	int64_t op = l->told++;

	l->ops[op < l->nops ? op : l->nops] = *result;
}

static struct listener
listener_new(const struct sf_program *p)
{
	size_t n = (size_t)p->nops + 1;
	struct listener l = { .program = p,
		.nops = p->nops,
		.ncores = p->accel.cores > 1 ? p->accel.cores : 1 };

	l.ops = sf_calloc(n, sizeof *l.ops);
	l.parts = sf_calloc(n * (size_t)l.ncores, sizeof *l.parts);
	return l;
}

static void
listener_free(struct listener *l)
{
	free(l->ops);
	free(l->parts);
}

/* Runs an engine and listens. */
static bool
listen(const struct sf_program *p, const struct sf_engine_type *type,
    struct listener *l, struct sf_meter *meter, struct sf_error *error)
{
	struct sf_sink sink = { l, hear_op, hear_tile };
	struct sf_engine_cost cost;
	struct sf_error why;

	*meter = (struct sf_meter){ 0 };
	if (!sf_program_run(p, type, &sink, meter, &cost, &why))
		return sf_fail(
		    error, "the %s engine: %s", type->name, why.text);
	return true;
}

/* ---- two engines ---- */

/* Engine A, the reference, against B. */
struct pair {
	const struct sf_program *p;
	const struct sf_engine_type *a, *b;
	struct listener la, lb;
	struct sf_meter ma, mb;
	struct sf_verdict *verdict;
	struct sf_error where;
};

/* Says that FIELD of what WHERE names differs. */
static void
differ(struct pair *r, const char *field, const char *a, const char *b)
{
	r->verdict->agree = false;
	sf_fail(&r->verdict->first, "%s: %s is %s by %s, %s by %s",
	    r->where.text, field, b, r->b->name, a, r->a->name);
}

/* All that compare functions do: false when the two differ, which is said. */
static bool
same_int(struct pair *r, const char *field, int64_t a, int64_t b)
{
	char ta[24] = { 0 }, tb[24] = { 0 };

	if (a == b)
		return true;
	sf_int_format(a, ta);
	sf_int_format(b, tb);
	differ(r, field, ta, tb);
	return false;
}

static bool
same_double(struct pair *r, const char *field, double a, double b)
{
	char ta[40], tb[40];

	/* The bits: 0 is not -0, and a time that is none is itself. */
	if (memcmp(&a, &b, sizeof a) == 0)
		return true;
	snprintf(ta, sizeof ta, "%.17g", a);
	snprintf(tb, sizeof tb, "%.17g", b);
	differ(r, field, ta, tb);
	return false;
}

/* ---- tiles ---- */

/* Both engines' times of the tiles that LA and LB look at. */
static bool
look_again(
    struct pair *r, struct look *a, struct look *b, struct sf_error *error)
{
	struct listener la = listener_new(r->p);
	struct listener lb = listener_new(r->p);
	struct sf_meter meter;
	bool ran;

	la.look = a;
	lb.look = b;
	ran = listen(r->p, r->a, &la, &meter, error) &&
	    listen(r->p, r->b, &lb, &meter, error);
	listener_free(&la);
	listener_free(&lb);
	return ran;
}

static int64_t
first_slot(const struct look *a, const struct look *b)
{
	int64_t i = 0;

	while (i < SLOTS - 1 && a->hash[i] == b->hash[i])
		i++;
	return i;
}

static bool
same_times(struct pair *r, const struct sf_times *a, const struct sf_times *b)
{
	return same_double(r, "issue", a->issue, b->issue) &&
	    same_double(r, "dep", a->dep, b->dep) &&
	    same_double(r, "alloc", a->alloc, b->alloc) &&
	    same_double(r, "load_end", a->load_end, b->load_end) &&
	    same_double(r, "comp_start", a->comp_start, b->comp_start) &&
	    same_double(r, "comp_end", a->comp_end, b->comp_end) &&
	    same_double(r, "store_start", a->store_start, b->store_start) &&
	    same_double(r, "store_end", a->store_end, b->store_end);
}

/* Where operator number N of the program is. */
static void
say_where(struct pair *r, int64_t n)
{
	const struct sf_program_op *op = &r->p->ops[n];

	sf_fail(&r->where, "op %lld '%.*s'", (long long)op->i,
	    SF_STR_ARG(op->name));
}

/* And its tile of a core. */
static void
say_tile(struct pair *r, int64_t n, int64_t core, int64_t tile)
{
	const struct sf_program_op *op = &r->p->ops[n];
	const struct told *parts = &r->la.parts[n * r->la.ncores];

	for (int64_t i = 0; i < n; i++) {
		struct sf_lower lower;

		sf_program_lower(&r->p->ops[i], &lower);
		tile += lower.tiles;
	}
	for (int64_t i = 0; i < core; i++)
		tile += parts[i].tiles;
	sf_fail(&r->where, "op %lld '%.*s', tile %lld", (long long)op->i,
	    SF_STR_ARG(op->name), (long long)tile);
}

/*
 * Finds the tile of a core's part of operator N that differs, looking closer
 * each time: at slots of many tiles, then at those of the first slot that
 * differs.
 */
static bool
find_tile(struct pair *r, int64_t n, int64_t core, struct sf_error *error)
{
	int64_t part = n * r->la.ncores + core;
	struct look *a = sf_malloc(sizeof *a), *b = sf_malloc(sizeof *b);
	int64_t from = 0, tiles = r->la.parts[part].tiles, stride, i;
	bool ran;

	do {
		stride = sf_ceil_div(tiles, SLOTS);
		memset(a, 0, sizeof *a);
		a->part = part;
		a->from = from;
		a->tiles = tiles;
		a->stride = stride;
		*b = *a;
		ran = look_again(r, a, b, error);
		i = first_slot(a, b);
		from += i * stride;
		tiles = stride;
	} while (ran && stride > 1);
	if (ran) {
		say_tile(r, n, core, from);
		if (same_times(r, &a->last[i], &b->last[i]))
			ran = sf_fail(error,
			    "%s: engines do not tell the same twice",
			    r->where.text);
	}
	free(a);
	free(b);
	return ran;
}

/* ---- operators and the run ---- */

static const char *
bound_of(const struct sf_op_result *result)
{
	return result->compute_bound ? "compute" : "memory";
}

static bool
same_result(
    struct pair *r, const struct sf_op_result *a, const struct sf_op_result *b)
{
	if (!same_double(r, "start", a->start, b->start) ||
	    !same_double(r, "end", a->end, b->end) ||
	    !same_double(r, "computing", a->computing, b->computing) ||
	    !same_double(r, "wait_load", a->wait_load, b->wait_load) ||
	    !same_double(r, "wait_buffer", a->wait_buffer, b->wait_buffer) ||
	    !same_double(r, "wait_deps", a->wait_deps, b->wait_deps) ||
	    !same_int(r, "tiled_bytes", a->tiled_bytes, b->tiled_bytes))
		return false;
	if (a->compute_bound == b->compute_bound)
		return true;
	differ(r, "bound", bound_of(a), bound_of(b));
	return false;
}

/* False when an engine fails; what differs is in the verdict. */
static bool
compare_parts(struct pair *r, int64_t n, struct sf_error *error)
{
	for (int64_t core = 0; core < r->la.ncores && r->verdict->agree;
	     core++) {
		int64_t part = n * r->la.ncores + core;
		const struct told *a = &r->la.parts[part];
		const struct told *b = &r->lb.parts[part];

		if (!same_int(r, "the number of tiles", a->tiles, b->tiles))
			return true;
		if (a->hash != b->hash)
			return find_tile(r, n, core, error);
	}
	return true;
}

static bool
compare_ops(struct pair *r, struct sf_error *error)
{
	for (int64_t n = 0; n < r->p->nops && r->verdict->agree; n++) {
		say_where(r, n);
		if (!compare_parts(r, n, error))
			return false;
		if (r->verdict->agree)
			same_result(r, &r->la.ops[n], &r->lb.ops[n]);
	}
	return true;
}

#define COUNT(field) same_int(r, #field, a->field, b->field)
#define TIME(field)  same_double(r, #field, a->field, b->field)

/* What is measured of each of several cores. */
static bool
compare_cores(struct pair *r)
{
	for (int64_t i = 0; i < r->la.ncores && r->la.ncores > 1; i++) {
		const struct sf_core_meter *a = &r->ma.core[i];
		const struct sf_core_meter *b = &r->mb.core[i];

		sf_fail(&r->where, "core %lld", (long long)i);
		if (!(COUNT(tiles) && COUNT(macs) && COUNT(read) &&
			COUNT(written) && COUNT(peak) && COUNT(acc_peak) &&
			TIME(last_compute) && TIME(sums.load) &&
			TIME(sums.compute) && TIME(sums.store) &&
			TIME(sums.loading) && TIME(sums.wait_load) &&
			TIME(sums.wait_buffer) && TIME(sums.wait_deps) &&
			TIME(sums.area) && TIME(computing[SF_ON_ARRAY]) &&
			TIME(computing[SF_ON_VECTOR]) && TIME(transit_loading)))
			return false;
	}
	return true;
}

static void
compare_meters(struct pair *r)
{
	const struct sf_meter *a = &r->ma, *b = &r->mb;

	sf_fail(&r->where, "the run");
	(void)(same_int(r, "the number of operators told of", r->la.told,
		   r->lb.told) &&
	    COUNT(tiles) && COUNT(ops) && COUNT(macs) && COUNT(read) &&
	    COUNT(written) && COUNT(peak) && COUNT(acc_peak) &&
	    TIME(makespan) && TIME(last_compute) && TIME(sums.load) &&
	    TIME(sums.compute) && TIME(sums.store) && TIME(sums.loading) &&
	    TIME(sums.wait_load) && TIME(sums.wait_buffer) &&
	    TIME(sums.wait_deps) && TIME(sums.area) &&
	    TIME(computing[SF_ON_ARRAY]) && TIME(computing[SF_ON_VECTOR]) &&
	    TIME(computing[SF_ON_TRANSIT]) && TIME(transit_loading) &&
	    TIME(transit_wait) && compare_cores(r));
}

#undef COUNT
#undef TIME

/* Holds B against A, which has run. */
static bool
compare(struct pair *r, struct sf_error *error)
{
	if (!compare_ops(r, error))
		return false;
	if (r->verdict->agree)
		compare_meters(r);
	return true;
}

/* ---- all of them ---- */

/* Runs the engines of the verdict until two differ or one fails. */
static bool
run_all(struct pair *r, struct sf_error *error)
{
	struct sf_verdict *v = r->verdict;
	bool ran = listen(r->p, r->a, &r->la, &r->ma, error);

	for (int i = 1; i < v->nran && ran && v->agree; i++) {
		r->b = v->ran[i];
		r->lb = listener_new(r->p);
		ran = listen(r->p, r->b, &r->lb, &r->mb, error) &&
		    compare(r, error);
		listener_free(&r->lb);
	}
	return ran;
}

bool
sf_check_engines(const struct sf_program *p,
    const struct sf_engine_type *const *engines, int n,
    struct sf_verdict *verdict, struct sf_error *error)
{
	struct pair r = { .p = p, .verdict = verdict };
	struct sf_error why;
	bool ran;

	*verdict = (struct sf_verdict){ .agree = true };
	for (int i = 0; i < n && verdict->nran < SF_CHECK_ENGINES; i++)
		if (sf_engine_accepts(engines[i], &p->accel, &why))
			verdict->ran[verdict->nran++] = engines[i];
	if (verdict->nran == 0)
		return sf_fail(
		    error, "no engine takes the block: %s", why.text);
	r.a = verdict->ran[0];
	r.la = listener_new(p);
	ran = run_all(&r, error);
	listener_free(&r.la);
	return ran;
}

/* ---- a stream ---- */

static void
write_verdict(
    struct sf_buf *text, const struct sf_program *p, const struct sf_verdict *v)
{
	if (!v->agree) {
		sf_buf_printf(text, "%s\n", v->first.text);
		return;
	}
	sf_buf_printf(text,
	    "%lld tiles of %lld operators: ", (long long)p->tiles,
	    (long long)p->nops);
	if (v->nran == 1)
		SF_BUF_LIT(text, "1 engine applies (");
	else
		sf_buf_printf(text, "%d engines agree (", v->nran);
	for (int i = 0; i < v->nran; i++)
		sf_buf_printf(
		    text, "%s%s", i != 0 ? ", " : "", v->ran[i]->name);
	SF_BUF_LIT(text, ")\n");
}

void
sf_check_record(struct sf_program *p, struct sf_stream *stream,
    enum sf_kind kind, const struct sf_engine_type *const *engines, int n,
    bool all)
{
	struct sf_verdict verdict;
	struct sf_error error;

	if (!sf_program_record(p, stream, kind))
		return;
	for (int i = 0; i < n && all; i++)
		if (!sf_engine_accepts(engines[i], &p->accel, &error))
			sf_stream_die(stream, "%s", error.text);
	if (!sf_check_engines(p, engines, n, &verdict, &error))
		sf_stream_die(stream, "%s", error.text);
	write_verdict(sf_stream_text(stream), p, &verdict);
	if (!verdict.agree)
		sf_stream_say_no(stream);
	sf_program_reset(p);
}
