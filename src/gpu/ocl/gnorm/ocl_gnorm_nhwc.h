// SPDX-License-Identifier: Apache-2.0
// What group normalisation of contiguous NHWC and its gradients share on the host: one pass sums
// over slices of an image, one joins the sums of each group, one goes through the tensors again.
#ifndef PRIM_OCL_GNORM_NHWC_H
#define PRIM_OCL_GNORM_NHWC_H

#include "gpu/ocl/clh/shared/gnorm_nhwc_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"

typedef struct {
    prim_desc_t base;
    int vec, group_items, finish_items, at_once;
    size_t partials_bytes_at, parts_bytes_at; ///< in the scratchpad
    ocl_gnorm_nhwc_data_t data;
} gnorm_nhwc_pd_t;

_Static_assert(offsetof(gnorm_nhwc_pd_t, base) == 0, "the base comes first");

/// Types, layouts; fills vec and what the data says of tensors. `dst` and `diff_src` are arguments;
/// 0: none (init_pd).
prim_status_t prim__ocl_gnorm_nhwc_init_tensors(prim_desc_t *pd, int dst, int diff_src);
/// The same and the sizes of both passes; fills all but the places in the scratchpad. `dst` and
/// `diff_src` are arguments; 0: none (init_pd).
prim_status_t prim__ocl_gnorm_nhwc_init(prim_desc_t *pd, int dst, int diff_src);
/// Books `rows` floats for each channel of each image as parts, and partial sums of two floats.
void prim__ocl_gnorm_nhwc_book(gnorm_nhwc_pd_t *pd, int rows);
/// Adds SRC, VEC, GROUP_ITEMS, FINISH_ITEMS, AT_ONCE, CACHE_HINTS and LANE_SHUFFLE.
void prim__ocl_gnorm_nhwc_options(ocl_options_t *options, const gnorm_nhwc_pd_t *pd);

/// Adds LAST_PARAMS of clh/gnorm_nhwc_forward.h.
void prim__ocl_gnorm_nhwc_last_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *primitive);

/// @name Work-groups of the kernels
/// @{
ocl_range_t prim__ocl_gnorm_nhwc_sums(const gnorm_nhwc_pd_t *pd);
ocl_range_t prim__ocl_gnorm_nhwc_finish(const gnorm_nhwc_pd_t *pd);
ocl_range_t prim__ocl_gnorm_nhwc_apply(const gnorm_nhwc_pd_t *pd);
/// @}

#endif
