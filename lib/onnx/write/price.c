/* Counts operators by the built-in rules. */
#include "onnx/write/price.h"

#include "onnx/write/emit.h"

struct sum {
	struct sf_rulebook *book;
	struct sf_price *cost;
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

static void
add(void *context, struct sf_op *op, struct sf_arena *arena)
{
	struct sum *sum = context;

	sf_price_add(sum->cost, sum->book, op, arena);
}

void
sf_onnx_pricer_price(void *context, const struct sf_onnx_run *run, int64_t from,
    int64_t to, struct sf_price *cost)
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
