// SPDX-License-Identifier: Apache-2.0
// Layouts `any` that take the layout of another tensor, as the schema says.
#ifndef PRIM_COMMON_FOLLOW_H
#define PRIM_COMMON_FOLLOW_H

#include "prim/prim_types.h"

/// For init_pd, after the requirements: tensors of layout `any` take that of the one that the
/// schema says they follow.
prim_status_t prim__pd_follow(prim_desc_t *pd);
/// The same for a backward pass whose diff_dst and diff_src follow each other: where both are `any`
/// they become as the hint's dst is laid out or, without a hint, row-major.
prim_status_t prim__pd_follow_gradients(prim_desc_t *pd);

#endif
