/* Counts operators by the built-in rules. */
#include "rules/price.h"

#include <string.h>

#include "base/num.h"
#include "rules/rule.h"
#include "stream/json.h"

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

void
sf_price_add(struct sf_price *price, struct sf_rulebook *book, struct sf_op *op,
    struct sf_arena *arena)
{
	const struct sf_rule *rule = sf_rulebook_find(book, op->name);
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
	    !sf_add(price->flops, counts.flops, &price->flops))
		price->open++;
}

const char *
sf_price_text(const struct sf_price *price, struct sf_arena *arena)
{
	const char *ops = sf_arena_printf(arena, "%lld operator%s",
	    (long long)price->ops, price->ops == 1 ? "" : "s");

	if (price->open == 0)
		return sf_arena_printf(
		    arena, "%s and %lld FLOPs", ops, (long long)price->flops);
	return sf_arena_printf(arena,
	    "%s and at least %lld FLOPs, %lld not counted", ops,
	    (long long)price->flops, (long long)price->open);
}
