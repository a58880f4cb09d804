/* The user's choices for control flow. */
#include "trace/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

static const char *const options[] = { "--branch", "--trips" };

/* ---- reading them ---- */

static bool
read_value(struct sf_choice *c, struct sf_str text)
{
	if (c->kind == SF_CHOICE_TRIPS)
		return sf_int_parse(text.p, text.n, &c->value) && c->value >= 0;
	c->value = sf_str_is(text, "then");
	return c->value == 1 || sf_str_is(text, "else");
}

static bool
read_choice(struct sf_choices *choices, enum sf_choice_kind kind,
    const char *text, struct sf_error *error)
{
	struct sf_choice *c = &choices->v[choices->n++];
	const char *eq = strrchr(text, '=');
	struct sf_str value = sf_str_of(eq != NULL ? eq + 1 : text);

	*c = (struct sf_choice){ .kind = kind, .node = SF_STR("") };
	if (eq != NULL)
		c->node = (struct sf_str){ text, (size_t)(eq - text) };
	if (read_value(c, value) && (eq == NULL || eq != text))
		return true;
	return sf_fail(error, "option '%s': found '%s', expected %s",
	    options[kind], text,
	    kind == SF_CHOICE_BRANCH ? "then, else, NODE=then or NODE=else"
				     : "N or NODE=N");
}

bool
sf_choices_init(struct sf_choices *choices, struct sf_list branches,
    struct sf_list trips, struct sf_arena *arena, struct sf_error *error)
{
	*choices =
	    (struct sf_choices){ .nouns = { "If", "loop" }, .arena = arena };
	choices->v = sf_arena_calloc(
	    arena, branches.n + trips.n + 1, sizeof *choices->v);
	sf_table_init(&choices->nodes[0], arena);
	sf_table_init(&choices->nodes[1], arena);
	for (size_t i = 0; i < branches.n; i++)
		if (!read_choice(
			choices, SF_CHOICE_BRANCH, branches.v[i], error))
			return false;
	for (size_t i = 0; i < trips.n; i++)
		if (!read_choice(choices, SF_CHOICE_TRIPS, trips.v[i], error))
			return false;
	return true;
}

void
sf_choices_release(struct sf_choices *choices)
{
	sf_table_release(&choices->nodes[0]);
	sf_table_release(&choices->nodes[1]);
	free(choices->assumed);
}

/* ---- finding them ---- */

/* NAME is PREFIX/NODE. */
static bool
is_path(struct sf_str name, struct sf_str prefix, struct sf_str node)
{
	return prefix.n != 0 && name.n == prefix.n + 1 + node.n &&
	    memcmp(name.p, prefix.p, prefix.n) == 0 &&
	    name.p[prefix.n] == '/' &&
	    memcmp(name.p + prefix.n + 1, node.p, node.n) == 0;
}

/* How well it fits: 0 not, 1 as one for all, 2 by name, 3 by its place. */
static int
fits(const struct sf_choice *c, struct sf_str prefix, struct sf_str name)
{
	if (c->node.n == 0)
		return 1;
	if (is_path(c->node, prefix, name))
		return 3;
	return sf_str_eq(c->node, name) ? 2 : 0;
}

const struct sf_choice *
sf_choice_find(struct sf_choices *choices, enum sf_choice_kind kind,
    struct sf_str prefix, struct sf_str name)
{
	struct sf_choice *best = NULL;
	int most = 0;

	if (choices == NULL || choices->n == 0)
		return NULL;
	sf_table_add(&choices->nodes[kind], name);
	for (size_t i = 0; i < choices->n; i++) {
		struct sf_choice *c = &choices->v[i];
		int fit = c->kind == kind ? fits(c, prefix, name) : 0;

		c->met = c->met || fit > 1;
		if (fit != 0 && fit >= most) {
			most = fit;
			best = c;
		}
	}
	return best;
}

void
sf_choice_known(struct sf_choices *choices, enum sf_choice_kind kind,
    struct sf_str prefix, struct sf_str name, int64_t value)
{
	const struct sf_choice *c = sf_choice_find(choices, kind, prefix, name);

	if (c == NULL || c->node.n == 0 || c->value == value ||
	    choices->conflict != NULL)
		return;
	if (kind == SF_CHOICE_BRANCH)
		choices->conflict = sf_arena_printf(choices->arena,
		    "option '--branch': found %s for '%.*s', whose condition "
		    "is known to be %s",
		    c->value != 0 ? "then" : "else", SF_STR_ARG(c->node),
		    value != 0 ? "true" : "false");
	else
		choices->conflict = sf_arena_printf(choices->arena,
		    "option '--trips': found %lld for '%.*s', which is known "
		    "to run %lld times",
		    (long long)c->value, SF_STR_ARG(c->node), (long long)value);
}

