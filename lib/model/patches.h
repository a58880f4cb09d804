/*
 * Towers that are given the patches of images of any size, and positions of
 * them, as their processors cut them. PyTorch captures them only with values.
 */
#ifndef SF_MODEL_PATCHES_H
#define SF_MODEL_PATCHES_H

#include "model/block.h"

/* Patches of one image of the workload, by rows and columns. */
void sf_patches_grid(const struct sf_build *b, int64_t grid[2]);

/* The patches of all images: a row each. */
struct sf_val *sf_patches_given(struct sf_build *b);

/* A tensor of numbers that the model makes of positions, or is given. */
struct sf_val *sf_patches_number(struct sf_build *b, const char *name,
    enum sf_dtype dtype, int rank, const int64_t *shape);

/* q or k, [..., heads, size], turned by COS and SIN of its whole size. */
struct sf_val *sf_patches_turn(struct sf_build *b, struct sf_val *x,
    struct sf_val *cos, struct sf_val *sin);

/* Reads what patches are: patch_size and by what KEY they are merged. */
void sf_patches_read(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t merge);

#endif
