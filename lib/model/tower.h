/*
 * What towers are made of that see images, and the encoders of text beside
 * them: layers of attention and an MLP, each behind a norm, and the modules'
 * names.
 */
#ifndef SF_MODEL_TOWER_H
#define SF_MODEL_TOWER_H

#include "model/block.h"

struct sf_tower_layer {
	const char *q, *k, *v, *o, *first_norm, *up, *down, *second_norm;
	const char *gate; /* of an MLP that may have one; NULL: none has */
	const char *act;  /* its activation; NULL: as the family says */
	/* Vectors that what attention and the MLP give is multiplied by. */
	const char *first_scale, *second_scale; /* NULL: there are none */
	bool projects_first; /* q, k and v, before any is split in heads */
	bool input_last;     /* what is added to the layer's input is first */
};

/* Of CLIP's text and its images. */
extern const struct sf_tower_layer sf_tower_clip;

/* NAME with the prefix of the part that is built. */
const char *sf_tower_name(struct sf_build *b, const char *name);

/* As sf_enter, of the part that is built as a whole. */
const char *sf_tower_enter(struct sf_build *b);

/* A layer norm. LAYER as of sf_weight. */
struct sf_val *sf_tower_norm(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x);

struct sf_val *sf_tower_layer(struct sf_build *b, int64_t i,
    const struct sf_tower_layer *names, struct sf_val *x, struct sf_val *mask);

/* Sizes that all of them have, with the defaults of ViT or CLIP. */
void sf_tower_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena, int64_t hidden, int64_t heads);

/* Two sizes that are one number or a list of two. */
void sf_tower_read_pair(const struct sf_config *config, const char *key,
    int64_t otherwise, int64_t pair[2]);

/* Sizes of the image and of its patches; the image must have one. */
void sf_tower_read_image(
    struct sf_arch *arch, const struct sf_config *config, int64_t patch);

/* The image of the workload, or of the configuration: pixels of BATCH. */
struct sf_val *sf_tower_pixels(struct sf_build *b);

#endif
