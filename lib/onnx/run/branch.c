/* If: the branch that is taken, or what is known of both. */
#include "onnx/run/control.h"

#include "onnx/run/depends.h"
#include "onnx/run/trial.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

static const char *const names[] = { "else_branch", "then_branch" };

static bool
take(const struct sf_onnx_held *h, int64_t value)
{
	/* What decides is still computed. */
	sf_onnx_value_of(h->inputs[0])->live = true;
	return sf_onnx_expand_branch(h->run, h->scope, h->node,
	    sf_onnx_control_graph(h->node, names[value != 0]));
}

/* Both are taken on trial; the types that they have in common go on. */
static bool
close(const struct sf_onnx_held *h)
{
	struct sf_onnx_closed closed = { 0 };
	struct sf_onnx_trial trials[2];
	struct sf_arena *arena = h->run->arena;
	struct sf_str name = sf_onnx_choice_name(h->node);
	const char *texts[2];

	for (int i = 0; i < 2; i++) {
		trials[i] = (struct sf_onnx_trial){
			.graph = sf_onnx_control_graph(h->node, names[i])
		};
		sf_onnx_trial(&trials[i], h->run, h->scope, h->node);
		texts[i] = sf_onnx_trial_text(&trials[i], arena);
	}
	closed.types = trials[0].results;
	for (int i = 0; i < h->node->noutputs; i++)
		sf_onnx_type_meet(
		    &closed.types[i], &trials[1].results[i], arena);
	closed.why = sf_arena_printf(arena,
	    "the condition of If is not known, so neither branch is expanded: "
	    "then %s%s; else %s%s",
	    trials[1].failed == NULL ? "is " : "", texts[1],
	    trials[0].failed == NULL ? "is " : "", texts[0]);
	closed.why =
	    sf_onnx_depends_closed(h->run, h->node, h->inputs, closed.why,
		sf_arena_printf(arena, "--branch %s or --branch %s",
		    sf_onnx_value_argument(h->run, name, "then"),
		    sf_onnx_value_argument(h->run, name, "else")));
	return sf_onnx_control_close(h, &closed);
}

bool
sf_onnx_expand_if(const struct sf_onnx_held *h)
{
	struct sf_choices *choices = h->run->plan->choices;
	struct sf_str name = sf_onnx_choice_name(h->node);
	const struct sf_choice *choice;
	int64_t value;

	if (sf_onnx_control_number(h->inputs[0], &value)) {
		sf_choice_known(choices, SF_CHOICE_BRANCH, h->scope->prefix,
		    name, value != 0);
		return take(h, value);
	}
	choice =
	    sf_choice_find(choices, SF_CHOICE_BRANCH, h->scope->prefix, name);
	if (choice == NULL || h->inputs[0] == NULL)
		return close(h);
	sf_choice_assume(choices, SF_CHOICE_BRANCH, name, choice->value);
	return take(h, choice->value);
}
