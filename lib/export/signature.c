/* What the inputs of a program are, and its parameters. */
#include "base/num.h"
#include "export/part.h"
#include "export/walk.h"

/* ---- inputs ---- */

/* A union of as_tensor, as_sym_int and the like, or a bare number. */
static bool
bind_input(
    struct sf_export_scope *scope, struct sf_str input, struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str tag, inside, name;
	struct sf_export_value *value;

	if (!sf_part_union(input, arena, &tag, &inside) ||
	    !SF_KEY(tag, "as_tensor"))
		return true;
	name = sf_part_name(inside, "name", arena);
	if (name.n == 0)
		return sf_fail(error, "an input of the graph has no name");
	value = sf_export_define(scope, name, error);
	if (value != NULL)
		sf_export_bind(scope, name, value);
	return value != NULL;
}

/*
 * The model's own name of a parameter, unless a value of the graph has it: two
 * values never have one tid.
 */
static void
rename_value(struct sf_export_scope *scope, struct sf_export_value *value,
    struct sf_str name)
{
	if (name.n != 0 && sf_table_find(&scope->metas, name) == NULL)
		value->tensor.tid = name;
}

static struct sf_export_value *
find_value(struct sf_export_scope *scope, struct sf_str name)
{
	const struct sf_entry *e = sf_table_find(&scope->values, name);

	return e != NULL ? e->ptr : NULL;
}

static void
add_param(struct sf_export_scope *scope, struct sf_str placeholder,
    struct sf_str name)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_export_value *value = find_value(scope, placeholder);

	if (value == NULL || !value->is_tensor)
		return;
	value->tensor.param = true;
	rename_value(scope, value, name);
	walk->params[walk->nparams++] = (struct sf_export_param){ name, value };
}

static void
take_spec(struct sf_export_scope *scope, struct sf_str spec)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_export_value *value;
	struct sf_str tag, inside, name;

	if (!sf_part_union(spec, arena, &tag, &inside))
		return;
	name = sf_part_name(sf_part_of(inside, "arg", arena), "name", arena);
	if (SF_KEY(tag, "parameter")) {
		add_param(
		    scope, name, sf_part_name(inside, "parameter_name", arena));
		return;
	}
	value = find_value(scope, name);
	if (value == NULL)
		return;
	if (SF_KEY(tag, "buffer"))
		rename_value(
		    scope, value, sf_part_name(inside, "buffer_name", arena));
	if (SF_KEY(tag, "tensor_constant"))
		rename_value(scope, value,
		    sf_part_name(inside, "tensor_constant_name", arena));
}

/* Schema 1 has maps from placeholders to names in place of the list. */
static void
take_maps(struct sf_export_scope *scope, struct sf_str signature)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_parts parts = sf_parts_of_object(
	    sf_part_of(signature, "inputs_to_parameters", arena), arena);
	struct sf_str placeholder, text, name;

	while (sf_parts_member(&parts, &placeholder, &text))
		if (sf_part_string(text, arena, &name))
			add_param(scope, placeholder, name);
	parts = sf_parts_of_object(
	    sf_part_of(signature, "inputs_to_buffers", arena), arena);
	while (sf_parts_member(&parts, &placeholder, &text)) {
		struct sf_export_value *value = find_value(scope, placeholder);

		if (value != NULL && sf_part_string(text, arena, &name))
			rename_value(scope, value, name);
	}
}

/* The first tensor that is neither a parameter nor stored with the program. */
static void
find_first_input(struct sf_export_scope *scope, struct sf_str specs)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_parts parts = sf_parts_of_array(specs);
	struct sf_str spec, tag, inside, arg;
	struct sf_export_value *value;

	while (sf_parts_element(&parts, &spec)) {
		if (!sf_part_union(spec, arena, &tag, &inside) ||
		    !SF_KEY(tag, "user_input"))
			continue;
		arg = sf_part_of(inside, "arg", arena);
		value = find_value(scope,
		    sf_part_name(
			sf_part_of(arg, "as_tensor", arena), "name", arena));
		if (value == NULL)
			continue;
		scope->walk->first_input = &value->tensor;
		return;
	}
}

bool
sf_export_signature(struct sf_export_scope *scope, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_str inputs = sf_part_of(scope->graph, "inputs", walk->arena);
	struct sf_str signature = walk->program->signature, input, specs;
	struct sf_parts parts = sf_parts_of_array(inputs);

	while (sf_parts_element(&parts, &input))
		if (!bind_input(scope, input, error))
			return false;
	specs = sf_part_of(signature, "input_specs", walk->arena);
	walk->params = sf_arena_calloc(walk->arena,
	    (size_t)sf_part_count(specs) + scope->metas.n + 1,
	    sizeof *walk->params);
	parts = sf_parts_of_array(specs);
	while (sf_parts_element(&parts, &input))
		take_spec(scope, input);
	if (specs.n == 0)
		take_maps(scope, signature);
	find_first_input(scope, specs);
	return true;
}

