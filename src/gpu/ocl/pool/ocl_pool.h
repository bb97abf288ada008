// SPDX-License-Identifier: Apache-2.0
// Pooling: what the typed implementations share on the host.
#ifndef PRIM_OCL_POOL_H
#define PRIM_OCL_POOL_H

#include "common/pool_shape.h"
#include "gpu/ocl/clh/shared/pool_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

/// Fills three axes and the kernel's size, of either pass; requires that positions fit 32 bits.
prim_status_t prim__ocl_pool_take_axes(ocl_pool_axis_t *out, float *volume, prim_desc_t *pd);

/// The requirements of all typed variants; resolves layouts and the workspace, and fills the data
/// but for run_vecs … npieces and nitems.
prim_status_t prim__ocl_pool_require(prim_desc_t *pd, ocl_pool_data_t *data);
/// Declines means over windows of which a row, or a column of rows, is longer than a chain of
/// additions in f32 may be (ocl_sums.h).
prim_status_t prim__ocl_pool_require_short_sums(prim_desc_t *pd, const ocl_pool_data_t *data);

/// Fills the divisors from run_vecs over item_vecs (0: 1), npieces, nbands, the depth of dst and
/// nblocks.
void prim__ocl_pool_split(ocl_pool_data_t *data);

/// Whether windows, src or dst have a depth.
bool prim__ocl_pool_has_depth(const ocl_pool_data_t *data);

/// Adds SRC, DST, WS, ALG and WITH_WS.
void prim__ocl_pool_options(ocl_options_t *options, const prim_desc_t *pd);

/// Whether there is one window that has every element of an image once.
bool prim__ocl_pool_is_global(const ocl_pool_data_t *data);

/// Positions of an image.
int32_t prim__ocl_pool_plane_elems(const ocl_pool_data_t *data);

/// Whether the last `count` neighbouring windows, whole blocks of them, look behind src.
bool prim__ocl_pool_overhangs(const ocl_pool_axis_t *axis, int count);

/// Whether elements are bytes, of which clh/pool_bytes.h can add up as many as a window has.
bool prim__ocl_pool_has_bytes(const prim_desc_t *pd, const ocl_pool_data_t *data);

/// Sizes of a kernel, by value (SIZES in clh/channels.h) where the device keeps structs, else
/// uploaded.
typedef struct {
    const void *sizes; ///< of the primitive descriptor
    size_t bytes;
    bool by_value; ///< the device's keeps_structs, of the primitive descriptor
} ocl_pool_sizes_t;

/// Starts with SRC, DST, ALG, HAS_DEPTH and those of clh/pool_bytes.h.
void prim__ocl_pool_window_options_init(
        ocl_options_t *options, const prim_desc_t *pd, const ocl_pool_data_t *data, int byte_words);
/// Uploads the sizes where they do not go by value; once the kernel was added.
prim_status_t prim__ocl_pool_add_sizes(ocl_primitive_t *primitive, ocl_pool_sizes_t sizes);
/// Launches kernels[0] with them, the tensors and the chain.
prim_status_t prim__ocl_pool_execute_sized(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        ocl_pool_sizes_t sizes, const ocl_range_t *range);

/// Launches kernels[0] with data[0], the tensors and the chain, `nitems` work-items.
prim_status_t prim__ocl_pool_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int32_t nitems);

#endif
