/* What runs as a tensor says: a branch, or a loop until it is done. */
#include "export/higher.h"

#include "rules/price.h"

/* ---- on trial ---- */

/* What was expanded since MARK costs, in words. */
static const char *
price_since(struct sf_export_walk *walk, const struct sf_export_mark *mark)
{
	struct sf_price price = { .ops = walk->nops - mark->nops };

	for (int64_t i = mark->nops; i < walk->nops; i++) {
		struct sf_op op = walk->ops[i];

		sf_price_add(&price, walk->rules, &op, walk->arena);
	}
	return sf_price_text(&price, walk->arena);
}

/* Runs N graphs on VALUES, one after the other, and takes it all back. */
static const char *
try_graphs(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_str *graphs, int n, struct sf_export_value *const *values,
    int nvalues)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_export_mark mark = sf_export_mark(walk);
	struct sf_export_value **made;
	struct sf_error error;
	const char *text = NULL;
	int nmade;

	if (sf_export_no_more(walk))
		return "not tried, as much was tried in vain";
	for (int i = 0; i < n && text == NULL; i++)
		if (!sf_export_run(scope, node, graphs[i],
			i == 0 ? "test/" : "", values, nvalues, &made, &nmade,
			&error))
			text = sf_arena_printf(
			    walk->arena, "what cannot be run: %s", error.text);
	if (text == NULL)
		text = price_since(walk, &mark);
	sf_export_undo(walk, &mark);
	return text;
}

/* ---- the user's choice ---- */

/* The name in the trace without that of the node itself. */
static struct sf_str
place_of(const struct sf_export_scope *scope, const struct sf_export_node *node)
{
	struct sf_str name = sf_export_node_name(scope, node);

	name.n -= name.n > node->name.n ? node->name.n + 1 : name.n;
	return name;
}

void
sf_export_known(const struct sf_export_scope *scope,
    const struct sf_export_node *node, enum sf_choice_kind kind, int64_t value)
{
	sf_choice_known(scope->walk->choices, kind, place_of(scope, node),
	    node->name, value);
}

static const struct sf_choice *
choice_of(const struct sf_export_scope *scope,
    const struct sf_export_node *node, enum sf_choice_kind kind)
{
	return sf_choice_find(
	    scope->walk->choices, kind, place_of(scope, node), node->name);
}

/* ---- branches ---- */

static const char *
why_no_branch(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_str name = sf_export_node_name(scope, node);
	const char *texts[2];

	for (int i = 0; i < 2; i++)
		texts[i] = try_graphs(scope, node, &o->graphs[i], 1,
		    o->values + o->before, o->nvalues - o->before);
	return sf_arena_printf(arena,
	    "the condition of %.*s is not known, so neither branch is "
	    "expanded: then is %s; else %s; --branch %s or --branch %s "
	    "decides",
	    SF_STR_ARG(node->target.op), texts[0], texts[1],
	    sf_choice_argument(name, "then", arena),
	    sf_choice_argument(name, "else", arena));
}

bool
sf_export_branch(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    struct sf_error *error)
{
	const struct sf_choice *choice;
	int64_t truth = o->truth;

	if (o->decided)
		sf_export_known(scope, node, SF_CHOICE_BRANCH, truth);
	else {
		choice = choice_of(scope, node, SF_CHOICE_BRANCH);
		if (choice == NULL)
			return sf_export_whole(scope, node, o,
			    why_no_branch(scope, node, o), error);
		truth = choice->value;
		sf_choice_assume(
		    scope->walk->choices, SF_CHOICE_BRANCH, node->name, truth);
	}
	return sf_export_expand(scope, node, o, truth != 0 ? 0 : 1, error);
}

/* ---- loops ---- */

static const char *
why_no_trips(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o)
{
	struct sf_arena *arena = scope->walk->arena;

	return sf_arena_printf(arena,
	    "it is not known how often %.*s runs, so its body is not "
	    "expanded: a step is %s; --trips %s decides",
	    SF_STR_ARG(node->target.op),
	    try_graphs(scope, node, o->graphs, 2, o->values, o->nvalues),
	    sf_choice_argument(sf_export_node_name(scope, node), "N", arena));
}

/* One that does not run gives copies of what it was given. */
static bool
copy_carried(struct sf_export_scope *scope, const struct sf_export_node *node,
    struct sf_export_value *const *values, int n, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_str name = sf_export_node_name(scope, node);
	struct sf_export_value **results;
	int nresults;

	if (!sf_export_results(scope, node, error))
		return false;
	results = sf_export_listed(walk, &nresults);
	if (nresults != n)
		return sf_fail(error,
		    "%d values go round, and it has %d results", n, nresults);
	for (int i = 0; i < n; i++)
		if (results[i] != NULL && values[i] != NULL)
			sf_export_add(walk, SF_STR("aten.clone"), name,
			    &values[i], 1, &results[i], 1, SF_STR(""), NULL);
	return true;
}

/* The condition, and the body unless it is the LAST time. */
static bool
run_trip(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o, struct sf_export_value **values,
    int64_t trip, bool last, struct sf_error *error)
{
	struct sf_arena *arena = scope->walk->arena;
	struct sf_export_value **made;
	int nmade, ncarry = o->ends[0];

	scope->walk->expanded++;
	if (!sf_export_run(scope, node, o->graphs[0],
		sf_arena_printf(arena, "test/%lld/", (long long)trip), values,
		o->nvalues, &made, &nmade, error))
		return false;
	if (last)
		return true;
	if (!sf_export_run(scope, node, o->graphs[1],
		sf_arena_printf(arena, "%lld/", (long long)trip), values,
		o->nvalues, &made, &nmade, error))
		return false;
	if (nmade != ncarry)
		return sf_fail(error,
		    "its graph makes %d values, and %d go round", nmade,
		    ncarry);
	for (int i = 0; i < ncarry; i++)
		values[i] = made[i];
	return true;
}

static bool
run_trips(struct sf_export_scope *scope, const struct sf_export_node *node,
    const struct sf_export_operands *o, int64_t trips, struct sf_error *error)
{
	struct sf_export_walk *walk = scope->walk;
	struct sf_export_mark mark = sf_export_mark(walk);
	struct sf_export_value **values = sf_arena_calloc(
	    walk->arena, (size_t)o->nvalues + 1, sizeof *values);
	const char *why = NULL;

	for (int i = 0; i < o->nvalues; i++)
		values[i] = o->values[i];
	for (int64_t trip = 0; trip <= trips && why == NULL; trip++) {
		if (!run_trip(
			scope, node, o, values, trip, trip == trips, error))
			return false;
		if (trip == 0 && trips > 0)
			why = sf_export_too_many(walk, &mark, node->target.op,
			    o->graphs[0].n + o->graphs[1].n, trips - 1);
	}
	if (why != NULL) {
		sf_export_undo(walk, &mark);
		return sf_export_whole(scope, node, o, why, error);
	}
	sf_choice_assume(walk->choices, SF_CHOICE_TRIPS, node->name, trips);
	if (trips == 0)
		return copy_carried(scope, node, values, o->ends[0], error);
	return sf_export_hand_out(scope, node, values, o->ends[0], error);
}

bool
sf_export_while(struct sf_export_scope *scope,
    const struct sf_export_node *node, const struct sf_export_operands *o,
    struct sf_error *error)
{
	const struct sf_choice *choice =
	    choice_of(scope, node, SF_CHOICE_TRIPS);

	if (choice == NULL || sf_export_no_more(scope->walk))
		return sf_export_whole(
		    scope, node, o, why_no_trips(scope, node, o), error);
	return run_trips(scope, node, o, choice->value, error);
}
