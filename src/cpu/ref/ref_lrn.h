// SPDX-License-Identifier: Apache-2.0
// Local response normalisation on the CPU: the walk over windows in both directions.
#ifndef PRIM_CPU_REF_LRN_H
#define PRIM_CPU_REF_LRN_H

#include "common/lrn_shape.h"

typedef struct {
    void *data;
    const prim_memory_desc_t *md;
} ref_lrn_tensor_t;

ref_lrn_tensor_t prim__ref_lrn_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
double prim__ref_lrn_load(const ref_lrn_tensor_t *tensor, const prim_dim_t *position);
void prim__ref_lrn_store(const ref_lrn_tensor_t *tensor, const prim_dim_t *position, double x);
/// Σ term(position, arg) over the window around `center` in a tensor of `md`.
double prim__ref_lrn_sum(const lrn_window_t *window, const prim_memory_desc_t *md,
        const prim_dim_t *center, double (*term)(const prim_dim_t *position, const void *arg),
        const void *arg);

#endif
