// SPDX-License-Identifier: Apache-2.0
// A shuffle in either direction as one permutation: the gradient is the same operation with the
// number of groups and the channels of a group swapped.
#ifndef PRIM_COMMON_SHUFFLE_PASS_H
#define PRIM_COMMON_SHUFFLE_PASS_H

#include "impl.h"

/// Channel u·C/ngroups + v of argument `from` becomes channel v·ngroups + u of argument `to`.
typedef struct {
    int from, to;
    prim_dim_t ngroups;
} shuffle_pass_t;

static inline shuffle_pass_t prim__shuffle_pass(const prim_desc_t *pd)
{
    const shuffle_params_t *const p = &pd->op.u.shuffle;
    if (prim__pd_has(pd, PRIM_ARG_DIFF_DST))
        return (shuffle_pass_t){PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, p->group_size};
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_SRC)->dims[p->axis];
    return (shuffle_pass_t){PRIM_ARG_SRC, PRIM_ARG_DST, channels / p->group_size};
}

#endif