/* ---- parameters ---- */

/* What is known of all of them while they are counted. */
struct census {
	struct sf_table names;  /* that were met */
	struct sf_table places; /* of stored bytes that were met */
	struct sf_table used;   /* names that something reads */
	struct sf_table kinds;  /* types and shapes, to the last that is read */
};

static struct sf_str
kind_of(struct sf_export_walk *walk, int64_t i)
{
	const struct sf_tensor *t = &walk->params[i].value->tensor;
	struct sf_buf buf = { 0 };
	struct sf_str kind;

	sf_buf_printf(&buf, "%d", (int)t->dtype);
	for (int k = 0; k < t->rank; k++)
		sf_buf_printf(&buf, " %lld", (long long)t->shape[k]);
	kind = (struct sf_str){ sf_arena_strndup(walk->arena, buf.p, buf.n),
		buf.n };
	sf_buf_release(&buf);
	return kind;
}

static void
open_census(struct census *c, struct sf_export_walk *walk)
{
	sf_table_init(&c->names, walk->arena);
	sf_table_init(&c->places, walk->arena);
	sf_table_init(&c->used, walk->arena);
	sf_table_init(&c->kinds, walk->arena);
	for (int64_t i = 0; i < walk->nparams; i++) {
		if (!walk->params[i].value->used)
			continue;
		sf_table_add(&c->used, walk->params[i].name);
		sf_table_add(&c->kinds, kind_of(walk, i))->num = i;
	}
}

static void
close_census(struct census *c)
{
	sf_table_release(&c->names);
	sf_table_release(&c->places);
	sf_table_release(&c->used);
	sf_table_release(&c->kinds);
}

/* Where the bytes of parameter I are, as a name; empty: nobody says. */
static struct sf_str
place_of(struct sf_export_walk *walk, int64_t i)
{
	const struct sf_entry *e =
	    sf_table_find(&walk->program->payloads, walk->params[i].name);
	const struct sf_export_payload *payload = e != NULL ? e->ptr : NULL;

	if (payload == NULL || payload->bytes == 0)
		return SF_STR("");
	return sf_str_of(sf_arena_printf(walk->arena, "%.*s %lld %lld",
	    SF_STR_ARG(payload->path), (long long)payload->offset,
	    (long long)walk->params[i].value->tensor.bytes));
}

/*
 * Of weights that have two names PyTorch uses the last. Without stored bytes
 * nothing else tells that they are one.
 */
static bool
is_other_name(const struct census *c, struct sf_export_walk *walk, int64_t i)
{
	const struct sf_entry *e;

	if (sf_table_find(&c->used, walk->params[i].name) != NULL)
		return false;
	e = sf_table_find(&c->kinds, kind_of(walk, i));
	if (e == NULL || e->num < i)
		return false;
	if (walk->nshared++ == 0)
		walk->shared = sf_arena_printf(walk->arena, "'%.*s' for '%.*s'",
		    SF_STR_ARG(walk->params[i].name),
		    SF_STR_ARG(walk->params[e->num].name));
	return true;
}

/* True when TEXT was there before. */
static bool
was_met(struct sf_table *table, struct sf_str text)
{
	return sf_table_add(table, text)->num++ != 0;
}

/*
 * Up to PyTorch 2.7 tied weights have one name and several placeholders, from
 * 2.8 on several names and one place.
 */
static bool
is_met(struct census *c, struct sf_export_walk *walk, int64_t i)
{
	struct sf_str place = place_of(walk, i);

	if (was_met(&c->names, walk->params[i].name))
		return true;
	return place.n != 0 ? was_met(&c->places, place)
			    : is_other_name(c, walk, i);
}

bool
sf_export_params(struct sf_export_walk *walk, struct sf_error *error)
{
	struct census census;
	bool good = true;

	open_census(&census, walk);
	for (int64_t i = 0; i < walk->nparams && good; i++) {
		const struct sf_tensor *t = &walk->params[i].value->tensor;

		if (is_met(&census, walk, i))
			continue;
		good =
		    sf_add(walk->params_count, t->numel, &walk->params_count) &&
		    sf_add(walk->params_bytes, t->bytes, &walk->params_bytes);
	}
	close_census(&census);
	return good || sf_fail(error, "the parameters pass 2^63 - 1 bytes");
}
