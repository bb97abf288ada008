// SPDX-License-Identifier: Apache-2.0
// Batch normalisation: what its implementations on both engines share.
#ifndef PRIM_COMMON_BNORM_SHAPE_H
#define PRIM_COMMON_BNORM_SHAPE_H

#include "impl.h"

/// Gives dst the layout of src if it is `any`, and adds the workspace (the mask of a fused relu in
/// training) if the problem has one. For init_pd, after the requirements.
prim_status_t prim__bnorm_resolve(prim_desc_t *pd);

/// Mean and variance come from src rather than from the caller.
bool prim__bnorm_has_statistics(const prim_desc_t *pd);

/// The result is clamped at 0 by a flag (post-ops apart).
bool prim__bnorm_has_relu(const prim_desc_t *pd);

/// The mask of the fused relu goes to the workspace.
bool prim__bnorm_has_workspace(const prim_desc_t *pd);

#endif
