// SPDX-License-Identifier: Apache-2.0
// Local response normalisation on the CPU: the walk over windows in both directions.
#ifndef PRIM_CPU_REF_LRN_H
#define PRIM_CPU_REF_LRN_H

#include "common/lrn_shape.h"
#include "ref_tensor.h"

/// Σ term(position, arg) over the window around `center` in a tensor of `md`.
double prim__ref_lrn_sum(const lrn_window_t *window, const prim_memory_desc_t *md,
        const prim_dim_t *center, double (*term)(const prim_dim_t *position, const void *arg),
        const void *arg);

#endif
