// SPDX-License-Identifier: Apache-2.0
// The arguments of group and layer normalisation at execution.
#include "ref_norm.h"

void prim__ref_norm_init(ref_norm_t *norm, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    *norm = (ref_norm_t){.epsilon = (double)pd->op.u.norm.epsilon,
            .src_scale = prim__ref_scale(pd, ctx, PRIM_ARG_SRC),
            .are_given = pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS,
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .scale = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_SCALE),
            .shift = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_SHIFT),
            .mean = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_MEAN),
            .variance = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_VARIANCE)};
    prim__ref_finish_init(&norm->finish, pd, ctx);
}
