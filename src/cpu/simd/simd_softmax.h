// SPDX-License-Identifier: Apache-2.0
// What the vectorised variants of softmax share: the axis, the loops over the other dimensions, and
// scales and post-ops.
#ifndef PRIM_CPU_SIMD_SOFTMAX_H
#define PRIM_CPU_SIMD_SOFTMAX_H

#include "simd_chain.h"
#include "simd_rows.h"

enum { SIMD_SOFTMAX_DST, SIMD_SOFTMAX_SRC, SIMD_SOFTMAX_OPERANDS };

typedef struct {
    prim_desc_t base;
    bool is_log;
    prim_dim_t naxis;                      ///< elements of the axis
    prim_dim_t strides[SIMD_NEST_TENSORS]; ///< of the axis
    simd_nest_t nest;                      ///< of the other dimensions
} simd_softmax_pd_t;

/// Everything but the requirements on strides.
prim_status_t prim__simd_softmax_init_pd(simd_softmax_pd_t *pd);

/// One execution.
typedef struct {
    const simd_softmax_pd_t *pd;
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    simd_array_t dst, src;
    float src_scale;
    simd_chain_t chain;
} simd_softmax_run_t;

void prim__simd_softmax_run_init(
        simd_softmax_run_t *run, const simd_softmax_pd_t *pd, const exec_ctx_t *ctx);

#endif
