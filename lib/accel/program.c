/* Programs in memory. */
#include "accel/program.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "accel/bound-tiles.h"
#include "trace/op.h"

void
sf_program_init(struct sf_program *p)
{
	*p = (struct sf_program){ .arena = sf_arena_new(),
		.most = SF_MOST_TILES };
}

void
sf_program_release(struct sf_program *p)
{
	sf_arena_free(p->arena);
	free(p->ops);
	*p = (struct sf_program){ 0 };
}

void
sf_program_reset(struct sf_program *p)
{
	sf_arena_reset(p->arena);
	p->has_accel = false;
	p->nops = p->tiles = 0;
}

/* True when operator I is part of the program so far. */
static bool
has_tiles(const struct sf_program *p, int64_t i)
{
	int64_t low = 0, high = p->nops;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (p->ops[middle].i < i)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->nops && p->ops[low].i == i;
}

static bool
may_run(const struct sf_program *p, const struct sf_lower *lower,
    struct sf_error *error)
{
	struct sf_nest *nests;
	bool may;

	for (int d = 0; d < lower->ndeps; d++)
		if (!has_tiles(p, lower->deps[d]))
			return sf_fail(error,
			    "depends on op %lld, which has no tiles",
			    (long long)lower->deps[d]);
	nests = sf_nests_new(&p->accel);
	may = sf_nest_init(nests, lower, &p->accel, error);
	free(nests);
	return may;
}

/* What there is of a lower record with so many GEMMs. */
static size_t
size_of(const struct sf_lower *lower)
{
	return offsetof(struct sf_lower, gemms) +
	    (size_t)lower->ngemms * sizeof *lower->gemms;
}

static const void *
keep(struct sf_arena *arena, const struct sf_lower *lower)
{
	size_t n = size_of(lower);
	size_t bytes = (size_t)lower->ndeps * sizeof *lower->deps;
	int64_t *deps = sf_arena_alloc(arena, bytes + 1);
	char *kept = sf_arena_alloc(arena, n);

	if (bytes != 0)
		memcpy(deps, lower->deps, bytes);
	memcpy(kept, lower, n);
	memcpy(kept + offsetof(struct sf_lower, deps), &deps, sizeof deps);
	return kept;
}

void
sf_program_lower(const struct sf_program_op *op, struct sf_lower *lower)
{
	int n;

	memcpy(&n, (const char *)op->lower + offsetof(struct sf_lower, ngemms),
	    sizeof n);
	memset(lower, 0, sizeof *lower);
	memcpy(lower, op->lower,
	    offsetof(struct sf_lower, gemms) +
		(size_t)n * sizeof *lower->gemms);
}

bool
sf_program_add(struct sf_program *p, int64_t i, struct sf_str name,
    const struct sf_lower *lower, struct sf_error *error)
{
	struct sf_program_op *op;

	if (!may_run(p, lower, error) ||
	    !sf_bound_tiles(&p->tiles, lower->tiles, p->most, error))
		return false;
	if (p->nops == p->room) {
		p->room = p->room != 0 ? 2 * p->room : 64;
		p->ops =
		    sf_reallocarray(p->ops, (size_t)p->room, sizeof(*p->ops));
	}
	op = &p->ops[p->nops++];
	op->i = i;
	op->name = (struct sf_str){ sf_arena_strndup(p->arena, name.p, name.n),
		name.n };
	op->lower = keep(p->arena, lower);
	return true;
}

/* ---- from a stream ---- */

static void
read_op(struct sf_program *p, struct sf_stream *stream)
{
	struct sf_lower lower;
	struct sf_error error;
	struct sf_op op;

	sf_op_read(stream, &op);
	sf_lower_read(stream, &op, &lower);
	if (!p->has_accel)
		sf_op_die(stream, &op,
		    "comes before any accel record, expected a trace from "
		    "sf-lower");
	if (lower.where != SF_ON_NONE &&
	    !sf_program_add(p, op.i, op.name, &lower, &error))
		sf_op_die(stream, &op, "%s", error.text);
}

bool
sf_program_record(
    struct sf_program *p, struct sf_stream *stream, enum sf_kind kind)
{
	if (kind == SF_K_ACCEL) {
		sf_accel_read(stream, p->arena, &p->accel);
		p->has_accel = true;
	} else if (kind == SF_K_OP) {
		read_op(p, stream);
	} else if (kind == SF_K_END && !p->has_accel) {
		sf_stream_die(stream,
		    "the trace has no accel record, expected a trace from "
		    "sf-lower");
	}
	return kind == SF_K_END;
}

/* ---- on an engine ---- */

static bool
run_ops(const struct sf_program *p, const struct sf_engine_type *type,
    struct sf_engine *engine, struct sf_nest *nests, struct sf_error *error)
{
	for (int64_t i = 0; i < p->nops; i++) {
		const struct sf_program_op *op = &p->ops[i];
		struct sf_lower lower;
		struct sf_error why;

		sf_program_lower(op, &lower);
		if (!sf_nest_init(nests, &lower, &p->accel, &why) ||
		    !type->run(
			engine, op->i, nests, lower.deps, lower.ndeps, &why))
			return sf_fail(error, "op %lld '%.*s': %s",
			    (long long)op->i, SF_STR_ARG(op->name), why.text);
	}
	return true;
}

bool
sf_program_run(const struct sf_program *p, const struct sf_engine_type *type,
    const struct sf_sink *sink, struct sf_meter *meter,
    struct sf_engine_cost *cost, struct sf_error *error)
{
	struct sf_engine *engine = type->make(&p->accel, sink);
	struct sf_nest *nests = sf_nests_new(&p->accel);
	bool ran = run_ops(p, type, engine, nests, error) &&
	    type->end(engine, meter, cost, error);

	free(nests);
	type->free(engine);
	return ran;
}
