/*
 * Rotary embedding of tokens that have three positions, in time, height and
 * width, each for a part of the frequencies (M-RoPE). Of text the three are the
 * same; what is computed is not.
 */
#ifndef SF_MODEL_SECTIONS_H
#define SF_MODEL_SECTIONS_H

#include "model/rope.h"

/* The tokens' positions in text, which come back, and *GRID, [3, batch, tokens]. */
struct sf_val *sf_sections_positions(struct sf_build *b, struct sf_val **grid);

/* The angles of a grid's positions. */
struct sf_rope sf_sections_angles(struct sf_build *b, struct sf_val *grid);

#endif
