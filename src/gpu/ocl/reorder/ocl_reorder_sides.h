// SPDX-License-Identifier: Apache-2.0
// The two tensors of a reorder on the device. A side in host memory is copied through the
// scratchpad, so that every OpenCL reorder works between any two engines.
#ifndef PRIM_OCL_REORDER_SIDES_H
#define PRIM_OCL_REORDER_SIDES_H

#include "gpu/ocl/kit/ocl_primitive.h"

/// What happens to a side that is on the host.
typedef struct {
    bool src_is_on_host, dst_is_on_host;
    bool uploads_dst;          ///< what dst held matters: a sum reads it, or the layout has gaps
    size_t stage_offset_bytes; ///< of the staged side in the scratchpad
} reorder_sides_t;

/// The first member of every OpenCL reorder's pd.
typedef struct {
    prim_desc_t base;
    reorder_sides_t sides;
} reorder_pd_t;

_Static_assert(offsetof(reorder_pd_t, base) == 0, "the base comes first");

/// For init_pd, as the last step: books the staging memory; declines run-time dimensions where
/// there is any.
prim_status_t prim__ocl_reorder_init_sides(prim_desc_t *pd);

/// For execute: enqueues the transfers that come before the kernel …
prim_status_t prim__ocl_reorder_upload(const prim_t *primitive, const exec_ctx_t *ctx);
/// … adds the four parameters src, src_off, dst, dst_off …
void prim__ocl_reorder_args(ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx);
/// … or the two of one side, where the other is an image …
void prim__ocl_reorder_args_side(
        ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx, int arg);
/// … and enqueues what comes after it. Transfers do not block: the host's memory must stay as it is
/// until the stream has been waited for.
prim_status_t prim__ocl_reorder_download(const prim_t *primitive, const exec_ctx_t *ctx);

/// Whether some scale or zero point has a mask (all of a reorder's are looked at).
bool prim__ocl_reorder_has_masks(const prim_attr_t *attr);
/// Adds the eight parameters of clh/convert.h with -DWITH_QUANT=1: values and offset of the scales
/// of src, of dst, of the zero points of src, of dst; then their four types.
void prim__ocl_reorder_args_quants(
        ocl_args_t *args, const exec_ctx_t *ctx, const prim_attr_t *attr);

#endif
