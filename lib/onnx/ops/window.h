/* What convolutions and pools share: a window that slides over an input. */
#ifndef SF_ONNX_WINDOW_H
#define SF_ONNX_WINDOW_H

#include "onnx/infer/shape.h"

enum {
	SF_WINDOW_MAX = 16
}; /* spatial dimensions */

struct sf_onnx_window {
	int n;                   /* spatial dimensions */
	bool same, valid, lower; /* attribute auto_pad */
	bool ceil;               /* attribute ceil_mode */
	struct sf_onnx_dim kernel[SF_WINDOW_MAX];
	int64_t stride[SF_WINDOW_MAX];
	int64_t dilation[SF_WINDOW_MAX];
	int64_t pad_begin[SF_WINDOW_MAX];
	int64_t pad_end[SF_WINDOW_MAX];
};

/*
 * Reads strides, dilations, pads, auto_pad and ceil_mode for N spatial
 * dimensions; the kernel comes from attribute kernel_shape, and where that is
 * missing from WEIGHT's dimensions after the second (NULL: it is required).
 */
bool sf_window_read(struct sf_infer *infer, int n,
    const struct sf_shape *weight, struct sf_onnx_window *window);

/* How many spatial dimensions attribute kernel_shape has; -1: not given. */
bool sf_window_rank(struct sf_infer *infer, int *n);

/* How many places the window takes along spatial dimension I of size IN. */
bool
sf_window_slide(struct sf_infer *infer, const struct sf_onnx_window *window,
    int i, struct sf_onnx_dim in, struct sf_onnx_dim *out);

/* The extent of a dilated kernel. */
bool sf_window_extent(struct sf_infer *infer,
    const struct sf_onnx_window *window, int i, int64_t *out);

#endif
