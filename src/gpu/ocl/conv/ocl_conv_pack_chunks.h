// SPDX-License-Identifier: Apache-2.0
// Copies of src and weights whose channels are padded to chunks of 16 bytes: in the scratchpad,
// before kernels that read nothing shorter.
#ifndef PRIM_OCL_CONV_PACK_CHUNKS_H
#define PRIM_OCL_CONV_PACK_CHUNKS_H

#include "gpu/ocl/clh/shared/conv_pack_chunks_data.h"
#include "ocl_conv.h"

enum { OCL_CONV_PACK_CHUNK = PACK_CHUNK }; ///< elements of 16 bits

/// The copies of src to [N, in…, G, IC] and of weights to [G, OC, kernel…, IC]. `packed`: the
/// problem that reads them, whose `ic` is a multiple of chunks; pixels that no window reads are
/// left out of it by smaller `in` and `stride`.
void prim__ocl_conv_pack_src(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed);
void prim__ocl_conv_pack_weights_chunks(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed);
/// The copy of diff_dst to [N, out…, G, channels], which takes the place of one of those:
/// `channels` of a group, a multiple of chunks.
void prim__ocl_conv_pack_diff_dst(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, prim_dim_t channels);
/// The copy of src to [N, in…, IC] of a problem whose channels are the elements of src under a row
/// of the window, taps and their channels, with its width that of diff_dst. The pixels of a row of
/// src are contiguous, the taps adjacent.
void prim__ocl_conv_pack_rows(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed);
/// Leaves out the pixels between windows of one tap.
void prim__ocl_conv_pack_skip(conv_shape_t *packed);
/// Strides of that copy of src, in the order of prim__conv_data_strides().
void prim__ocl_conv_packed_strides(prim_dim_t strides[5], const conv_shape_t *packed);
/// Books the copy, if there is one: its place in the scratchpad.
size_t prim__ocl_conv_pack_book(prim_desc_t *pd, const ocl_conv_pack_t *pack);

/// Where copies of an execution stand: of a tensor that is not copied, anywhere.
typedef struct {
    const ocl_conv_packs_t *sizes;
    int src, wei; ///< arguments of the primitive
    size_t src_offset, wei_offset;
    int kernel, data; ///< that prim__ocl_conv_pack_init() added
} ocl_conv_packs_run_t;

/// Builds the kernel, if anything is copied, and uploads the sizes: the primitive's next of each.
prim_status_t prim__ocl_conv_pack_init(ocl_primitive_t *p, const ocl_conv_packs_t *sizes);
/// Launches the kernel, unless nothing is copied.
prim_status_t prim__ocl_conv_pack_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_packs_run_t *run);

#endif
