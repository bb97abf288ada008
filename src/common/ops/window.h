// SPDX-License-Identifier: Apache-2.0
// Windows that slide over images: what convolution and pooling have in common.
#ifndef PRIM_COMMON_OPS_WINDOW_H
#define PRIM_COMMON_OPS_WINDOW_H

#include "schema.h"

/// The largest value of a spatial parameter: sums and products of a few of them stay far from
/// overflow.
#define WINDOW_LIMIT ((prim_dim_t)1 << 40)

/// The caller's arrays, one value for each spatial dimension; NULL `dilates`: 0, NULL `pad_r`:
/// `pad_l`, NULL `kernel`: none.
typedef struct {
    const prim_dim_t *strides, *kernel, *dilates, *pad_l, *pad_r;
} window_arrays_t;

/// Copies as many values as `src` has spatial dimensions; none if it is no image.
void prim__window_take(
        spatial_params_t *p, const window_arrays_t *arrays, const prim_memory_desc_t *src);

/// Elements that a window of `kernel` taps spans in spatial dimension `i`, from its first tap to
/// its last.
prim_dim_t prim__window_extent(const spatial_params_t *p, int i, prim_dim_t kernel);
/// The output size that src, window and padding give.
prim_dim_t prim__window_out(const spatial_params_t *p, int i, prim_dim_t kernel, prim_dim_t in);

/// Whether some window lies wholly in the padding.
bool prim__window_is_hollow(
        const spatial_params_t *p, const prim_memory_desc_t *src, const prim_memory_desc_t *dst);

#endif
