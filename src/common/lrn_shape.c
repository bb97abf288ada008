// SPDX-License-Identifier: Apache-2.0
#include "lrn_shape.h"

#include <math.h>

lrn_window_t prim__lrn_window(const prim_desc_t *pd)
{
    const lrn_params_t *const p = &pd->op.u.lrn;
    const bool is_across = pd->op.alg_kind == PRIM_LRN_ACROSS_CHANNELS;
    const int naxes = is_across ? 1 : prim__pd_md(pd, PRIM_ARG_SRC)->ndims - 2;
    return (lrn_window_t){.first_dim = is_across ? 1 : 2,
            .naxes = naxes,
            .half = (p->local_size - 1) / 2,
            .factor = (double)p->alpha / pow((double)p->local_size, naxes)};
}

prim_status_t prim__lrn_resolve(prim_desc_t *pd)
{
    TRY(prim__pd_follow(pd));
    if (pd->op.prop_kind != PRIM_FORWARD_TRAINING) return PRIM_SUCCESS;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    prim_memory_desc_t workspace;
    TRY(prim_memory_desc_init_by_tag(&workspace, dst->ndims, dst->dims, PRIM_F32, PRIM_FORMAT_ANY));
    TRY(prim__md_set_like_if_any(&workspace, dst));
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}
