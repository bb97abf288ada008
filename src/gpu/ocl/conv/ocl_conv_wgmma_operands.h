// SPDX-License-Identifier: Apache-2.0
// How the kernel of WGMMA sees the operands.
#ifndef PRIM_OCL_CONV_WGMMA_OPERANDS_H
#define PRIM_OCL_CONV_WGMMA_OPERANDS_H

#include "ocl_conv_wgmma_common.h"

/// Sizes as boxes see them: what depends on the plan is left 0.
/// Of any direction.
ocl_conv_boxes_t prim__ocl_conv_wgmma_boxes(const prim_desc_t *pd, const conv_shape_t *shape);
/// A window of one tap without padding: strides of src take the steps, and where these are 1 and
/// pixels lie evenly, all of them are one row.
void prim__ocl_conv_wgmma_simplify(ocl_conv_boxes_t *boxes, const conv_shape_t *shape);

/// Neighbouring dimensions of pixels become one, where they are contiguous in src and in dst alike:
/// of windows of one tap without padding and steps.
void prim__ocl_conv_wgmma_merge_boxes(ocl_conv_boxes_t *boxes);

/// From the problem: the shape as the kernel reads it, which tensors are copied first, and the
/// boxes; once before there is a plan, and again for a plan that has boxes.
void prim__ocl_conv_wgmma_set_operands(ocl_conv_wgmma_pd_t *pd, bool has_boxes);
/// Bytes that the copies read and write.
double prim__ocl_conv_wgmma_copied_bytes(const ocl_conv_wgmma_pd_t *pd);
/// What is to be planned. `is_short`: the epilogue stores straight from registers.
ocl_conv_wgmma_product_t prim__ocl_conv_wgmma_product(const ocl_conv_wgmma_pd_t *pd, bool is_short);
/// All of it, once there is a plan.
ocl_conv_wgmma_data_t prim__ocl_conv_wgmma_data(const ocl_conv_wgmma_pd_t *pd);

#endif
