/* What operators would cost that are not written. */
#ifndef SF_ONNX_PRICE_H
#define SF_ONNX_PRICE_H

#include "onnx/run/run.h"
#include "rules/rulebook.h"

struct sf_onnx_pricer {
	struct sf_arena *arena;   /* NULL until it is first asked */
	struct sf_rulebook *book; /* the built-in rules */
};

void sf_onnx_pricer_init(struct sf_onnx_pricer *pricer);
void sf_onnx_pricer_release(struct sf_onnx_pricer *pricer);

/* CONTEXT is a pricer. */
sf_onnx_price sf_onnx_pricer_price;

#endif
