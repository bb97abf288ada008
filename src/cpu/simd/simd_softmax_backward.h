// SPDX-License-Identifier: Apache-2.0
// What the vectorised variants of softmax's gradients share: the axis and the loops over the other
// dimensions.
#ifndef PRIM_CPU_SIMD_SOFTMAX_BACKWARD_H
#define PRIM_CPU_SIMD_SOFTMAX_BACKWARD_H

#include "simd_convert.h"
#include "simd_gradients.h"
#include "simd_nest.h"

enum {
    SIMD_SOFTMAX_DIFF_SRC,
    SIMD_SOFTMAX_DIFF_DST,
    SIMD_SOFTMAX_RESULT, ///< dst of the forward pass
    SIMD_SOFTMAX_GRADIENTS
};

typedef struct {
    prim_desc_t base;
    prim_dim_t naxis;                           ///< elements of the axis
    prim_dim_t strides[SIMD_SOFTMAX_GRADIENTS]; ///< of the axis
    simd_nest_t nest;                           ///< of the other dimensions
} simd_softmax_backward_pd_t;

/// Everything but the requirements on strides.
prim_status_t prim__simd_softmax_backward_init_pd(simd_softmax_backward_pd_t *pd);

/// One execution.
typedef struct {
    const simd_softmax_backward_pd_t *pd;
    bool is_log;
    const simd_convert_code_t *convert;
    const simd_gradients_code_t *code;
    simd_array_t arrays[SIMD_SOFTMAX_GRADIENTS];
} simd_softmax_backward_run_t;

void prim__simd_softmax_backward_run_init(simd_softmax_backward_run_t *run,
        const simd_softmax_backward_pd_t *pd, const exec_ctx_t *ctx);

#endif
