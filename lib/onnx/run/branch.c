/* If: the branch that is taken, or what is known of both. */
#include "onnx/run/control.h"

#include "onnx/run/depends.h"
#include "onnx/run/trial.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

static const char *const names[] = { "else_branch", "then_branch" };

static bool
take(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, struct sf_value *condition, int64_t value)
{
	/* What decides is still computed. */
	sf_onnx_value_of(condition)->live = true;
	return sf_onnx_expand_branch(
	    run, scope, node, sf_onnx_control_graph(node, names[value != 0]));
}

/* Both are taken on trial; the types that they have in common go on. */
static bool
close(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs)
{
	struct sf_onnx_closed closed = { 0 };
	struct sf_onnx_trial trials[2];
	struct sf_arena *arena = run->arena;
	struct sf_str name = sf_onnx_choice_name(node);
	const char *texts[2];

	for (int i = 0; i < 2; i++) {
		trials[i] = (struct sf_onnx_trial){
			.graph = sf_onnx_control_graph(node, names[i])
		};
		sf_onnx_trial(&trials[i], run, scope, node);
		texts[i] = sf_onnx_trial_text(&trials[i], arena);
	}
	closed.types = trials[0].results;
	for (int i = 0; i < node->noutputs; i++)
		sf_onnx_type_meet(
		    &closed.types[i], &trials[1].results[i], arena);
	closed.why = sf_arena_printf(arena,
	    "the condition of If is not known, so neither branch is expanded: "
	    "then %s%s; else %s%s",
	    trials[1].failed == NULL ? "is " : "", texts[1],
	    trials[0].failed == NULL ? "is " : "", texts[0]);
	closed.why = sf_onnx_depends_closed(run, node, inputs, closed.why,
	    sf_arena_printf(arena, "--branch %s or --branch %s",
		sf_onnx_value_argument(run, name, "then"),
		sf_onnx_value_argument(run, name, "else")));
	return sf_onnx_op_add(run, scope, node, captured, inputs, &closed);
}

bool
sf_onnx_expand_if(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs)
{
	struct sf_choices *choices = run->plan->choices;
	const struct sf_choice *choice;
	int64_t value;

	if (sf_onnx_control_number(inputs[0], &value)) {
		sf_choice_known(choices, SF_CHOICE_BRANCH, scope->prefix,
		    sf_onnx_choice_name(node), value != 0);
		return take(run, scope, node, inputs[0], value);
	}
	choice = sf_choice_find(choices, SF_CHOICE_BRANCH, scope->prefix,
	    sf_onnx_choice_name(node));
	if (choice == NULL || inputs[0] == NULL)
		return close(run, scope, node, captured, inputs);
	sf_choice_assume(choices, SF_CHOICE_BRANCH, sf_onnx_choice_name(node),
	    choice->value);
	return take(run, scope, node, inputs[0], choice->value);
}
