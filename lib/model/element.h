/*
 * Element types of the route gpu: of what products read, --activations, and of
 * what the cache holds, --kv.
 */
#ifndef SF_MODEL_ELEMENT_H
#define SF_MODEL_ELEMENT_H

#include "model/call.h"

/* What numbers are kept as: bits, and a scale for each block of them. */
struct sf_element {
	const char *name; /* "f8" */
	enum sf_dtype dtype;
	int64_t block; /* elements with one scale; 0: a row; -1: no scales */
	enum sf_dtype scale;
};

/* Of products' inputs and of a cache; NULL when it is none's name. */
const struct sf_element *sf_element_activations(const char *name);
const struct sf_element *sf_element_cache(const char *name);

/* The type of what the cache holds. */
enum sf_dtype sf_element_kv(const struct sf_build *b);

/* Gives X, of that type, its scales; ELEMENT may be NULL. */
void sf_element_scale(
    struct sf_build *b, struct sf_val *x, const struct sf_element *element);

/*
 * MADE, if it is a product of a weight that is stored in fewer bits, is one of
 * the types of --activations and of the weight: its first input is made of that
 * type where it is made, or by an operator of its own before MADE.
 */
void sf_element_narrow(struct sf_build *b, struct sf_graph_node *made);

#endif
