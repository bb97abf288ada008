// SPDX-License-Identifier: Apache-2.0
// Shuffle on the CPU in both directions: elements are copied as they are.
#ifndef PRIM_CPU_REF_SHUFFLE_H
#define PRIM_CPU_REF_SHUFFLE_H

#include "common/impl.h"

/// impl_t's functions, for both directions.
prim_status_t prim__ref_shuffle_init_pd(prim_desc_t *pd);
prim_status_t prim__ref_shuffle_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
