// SPDX-License-Identifier: Apache-2.0
// Local response normalisation: what its implementations on both engines share.
#ifndef PRIM_COMMON_LRN_SHAPE_H
#define PRIM_COMMON_LRN_SHAPE_H

#include "impl.h"

/// The window: so many elements on each side along `naxes` dimensions from `first_dim` on.
typedef struct {
    int first_dim, naxes;
    prim_dim_t half;
    double factor; ///< alpha / n
} lrn_window_t;

lrn_window_t prim__lrn_window(const prim_desc_t *pd);

/// Gives dst the layout of src if it is `any`, and adds the workspace in training: f32, laid out
/// like dst. For init_pd, after the requirements.
prim_status_t prim__lrn_resolve(prim_desc_t *pd);

#endif
