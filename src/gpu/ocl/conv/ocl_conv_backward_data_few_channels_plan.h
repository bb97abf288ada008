// SPDX-License-Identifier: Apache-2.0
// Tiles of the gradient of convolution by src for few channels of src, and the cost model that
// compares them with a matrix product.
#ifndef PRIM_OCL_CONV_BACKWARD_DATA_FEW_CHANNELS_PLAN_H
#define PRIM_OCL_CONV_BACKWARD_DATA_FEW_CHANNELS_PLAN_H

#include "common/conv_shape.h"
#include "gpu/ocl/device/ocl_device.h"

enum { OCL_CONV_FEW_SRC_ITEMS = 64 };     ///< of a work-group
enum { OCL_CONV_FEW_SRC_MOST_SUMS = 96 }; ///< in the registers of a work-item
enum { OCL_CONV_FEW_SRC_MOST_DEPTH = 8 }; ///< channels of diff_dst in local memory

/// Plain data: what a work-group computes, and how.
typedef struct {
    int bh, lx, ly; ///< blocks of a work-item; work-items beside and above each other
    int depth;      ///< channels of diff_dst in local memory
    prim_dim_t tiles_h, tiles_w, ngroups;
    double cycles; ///< what the model expects of a compute unit
} ocl_conv_few_src_plan_t;

/// Sums of a work-item for one block: a pixel of each phase of the strides, in all channels.
prim_dim_t prim__ocl_conv_few_src_block_sums(const conv_shape_t *shape);

/// The tile that the busiest compute unit spends the least time on, of work-items that load `vec`
/// channels of diff_dst at a time; false where local memory does not hold so many.
bool prim__ocl_conv_few_src_plan(ocl_conv_few_src_plan_t *plan, const ocl_device_t *device,
        const conv_shape_t *shape, int vec);

/// Cycles of the same gradient by `backward_data_phases`: a matrix product for each phase of the
/// strides, whose rows are the few channels of src. `pipeline_bytes`: ocl_conv_plan.h. INFINITY
/// where no tile fits.
double prim__ocl_conv_few_src_phases_cycles(
        const ocl_device_t *device, const conv_shape_t *shape, size_t pipeline_bytes);

/// The same by `backward_data_wgmma`, with so much local memory and elements of diff_src.
double prim__ocl_conv_few_src_wgmma_cycles(const ocl_device_t *device, const conv_shape_t *shape,
        uint64_t local_bytes, int elem_bytes);

#endif
