// SPDX-License-Identifier: Apache-2.0
// Tensors [N, C, (D, (H,)) W] as typed kernels address them: strides by role, in 32 bits.
#ifndef PRIM_OCL_CHANNELS_H
#define PRIM_OCL_CHANNELS_H

#include "common/memory_desc.h"
#include "gpu/ocl/clh/shared/channels_data.h"

/// The divisor `n`, 1 ≤ n < 2³¹, of numbers below 2³¹.
ocl_divisor_t prim__ocl_divisor(int32_t n);

/// Takes tensors of 2 to 5 dimensions that fit 32 bits and whose only padding is that of channel
/// blocks: plain ones, and those cut once, along the channels. Runs are of one channel unless the
/// channels lie innermost (NHWC: one run of all; nChw16c: runs of 16). False for others.
bool prim__ocl_channels_init(ocl_channels_t *channels, const prim_memory_desc_t *md);

/// The largest power of two ≤ `most` that divides the runs of all `n` tensors, and the number of
/// channels where some tensor has no padding: vectors of so many channels have no tails.
int prim__ocl_channels_vec(const ocl_channels_t *tensors, int n, int most);

/// Whether rows of `width` elements are contiguous, and channels are not.
bool prim__ocl_channels_has_rows(const ocl_channels_t *tensor, int32_t width);

/// The stride of the spatial dimensions merged into one, where rows and planes have no gaps: 1 if
/// they are contiguous (also if there is one element only). 0 if they cannot be merged.
int32_t prim__ocl_channels_flat_stride(const prim_memory_desc_t *md);
/// Whether the tensor is contiguous NHWC; `step` is the distance of neighbours of a plane.
bool prim__ocl_channels_are_nhwc(
        const ocl_channels_t *tensor, int32_t step, int32_t batch, int32_t spatial);

#endif
