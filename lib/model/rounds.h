/*
 * Loops over layers or tokens whose operators need not be in memory all at
 * once: where the graph has a writer, each round's are written when it ends,
 * and its memory is that of the next round. Without a writer nothing happens.
 *
 *	struct sf_arena *outer = sf_rounds_begin(graph);
 *
 *	for (int64_t i = 0; i < layers; i++) {
 *		x = layer(b, i, x);
 *		sf_rounds_next(graph, outer, &x, 1);
 *	}
 *	sf_rounds_end(graph, outer);
 *
 * What was made before the loop stays. Loops may stand in one another.
 */
#ifndef SF_MODEL_ROUNDS_H
#define SF_MODEL_ROUNDS_H

#include "model/graph.h"

/* From here on the graph's arena is that of a round. */
struct sf_arena *sf_rounds_begin(struct sf_graph *graph);

/*
 * Ends a round. Of what was made in it only N VALS are there afterwards, as
 * copies in OUTER; whether they outlive the run must have been said before.
 */
void sf_rounds_next(struct sf_graph *graph, struct sf_arena *outer,
    struct sf_val **vals, int n);

/* Behind the last round, whose end was told, too. */
void sf_rounds_end(struct sf_graph *graph, struct sf_arena *outer);

#endif
