/*
 * What a configuration says of its rotary embedding. The types differ in the
 * frequencies, which no trace has, and in what the cosines and sines are
 * multiplied by, which is a constant in the graphs that have constants.
 */
#ifndef SF_MODEL_ROTARY_H
#define SF_MODEL_ROTARY_H

#include <stdbool.h>

#include "config/config.h"

/*
 * How much of a head is rotated: partial_rotary_factor of the embedding, else
 * the configuration's KEY, else OTHERWISE.
 */
double sf_rotary_part(
    const struct sf_config *config, const char *key, double otherwise);

/*
 * The type of the embedding when it is one whose frequencies depend on the value
 * of the last place, which no capture without values has; else NULL.
 */
const char *sf_rotary_asks(const struct sf_config *config);

/* llama_4_scaling_beta, and original_max_position_embeddings. */
void sf_rotary_read_heat(
    const struct sf_config *config, double *heat, int64_t *tokens);

/* mrope_section: how many frequencies each of three positions has. */
void
sf_rotary_read_sections(const struct sf_config *config, int64_t sections[3]);

/*
 * That multiplier, of the embedding that layers of TYPE have: a member of
 * rope_parameters by that name, and rope_scaling when it is SCALED. Without any
 * it is 1.
 */
double sf_rotary_read_type(
    const struct sf_config *config, const char *type, bool scaled);

/*
 * That multiplier. PARTIAL: the embedding may be of a part of a head. Dies with the field when the embedding is of a type that is
 * not known, or lacks what its multiplier is computed from.
 */
double sf_rotary_read(const struct sf_config *config, bool partial);

#endif
