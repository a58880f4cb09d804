/* Counts operators by the built-in rules. */
#include "onnx/write/price.h"

#include <string.h>

#include "base/num.h"
#include "onnx/write/emit.h"
#include "rules/rule.h"
#include "stream/json.h"

struct sum {
	struct sf_rulebook *book;
	struct sf_onnx_cost *cost;
};

void
sf_onnx_pricer_init(struct sf_onnx_pricer *pricer)
{
	*pricer = (struct sf_onnx_pricer){ 0 };
}

void
sf_onnx_pricer_release(struct sf_onnx_pricer *pricer)
{
	if (pricer->book != NULL)
		sf_rulebook_release(pricer->book);
	sf_arena_free(pricer->arena);
}

static bool
measure(struct sf_tensor *tensors, int n)
{
	bool resolved = true;

	for (int i = 0; i < n; i++)
		if (!tensors[i].absent &&
		    (!sf_tensor_measure(&tensors[i]) || !tensors[i].resolved))
			resolved = false;
	return resolved;
}

/* Attributes with what a reader of JSON looks at behind them. */
static struct sf_str
padded(struct sf_str attrs, struct sf_arena *arena)
{
	char *text = sf_arena_calloc(arena, attrs.n + SF_JSON_PADDING, 1);

	if (attrs.n != 0)
		memcpy(text, attrs.p, attrs.n);
	return (struct sf_str){ text, attrs.n };
}

static void
add(void *context, struct sf_op *op, struct sf_arena *arena)
{
	struct sum *sum = context;
	const struct sf_rule *rule = sf_rulebook_find(sum->book, op->name);
	struct sf_error error;
	struct sf_attrs attrs = { .read = false };
	struct sf_eval e = {
		.op = op, .arena = arena, .error = &error, .attrs = &attrs
	};
	struct sf_counts counts = { 0 };

	if (op->folded)
		return;
	op->attrs = padded(op->attrs, arena);
	if (!measure(op->inputs, op->ninputs) ||
	    !measure(op->outputs, op->noutputs) || op->unresolved.n != 0 ||
	    rule == NULL || !sf_rule_count(rule, &e, &counts) ||
	    !sf_add(sum->cost->flops, counts.flops, &sum->cost->flops))
		sum->cost->open++;
}

void
sf_onnx_pricer_price(void *context, const struct sf_onnx_run *run, int64_t from,
    int64_t to, struct sf_onnx_cost *cost)
{
	struct sf_onnx_pricer *pricer = context;
	struct sum sum = { .cost = cost };

	if (pricer->arena == NULL) {
		pricer->arena = sf_arena_new();
		pricer->book = sf_rulebook_new(pricer->arena);
	}
	sum.book = pricer->book;
	sf_onnx_each_record(run, from, to, add, &sum);
}
