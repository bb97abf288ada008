// SPDX-License-Identifier: Apache-2.0
// Shuffle on the CPU in both directions: elements are copied as they are.
#ifndef PRIM_CPU_REF_SHUFFLE_H
#define PRIM_CPU_REF_SHUFFLE_H

#include "common/impl.h"

prim_status_t prim__ref_shuffle_init_pd(prim_desc_t *pd);
/// Channel u·C/ngroups + v of argument `from` becomes channel v·ngroups + u of argument `to`.
prim_status_t prim__ref_shuffle_execute(
        const prim_desc_t *pd, const exec_ctx_t *ctx, int from, int to, prim_dim_t ngroups);

#endif
