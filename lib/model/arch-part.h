/* Parts of a configuration, for what reads a family's. All die as arch.h says. */
#ifndef SF_MODEL_ARCH_PART_H
#define SF_MODEL_ARCH_PART_H

#include "model/arch.h"

/* The activation that KEY names; left as it is when there is none. */
void sf_arch_read_activation(
    struct sf_arch *arch, const struct sf_config *config, const char *key);

/*
 * Keys and values for each head, of the size that heads make of the hidden one.
 * Dies at AT when they do not divide it; the fields are HEADS and HIDDEN.
 */
void sf_arch_own_heads(struct sf_arch *arch, const struct sf_config *config,
    const struct sf_config_value *at, const char *heads, const char *hidden);

/* X times Y, which the field KEY makes; dies when it passes 2^63 - 1. */
int64_t sf_arch_product(
    const struct sf_config *config, const char *key, int64_t x, int64_t y);

/* Dies unless V is a list of as many items as there are layers. */
void sf_arch_check_names(const struct sf_arch *arch,
    const struct sf_config *config, const struct sf_config_value *v);

/*
 * How often the model does something, with a number where the field is absent:
 * at most as often as it may have layers, as every time is written.
 */
int64_t sf_arch_times_or(
    const struct sf_config *config, const char *key, int64_t otherwise);

/* The number of layers, by either name, and room for what each of them is. */
void sf_arch_read_layers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, const char *other, struct sf_arena *arena);

/* The same, of a number that was found otherwise. */
void sf_arch_set_layers(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t layers, struct sf_arena *arena);

/* A grouped router's groups, and those of them that a token chooses from. */
void sf_arch_read_groups(struct sf_arch *arch, const struct sf_config *config,
    int64_t groups, int64_t chosen);

/* The number of layers, with one where the field is absent. */
void
sf_arch_read_layers_or(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t otherwise, struct sf_arena *arena);

/* How many labels there are; OTHERWISE when the configuration names none. */
void sf_arch_read_labels(
    struct sf_arch *arch, const struct sf_config *config, int64_t otherwise);

/* The layers' kinds from layer_types; false when it is absent. */
bool
sf_arch_read_layer_types(struct sf_arch *arch, const struct sf_config *config);

/* Which layers have a window, as the family has it. */
void sf_arch_read_windows(struct sf_arch *arch, const struct sf_config *config);

/* Experts, where the family has them. */
void sf_arch_read_experts(struct sf_arch *arch, const struct sf_config *config);

/* block_configs: each layer by itself. */
void sf_arch_read_blocks(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);

/*
 * Which layers attend and which keep states, from the list of names KEY, or of
 * the numbers of those that attend; false when it is absent.
 */
bool sf_arch_read_kind_names(struct sf_arch *arch,
    const struct sf_config *config, const char *key, enum sf_layer_kind *kinds);
bool sf_arch_read_kind_numbers(struct sf_arch *arch,
    const struct sf_config *config, const char *key, enum sf_layer_kind *kinds);

/* Sums up the layers' kinds. */
void sf_arch_sum_windows(struct sf_arch *arch);

#endif
