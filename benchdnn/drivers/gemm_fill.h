// SPDX-License-Identifier: Apache-2.0
// What the drivers of matmul and inner product share: the integers their tensors are filled with.
#ifndef BENCH_GEMM_FILL_H
#define BENCH_GEMM_FILL_H

#include "core/driver.h"

/// The types of a case and the number of products that a result sums up.
typedef struct {
    prim_data_type_t src, wei, dst;
    double max_f32_src, max_f32_wei; ///< what f32 and f64 tensors go up to
    int64_t n_acc;
} gemm_fill_t;

/// Fills SRC, WEIGHTS, BIAS, or DST before a sum, with integers whose sums are exact.
void gemm_fill(const gemm_fill_t *spec, const prb_t *prb, arg_t *arg);

#endif
