/*
 * Attention masks and the key/value cache, as transformers 5.18 makes them
 * (masking_utils.py, cache_utils.py).
 */
#ifndef SF_MODEL_MASK_H
#define SF_MODEL_MASK_H

#include "model/call.h"

/* The WINDOW of a mask that has none; one of 0 lets nothing through. */
enum {
	SF_MASK_FULL = -1
};

/*
 * create_causal_mask, or create_sliding_window_causal_mask for a WINDOW other
 * than SF_MASK_FULL: a mask of [batch, 1, tokens, keys], or NULL where is_causal
 * does. POSITIONS are [1, tokens]; NULL: the model says nothing of them. CACHED
 * is the window of the cache's layer that tells the number of keys, 0 for a
 * layer that keeps all.
 */
struct sf_val *sf_mask_causal(struct sf_build *b, struct sf_val *positions,
    int64_t window, int64_t cached);

/*
 * create_chunked_causal_mask: tokens see those before them in their chunk of so
 * many. As above; the cache's layer has that window.
 */
struct sf_val *
sf_mask_chunked(struct sf_build *b, struct sf_val *positions, int64_t chunk);

/*
 * create_causal_mask with a mask of what is no padding, [batch, keys] of
 * numbers; as numbers to add where attention is eager.
 */
struct sf_val *sf_mask_padded(struct sf_build *b, struct sf_val *mask);

/* create_bidirectional_mask without padding; NULL where none is made. */
struct sf_val *sf_mask_bidirectional(struct sf_build *b);

/*
 * create_bidirectional_sliding_window_mask: tokens see those that are no more
 * than WINDOW away on either side; NULL where none is made.
 */
struct sf_val *sf_mask_near(struct sf_build *b, int64_t window);

/* The same over KEYS of an encoder, for the decoder's tokens. */
struct sf_val *sf_mask_across(struct sf_build *b, int64_t keys);

/* DynamicCache: one layer's keys and values. */
struct sf_cache_layer {
	struct sf_val *keys, *values;
	struct sf_val
	    *window_size; /* a constant that a new sliding layer has */
	int64_t window;
};

/* True when the model is run with a cache. */
bool sf_cache_used(const struct sf_build *b);

/* What a cache holds of the context, before the call. */
struct sf_val *sf_cache_given(
    struct sf_build *b, enum sf_dtype dtype, int rank, const int64_t *shape);

/* HELD is what a cache holds behind the call, and outlives it if so asked. */
void sf_cache_keep(struct sf_build *b, struct sf_val *held);

/* Makes the layer, empty or with the workload's context; WINDOW 0: all. */
void sf_cache_layer_init(
    struct sf_build *b, struct sf_cache_layer *layer, int64_t window);

/* Those of N layers with the windows of each; NULL when there is no cache. */
struct sf_cache_layer *sf_cache_layers(struct sf_build *b, int64_t n);

/* Appends new keys and values; *KEYS and *VALUES become all there are. */
void sf_cache_update(struct sf_build *b, struct sf_cache_layer *layer,
    struct sf_val **keys, struct sf_val **values);

/* 0, 1, ... behind the context: [tokens]. */
struct sf_val *sf_position_range(struct sf_build *b);

/* The same of a layer whose values are its keys. */
void sf_cache_update_one(
    struct sf_build *b, struct sf_cache_layer *layer, struct sf_val **keys);
/*
 * What a layer holds of an encoder's KEYS: of a decode all of them, else those
 * of *KEYS and *VALUES, which are put into the cache where there is one.
 */
void sf_cache_cross(struct sf_build *b, int64_t n, struct sf_val **keys,
    struct sf_val **values);

/* position_ids: [1, tokens]. */
struct sf_val *sf_position_ids(struct sf_build *b);

#endif
