/* Parts of text encoders, which several programs have. */
#ifndef SF_MODEL_ENCODER_H
#define SF_MODEL_ENCODER_H

#include "model/arch.h"
#include "model/call.h"

/* The name of a module of the encoder itself, which a head does not have. */
const char *sf_encoder_inside(struct sf_build *b, const char *name);

/* A layer norm with weight and bias, by the whole name of its module. */
struct sf_val *sf_encoder_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

/* The rows that IDS name of the table NAME, of the embeddings. */
struct sf_val *sf_encoder_look_up(
    struct sf_build *b, const char *name, int64_t rows, struct sf_val *ids);

/* Places counted from behind the number of the padding, as RoBERTa does it. */
struct sf_val *sf_encoder_count_places(struct sf_build *b, struct sf_val *ids);

/* A layer behind its attention, Y, of the input X. */
struct sf_val *sf_encoder_layer_rest(
    struct sf_build *b, int64_t layer, struct sf_val *x, struct sf_val *y);

/* What the class makes of the last states; TABLE is that of the words. */
struct sf_val *
sf_encoder_finish(struct sf_build *b, struct sf_val *x, struct sf_val *table);

#endif
