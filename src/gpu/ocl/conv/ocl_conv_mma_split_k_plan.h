// SPDX-License-Identifier: Apache-2.0
// Tiles of convolutions whose K the warps of a work-group share: the cost model, and where larger
// tiles without split-K are faster.
#ifndef PRIM_OCL_CONV_MMA_SPLIT_K_PLAN_H
#define PRIM_OCL_CONV_MMA_SPLIT_K_PLAN_H

#include "gpu/ocl/device/ocl_device.h"
#include "gpu/ocl/tune/ocl_tune.h"

/// A convolution whose K the warps of a group share: pixels × [ntaps·channels] × outputs.
typedef struct {
    int64_t pixels, outputs, ntaps, channels;
    bool has_unit; ///< else plain C multiplies: the smallest tile
} ocl_conv_depth_product_t;

enum { OCL_CONV_DEPTH_BLOCK = 32 }; ///< elements of K

/// Plain data.
typedef struct {
    int tm, tn;       ///< a tile: pixels × output channels
    int warps, batch; ///< of a group; blocks of K that a warp loads together
    int32_t ntiles_m, ntiles_n;
    double cycles; ///< what the model expects
} ocl_conv_depth_plan_t;

/// The names of what prim__ocl_conv_mma_split_k_plan() offers to a tuner.
#define OCL_CONV_DEPTH_PARAMS "tm tn warps batch"

/// The cheapest plan whose groups have at most `max_items` work-items and `local_bytes` of local
/// memory, or the one that `tune` chose; false if there is none.
bool prim__ocl_conv_mma_split_k_plan(ocl_conv_depth_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, size_t max_items, uint64_t local_bytes,
        const ocl_conv_depth_product_t *product);

/// Whether it is faster than larger tiles: K is long enough to be shared, and the outputs are few.
bool prim__ocl_conv_mma_split_k_pays(
        const ocl_device_t *device, const ocl_conv_depth_product_t *product);

#endif