void
sf_choice_assume(struct sf_choices *choices, enum sf_choice_kind kind,
    struct sf_str name, int64_t value)
{
	for (size_t i = 0; i < choices->nassumed; i++) {
		const struct sf_assumed *a = &choices->assumed[i];

		if (a->kind == kind && a->value == value &&
		    sf_str_eq(a->node, name))
			return;
	}
	if (choices->nassumed == choices->room) {
		choices->room = choices->room != 0 ? choices->room * 2 : 16;
		choices->assumed = sf_reallocarray(
		    choices->assumed, choices->room, sizeof *choices->assumed);
	}
	choices->assumed[choices->nassumed++] =
	    (struct sf_assumed){ kind, name, value };
}

/* ---- what came of them ---- */

static bool
fail_unknown(const struct sf_choices *choices, const struct sf_choice *c,
    struct sf_error *error)
{
	enum {
		MOST = 8
	};
	const struct sf_table *nodes = &choices->nodes[c->kind];
	struct sf_buf names = { 0 };

	for (size_t i = 0; i < nodes->n && i < MOST; i++)
		sf_buf_printf(&names, "%s'%.*s'", i != 0 ? ", " : "",
		    SF_STR_ARG(nodes->order[i]->name));
	if (nodes->n > MOST)
		sf_buf_printf(&names, ", ... (%zu in all)", nodes->n);
	sf_fail(error,
	    "option '%s': the model comes to no %s named '%.*s'; it has %.*s",
	    options[c->kind], choices->nouns[c->kind], SF_STR_ARG(c->node),
	    names.n != 0 ? (int)names.n : 4, names.n != 0 ? names.p : "none");
	sf_buf_release(&names);
	return false;
}

bool
sf_choices_check(const struct sf_choices *choices, struct sf_error *error)
{
	if (choices->conflict != NULL)
		return sf_fail(error, "%s", choices->conflict);
	for (size_t i = 0; i < choices->n; i++)
		if (choices->v[i].node.n != 0 && !choices->v[i].met)
			return fail_unknown(choices, &choices->v[i], error);
	return true;
}

void
sf_choices_put(const struct sf_choices *choices, struct sf_jsonw *w)
{
	sf_jsonw_open(w, '[');
	for (size_t i = 0; i < choices->nassumed; i++) {
		const struct sf_assumed *a = &choices->assumed[i];

		sf_jsonw_open(w, '{');
		sf_jsonw_kstr(w, "node", a->node);
		if (a->kind == SF_CHOICE_BRANCH)
			sf_jsonw_kcstr(
			    w, "branch", a->value != 0 ? "then" : "else");
		else
			sf_jsonw_kint(w, "trips", a->value);
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}

const char *
sf_choice_argument(
    struct sf_str node, const char *value, struct sf_arena *arena)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:+-@%";
	bool quote = false;

	for (size_t i = 0; i < node.n; i++)
		quote = quote || strchr(plain, node.p[i]) == NULL;
	return sf_arena_printf(
	    arena, quote ? "'%.*s=%s'" : "%.*s=%s", SF_STR_ARG(node), value);
}

const char *
sf_choices_note(const struct sf_choices *choices)
{
	const struct sf_assumed *first = choices->assumed;
	struct sf_arena *arena = choices->arena;
	const char *what;

	if (choices->nassumed == 0)
		return NULL;
	what = choices->nassumed == 1
	    ? "1 choice of control flow is the user's"
	    : sf_arena_printf(arena,
		  "%zu choices of control flow are the user's; the first",
		  choices->nassumed);
	if (first->kind == SF_CHOICE_BRANCH)
		return sf_arena_printf(arena, "%s: '%.*s' takes its %s branch",
		    what, SF_STR_ARG(first->node),
		    first->value != 0 ? "then" : "else");
	return sf_arena_printf(arena, "%s: '%.*s' runs %lld time%s", what,
	    SF_STR_ARG(first->node), (long long)first->value,
	    first->value == 1 ? "" : "s");
}

void
sf_choices_record(const struct sf_choices *choices, struct sf_stream *stream)
{
	struct sf_jsonw w = { .comma = false };

	if (choices->nassumed == 0)
		return;
	sf_choices_put(choices, &w);
	sf_stream_add_tool_member(stream, "assumed",
	    sf_str_of(
		sf_arena_strndup(sf_stream_arena(stream), w.buf.p, w.buf.n)));
	sf_buf_release(&w.buf);
}
