// SPDX-License-Identifier: Apache-2.0
// The planes of simd_conv_planes.h with pixels of several channels in the place of elements.
#ifndef PRIM_CPU_SIMD_CONV_PHASES_H
#define PRIM_CPU_SIMD_CONV_PHASES_H

#include "simd_conv_planes.h"

/// Copies the channels channel..channel+nchannels, which are contiguous in src: planes [taps along
/// the depth][plane_elems][nchannels] of f32, zeros for the padding.
void prim__simd_conv_copy_phases(const simd_conv_planes_t *planes, const simd_conv_source_t *source,
        const simd_conv_strip_t *strip, prim_dim_t nchannels, float *to);

#endif
