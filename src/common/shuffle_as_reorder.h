// SPDX-License-Identifier: Apache-2.0
// A shuffle of plain tensors as a nested reorder, whose axis counts as two: groups and the channels
// of one, in one order on one side and in the other on the other.
#ifndef PRIM_COMMON_SHUFFLE_AS_REORDER_H
#define PRIM_COMMON_SHUFFLE_AS_REORDER_H

#include "nested.h"

extern const op_schema_t prim__reorder_schema;

/// impl_t.init_pd, or its end.
prim_status_t prim__shuffle_as_reorder_init_pd(prim_desc_t *pd);
/// impl_t.execute.
prim_status_t prim__shuffle_as_reorder_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
