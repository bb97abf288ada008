// SPDX-License-Identifier: Apache-2.0
// Tiles, boxes of pixels and splits of gradients of a convolution's weights by WGMMA: the cost
// model.
#ifndef PRIM_OCL_CONV_BACKWARD_WEIGHTS_PLAN_H
#define PRIM_OCL_CONV_BACKWARD_WEIGHTS_PLAN_H

#include "gpu/ocl/device/ocl_device.h"
#include "gpu/ocl/tune/ocl_tune.h"

enum { OCL_CONV_WEIGHTS_BLOCK = 64 }; ///< channels of a block of an operand

/// The product: g times [oc, pixels] × [pixels, taps·ic], columns in blocks of channels of a tap.
typedef struct {
    int64_t g, oc, ic, ntaps;
    int64_t size[3];     ///< pixels of diff_dst: width, height, images
    int element_step[2]; ///< of neighbouring pixels in src
    bool is_plain;       ///< a pixel of diff_dst meets the one of src at the same place
    bool has_unit;       ///< else plain C multiplies: small tiles
} ocl_conv_weights_product_t;

/// Plain data.
typedef struct {
    int groups_m, groups_n, bn;   ///< warp groups, each of 64 channels × bn columns
    int pixels, stages;           ///< of a stage, a multiple of 16; stages in local memory
    int32_t box[3], nboxes[3];    ///< at most `pixels`; how many cover diff_dst
    int32_t ntiles_m, ntiles_n;   ///< of one of the g
    int32_t split_boxes, nsplits; ///< of the boxes over groups
    bool is_one_round;            ///< all groups run beside each other
    double cycles;                ///< what the model expects
} ocl_conv_weights_plan_t;

/// The names of what prim__ocl_conv_weights_plan() offers to a tuner.
#define OCL_CONV_WEIGHTS_PARAMS "groups_m groups_n bn pixels splits"

/// The cheapest plan that fits into groups of the device and `local_bytes`, or the one that `tune`
/// tells to take; false if there is none.
bool prim__ocl_conv_weights_plan(ocl_conv_weights_plan_t *plan, ocl_tune_t *tune,
        const ocl_device_t *device, uint64_t local_bytes, const ocl_conv_weights_product_t *p);
/// Work-items of a group.
size_t prim__ocl_conv_weights_items(const ocl_conv_weights_plan_t *plan);

#endif
