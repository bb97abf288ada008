// SPDX-License-Identifier: Apache-2.0
// A copy of the weights, f32, in which input and output channels have changed places, for matrix
// products over the other ones.
#ifndef PRIM_OCL_CONV_SWAP_CHANNELS_H
#define PRIM_OCL_CONV_SWAP_CHANNELS_H

#include "common/conv_shape.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// The copy, [(G,) IC, OC, taps], in the layout `tag`.
prim_status_t prim__ocl_conv_swapped_md(prim_memory_desc_t *copy, const prim_memory_desc_t *weights,
        const conv_shape_t *shape, const char *tag);
/// Builds the kernel and uploads its data, the primitive's next ones.
prim_status_t prim__ocl_conv_swap_channels_init(ocl_primitive_t *p, const prim_memory_desc_t *copy);
/// Copies to the scratchpad at `offset`, by those.
prim_status_t prim__ocl_conv_swap_channels(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel, int data, size_t offset);

#endif
