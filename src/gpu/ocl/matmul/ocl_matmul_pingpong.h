// SPDX-License-Identifier: Apache-2.0
// Products by WGMMA in which teams of warp groups take tiles in turns: what
// ocl_matmul_wgmma_pingpong.cl takes, and its options. The rest is that of ocl_matmul_wgmma.h.
#ifndef PRIM_OCL_MATMUL_PINGPONG_H
#define PRIM_OCL_MATMUL_PINGPONG_H

#include "ocl_matmul_wgmma.h"

/// Declines what the kernel does not do; sets `beside`.
prim_status_t prim__ocl_pingpong_takes(ocl_wgmma_pd_t *p);
/// Whether one stage holds all of K, and rows of dst are whole sectors of memory: one team stores
/// while the other loads, which is all that such products do. `bytes`: of an element of src.
bool prim__ocl_pingpong_is_bound_by_stores(
        const matmul_shape_t *shape, size_t bytes, size_t dst_bytes);
/// Adds the options of that kernel alone.
void prim__ocl_pingpong_options(ocl_options_t *options, const ocl_wgmma_pd_t *pd);
/// Whether it can store to dst, the tensor that was added to the arguments last.
bool prim__ocl_pingpong_stores(const ocl_wgmma_pd_t *pd, const ocl_args_t *args);

#endif
