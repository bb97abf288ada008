// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_packed_cpu.cl, for matmul and for inner product.
#ifndef PRIM_OCL_MATMUL_ROWS_H
#define PRIM_OCL_MATMUL_ROWS_H

#include "ocl_matmul_pack.h"

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_pack_t pack;
    int lanes, vectors; ///< of a panel, as in the .cl
    int items;          ///< for a core, at least, if there are rows for them
} ocl_packed_cpu_pd_t;

_Static_assert(offsetof(ocl_packed_cpu_pd_t, base) == 0, "the base comes first");

/// Gives weights of layout `any` the panels of the device, cut from dimension `n_dim`, the depth in
/// the order of `like`.
prim_status_t prim__ocl_packed_cpu_set_weights(
        prim_desc_t *pd, int n_dim, const prim_memory_desc_t *like);
/// The rest of init_pd, when all layouts are fixed; pd is an ocl_packed_cpu_pd_t.
prim_status_t prim__ocl_packed_cpu_init_pd(prim_desc_t *pd);
prim_status_t prim__ocl_packed_cpu_init(prim_t *primitive);
prim_status_t prim__ocl_packed_cpu_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
