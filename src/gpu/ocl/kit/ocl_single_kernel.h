// SPDX-License-Identifier: Apache-2.0
// Primitives of one kernel, whose parameters are a struct of constant data, tensors, numbers and
// the post-ops: what their init and execute begin and end with.
//
//     init:     const ocl_my_data_t data = {…};
//               return prim__ocl_single_init(
//                       primitive, &options, &prim__ocl_my_cl, "my", &data, sizeof data);
//     execute:  static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_DST, 0};
//               prim__ocl_single_args(&args, primitive, ctx, tensors);
//               …                                  // numbers
//               return prim__ocl_single_run(primitive, ctx, &args, nitems);
#ifndef PRIM_OCL_SINGLE_KERNEL_H
#define PRIM_OCL_SINGLE_KERNEL_H

#include "ocl_post_ops.h"

/// Builds the kernel, and uploads `bytes` of data and the table of the post-ops, whose options the
/// caller has added.
prim_status_t prim__ocl_single_init(prim_t *primitive, const ocl_options_t *options,
        const ocl_source_t *source, const char *name, const void *data, size_t bytes);
/// The same for a kernel that takes every problem: its options are those of the post-ops, which are
/// run-time data, too.
prim_status_t prim__ocl_single_init_any(prim_t *primitive, const ocl_source_t *source,
        const char *name, const void *data, size_t bytes);

/// Starts the arguments: the data and `tensors`, a list that ends with 0.
void prim__ocl_single_args(
        ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx, const int *tensors);
/// Adds the post-ops and launches `nitems` independent work-items.
prim_status_t prim__ocl_single_run(
        const prim_t *primitive, const exec_ctx_t *ctx, ocl_args_t *args, int64_t nitems);
/// The same with a work-item for each element of dst, padding included.
prim_status_t prim__ocl_single_run_over_dst(
        const prim_t *primitive, const exec_ctx_t *ctx, ocl_args_t *args);

#endif
