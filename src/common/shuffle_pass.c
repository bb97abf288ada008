// SPDX-License-Identifier: Apache-2.0
// The permutation of a shuffle's descriptor; see shuffle_pass.h.
#include "shuffle_pass.h"

shuffle_pass_t prim__shuffle_pass(const prim_desc_t *pd)
{
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    if (prim__pd_has(pd, PRIM_ARG_DIFF_DST))
        return (shuffle_pass_t){PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, p->group_size};
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[p->axis];
    return (shuffle_pass_t){PRIM_ARG_SRC, PRIM_ARG_DST, channels / p->group_size};
}
