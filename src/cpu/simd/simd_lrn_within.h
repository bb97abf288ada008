// SPDX-License-Identifier: Apache-2.0
// Local response normalisation within channels.
#ifndef PRIM_CPU_SIMD_LRN_WITHIN_H
#define PRIM_CPU_SIMD_LRN_WITHIN_H

#include "simd_lrn.h"

/// What prim__simd_lrn_init_pd() and prim__simd_lrn_run() do for windows within a channel; these
/// two call them.
prim_status_t prim__simd_lrn_within_init_pd(
        simd_lrn_pd_t *pd, const prim_memory_desc_t *const *tensors);
void prim__simd_lrn_within_run(simd_lrn_run_t *run);

#endif
