/* Formulas over a target. */
#include "sweep/bound.h"

#include "base/die.h"
#include "base/near.h"

static int
own_of(const struct sf_bounds *own, struct sf_str name)
{
	for (int i = 0; own != NULL && i < own->n; i++)
		if (sf_str_eq(own->v[i].name, name))
			return i;
	return -1;
}

static SF_NORETURN void
die_of_name(const char *option, struct sf_str name, const struct sf_target *t,
    bool results)
{
	struct sf_buf names = { 0 };

	for (size_t i = 0; i < t->nscopes; i++)
		sf_keys_names(t->scopes[i].keys, t->scopes[i].prefix, &names);
	for (int i = 0; i < t->nrows && results; i++)
		if (t->rows[i].type != SF_RESULT_STR)
			sf_buf_printf(&names, ", %s%s%s", t->rows[i].object,
			    t->rows[i].object[0] != '\0' ? "." : "",
			    t->rows[i].name);
	sf_near_put_of(&names, name);
	sf_die(SF_EX_USAGE,
	    "option '--%s': unknown name '%.*s', expected one of: %.*s", option,
	    (int)(name.n < 60 ? name.n : 60), name.p, (int)names.n, names.p);
}

static struct sf_slot
slot_of(const char *option, struct sf_str name, const struct sf_target *t,
    bool results, const struct sf_bounds *own)
{
	struct sf_slot slot = { .result = -1, .own = own_of(own, name) };

	if (slot.own >= 0)
		return slot;
	slot.key = sf_target_key(t, name, &slot.scope);
	if (slot.key != NULL && !sf_key_is_number(slot.key))
		sf_die(SF_EX_USAGE,
		    "option '--%s': '%.*s' is no number, expected a name of "
		    "one",
		    option, SF_STR_ARG(name));
	if (slot.key == NULL && results)
		slot.result = sf_target_row(t, name);
	if (slot.key == NULL &&
	    (slot.result < 0 || t->rows[slot.result].type == SF_RESULT_STR))
		die_of_name(option, name, t, results);
	return slot;
}

void
sf_bound_parse(struct sf_bound_formula *b, const char *option, const char *text,
    const struct sf_target *t, bool results, const struct sf_bounds *own)
{
	struct sf_arena *arena = sf_stream_arena(t->stream);
	struct sf_error error;
	size_t n;

	if (!sf_formula_parse(&b->formula, text, arena, &error))
		sf_die(SF_EX_USAGE, "option '--%s': %s", option, error.text);
	n = (size_t)b->formula.nnames + 1;
	b->slots = sf_arena_calloc(arena, n, sizeof *b->slots);
	b->values = sf_arena_calloc(arena, n, sizeof *b->values);
	for (int i = 0; i < b->formula.nnames; i++)
		b->slots[i] =
		    slot_of(option, b->formula.names[i], t, results, own);
}

double
sf_bound_eval(const struct sf_bound_formula *b,
    const struct sf_outcome *results, const double *own)
{
	for (int i = 0; i < b->formula.nnames; i++) {
		const struct sf_slot *s = &b->slots[i];

		if (s->own >= 0)
			b->values[i] = own[s->own];
		else if (s->key != NULL)
			b->values[i] = sf_key_number(s->key, s->scope->in);
		else
			b->values[i] = results[s->result].d;
	}
	return sf_formula_eval(&b->formula, b->values);
}
