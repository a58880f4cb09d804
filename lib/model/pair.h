/* What models of an encoder and a decoder that reads it have in common. */
#ifndef SF_MODEL_PAIR_H
#define SF_MODEL_PAIR_H

#include "model/block.h"

/* How many tokens the encoder has read, or reads. */
int64_t sf_pair_source(const struct sf_build *b);

/*
 * The encoder's result by ENCODE, which builds with as many tokens as the
 * source has. Of a decode it has run before, and is only counted.
 */
struct sf_val *sf_pair_encode(struct sf_build *b,
    struct sf_val *(*encode)(struct sf_build *b, void *data), void *data);

/* The module NAME of STACK, "encoder." or "decoder.". */
const char *
sf_pair_name(struct sf_build *b, const char *stack, const char *name);

/* As sf_enter, of a STACK as a whole. */
const char *sf_pair_enter(struct sf_build *b, const char *stack);

/* The module NAME of each layer of STACK. */
const char *
sf_pair_layer(struct sf_build *b, const char *stack, const char *name);

/* X through the layer norm NAME, of LAYER or of none. */
struct sf_val *sf_pair_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* What a configuration of an encoder with a decoder has when it says nothing. */
struct sf_pair_sizes {
	int64_t hidden, inner, layers, heads, vocab;
};

/* The sizes of both, as transformers names them since BART. */
void sf_pair_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena, const struct sf_pair_sizes *without);

/* The decoder of BOTH, whose own sizes are those of the encoder. */
struct sf_arch sf_pair_decoder(const struct sf_arch *both);

#endif
