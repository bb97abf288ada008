// SPDX-License-Identifier: Apache-2.0
// The copy of the weights of a phase (conv_polyphase.h) on CPU-type devices, where the nested
// convolutions read them blocked by channels.
#ifndef PRIM_OCL_CONV_TRANSPOSE_BLOCKS_H
#define PRIM_OCL_CONV_TRANSPOSE_BLOCKS_H

#include "common/conv_polyphase.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// Whether the weights of all phases are copied so: plain ones to blocks of 16.
bool prim__ocl_conv_transposes_blocks(const prim_desc_t *pd, const conv_polyphase_t *polyphase);
/// Builds the kernel, the primitive's next one.
prim_status_t prim__ocl_conv_transpose_blocks_init(ocl_primitive_t *p);
/// Uploads what the copy of a phase needs, the primitive's next data.
prim_status_t prim__ocl_conv_transpose_blocks_add(
        ocl_primitive_t *p, const conv_phase_t *phase, int slot);
/// Work-items of the copy of a phase.
ocl_range_t prim__ocl_conv_transpose_blocks_range(const prim_desc_t *pd);

#endif
