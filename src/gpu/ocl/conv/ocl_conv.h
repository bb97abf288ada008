// SPDX-License-Identifier: Apache-2.0
// What the OpenCL convolutions share.
#ifndef PRIM_OCL_CONV_H
#define PRIM_OCL_CONV_H

#include "common/conv_shape.h"
#include "gpu/ocl/clh/shared/conv_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_sums.h"

/// @name Typed variants
/// @{

_Static_assert(NSPATIAL == CONV_NSPATIAL, "kernels know all spatial dimensions");

/// Declines sums of more products than one chain of additions takes (ocl_sums.h).
prim_status_t prim__ocl_conv_require_short_sums(prim_desc_t *pd);

/// Declines sums of more than 2^28 products, for kernels that split long ones.
prim_status_t prim__ocl_conv_require_split_sums(prim_desc_t *pd);

/// Declines src or weights that f32 does not hold exactly (s32), zero points of theirs, and a bias
/// with gaps.
prim_status_t prim__ocl_conv_require_floats(prim_desc_t *pd);

/// The same, and long sums: for kernels that do not split them.
prim_status_t prim__ocl_conv_require_typed(prim_desc_t *pd);
enum { OCL_CONV_BLOCK = 16 }; ///< channels that typed variants want adjacent

/// Declines sizes that 32-bit positions do not reach.
prim_status_t prim__ocl_conv_require_sizes(prim_desc_t *pd, const conv_shape_t *shape);
/// Declines a src or dst that is neither plain nor blocked by 16 channels alone, of which groups of
/// `channels` (1: none) must be whole blocks.
prim_status_t prim__ocl_conv_require_data(
        prim_desc_t *pd, const prim_memory_desc_t *md, prim_dim_t channels);
/// Declines a tensor that is a view whose first element lies behind padding.
prim_status_t prim__ocl_conv_require_origin(prim_desc_t *pd, const prim_memory_desc_t *md);
/// Declines src, weights and dst that are blocked, views behind padding, or too large for 32-bit
/// indices.
prim_status_t prim__ocl_conv_require_plain(prim_desc_t *pd);
/// The same of a gradient by src: diff_dst, weights and diff_src, which are not empty either; and a
/// bias with gaps.
prim_status_t prim__ocl_conv_require_plain_gradient(prim_desc_t *pd);
/// Settles open layouts: weights get output channels innermost, the rest as
/// prim__conv_set_row_major().
prim_status_t prim__ocl_conv_set_outputs_last(prim_desc_t *pd, const conv_shape_t *shape);
/// Whether 16 consecutive channels, from a multiple of 16 on, are contiguous in memory.
bool prim__ocl_conv_is_last(const prim_memory_desc_t *md);
/// Whether products are sums of integers, and whether nothing but integers follows either.
bool prim__ocl_conv_sums_integers(const prim_desc_t *pd);
bool prim__ocl_conv_is_exact(const prim_desc_t *pd);
/// Whether the post-ops are a few instructions without operands, which may stand beside every sum.
bool prim__ocl_conv_has_short_epilogue(const prim_desc_t *pd);

/// Adds SRC, WEI, BIA, DST (prim__ocl_options_type()), HAS_BIAS and HAS_QUANT.
void prim__ocl_conv_options(ocl_options_t *options, const prim_desc_t *pd);
/// Of a problem that has passed the checks above. Channel strides are of blocks where `src_is_last`
/// and `dst_is_last`.
ocl_conv_geo_t prim__ocl_conv_geo(const prim_desc_t *pd, bool src_is_last, bool dst_is_last);
/// Of it, all but strides.
void prim__ocl_conv_geo_sizes(ocl_conv_geo_t *geo, const conv_shape_t *shape);
ocl_conv_quant_t prim__ocl_conv_quant(const prim_desc_t *pd);
/// Starts the arguments of a kernel: all its constant data, src, weights, bias, dst. Weights are
/// those that lie in the scratchpad from *packed_offset on, if that is given.
void prim__ocl_conv_args(ocl_args_t *args, const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        const size_t *packed_offset);
/// Has kernels[1] copy the weights there: data[0], weights and the copy are its parameters.
prim_status_t prim__ocl_conv_pack_weights(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        size_t packed_offset, const ocl_range_t *range);
/// Adds CONV_QUANT_PARAMS.
void prim__ocl_conv_args_quant(ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd);

/// @}

#endif
