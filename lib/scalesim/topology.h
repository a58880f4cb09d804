/*
 * SCALE-Sim's topology: a comma-separated file of layers, each a convolution
 * (name, height and width of the input, of the filter, channels, filters,
 * stride) or a matrix product (name, M, N, K). The number of columns says which.
 */
#ifndef SF_SCALESIM_TOPOLOGY_H
#define SF_SCALESIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* The numbers of a layer of each kind, in the order of its columns. */
enum sf_layer_conv {
	SF_LAYER_CONV_H,
	SF_LAYER_CONV_W,
	SF_LAYER_CONV_FILTER_H,
	SF_LAYER_CONV_FILTER_W,
	SF_LAYER_CONV_CHANNELS,
	SF_LAYER_CONV_FILTERS,
	SF_LAYER_CONV_STRIDE,
	SF_LAYER_CONV_NUMBERS
};

enum sf_layer_gemm {
	SF_LAYER_GEMM_M,
	SF_LAYER_GEMM_N,
	SF_LAYER_GEMM_K,
	SF_LAYER_GEMM_NUMBERS
};

struct sf_topology_layer {
	struct sf_str name;
	/*
	 * How many layers this row stands for: the channels of a convolution
	 * whose name has "DP" in it, which SCALE-Sim runs one by one, each as
	 * a convolution of one channel; else 1.
	 */
	int64_t repeats;
	int64_t n[SF_LAYER_CONV_NUMBERS];
};

struct sf_topology {
	bool gemm;         /* all layers are products, else convolutions */
	struct sf_buf buf; /* struct sf_topology_layer */
};

static inline const struct sf_topology_layer *
sf_topology_layers(const struct sf_topology *topology, size_t *n)
{
	*n = topology->buf.n / sizeof(struct sf_topology_layer);
	return (const struct sf_topology_layer *)(const void *)topology->buf.p;
}

/*
 * Reads LEN bytes; names live in ARENA. On failure *LINE is where, from 1, and
 * 0 when it is the whole file.
 */
bool sf_topology_parse(struct sf_topology *topology, const char *text,
    size_t len, struct sf_arena *arena, int64_t *line, struct sf_error *error);
void sf_topology_release(struct sf_topology *topology);

/*
 * Positions of a filter along an input: SCALE-Sim rounds up, so that the last
 * one may reach past the input, by *PAST.
 */
int64_t sf_topology_positions(
    int64_t in, int64_t filter, int64_t stride, int64_t *past);

#endif
