// SPDX-License-Identifier: Apache-2.0
// Copies over a loop nest whose innermost loop is contiguous in src and dst: runs of elements move
// as a whole, converted on their way. For reorder and concat.
//
//     prim__ocl_args_buffer(&args, nest);              // constant data, an ocl_nest_t
//     prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
//     prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
//     prim__ocl_args_pieces(&args, &pieces);
//     …                                                // with_quant: CONVERT_PARAMS, clh/convert.h
//     const ocl_range_t range = prim__ocl_range_pieces(kernel, &pieces);
#ifndef PRIM_OCL_NEST_COPY_H
#define PRIM_OCL_NEST_COPY_H

#include "ocl_nest.h"
#include "ocl_primitive.h"

/// Elements of a vector, for prim__ocl_pieces() and the kernel: 16 bytes of the smaller type on
/// GPUs, 16 elements on CPU-type devices.
int prim__ocl_nest_copy_vec(const ocl_device_t *device, prim_data_type_t src, prim_data_type_t dst);

typedef struct {
    int src, dst; ///< arguments whose types the kernel converts between
    int vec;
    bool with_quant; ///< it takes scales and zero points
    bool with_tails; ///< some loop ends in padding
    int64_t run;     ///< elements of the shortest run
} ocl_nest_copy_t;

/// Builds it as the next kernel of the primitive.
prim_status_t prim__ocl_nest_copy_add_kernel(
        ocl_primitive_t *primitive, const ocl_nest_copy_t *copy);

#endif
