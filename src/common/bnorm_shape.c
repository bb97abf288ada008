// SPDX-License-Identifier: Apache-2.0
// Properties of a batch normalisation problem that every implementation needs: statistics, relu,
// workspace.
#include "bnorm_shape.h"

#include "common/ops/schema.h"

bool prim__bnorm_has_statistics(const prim_desc_t *pd)
{
    return !(pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS);
}

bool prim__bnorm_has_relu(const prim_desc_t *pd)
{
    return pd->op.u.norm.flags & (PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU);
}

bool prim__bnorm_has_workspace(const prim_desc_t *pd)
{
    return prim__bnorm_has_relu(pd) && pd->op.prop_kind == PRIM_FORWARD_TRAINING;
}

prim_status_t prim__bnorm_resolve(prim_desc_t *pd)
{
    TRY(prim__pd_follow(pd));
    if (!prim__bnorm_has_workspace(pd)) return PRIM_SUCCESS;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    prim_memory_desc_t workspace;
    TRY(prim_memory_desc_init_by_tag(&workspace, dst->ndims, dst->dims, PRIM_U8, PRIM_FORMAT_ANY));
    TRY(prim__md_set_like_if_any(&workspace, dst));
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}
