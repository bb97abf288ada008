// SPDX-License-Identifier: Apache-2.0
#include "ref_shuffle.h"

#include <string.h>

#include "common/data_type.h"
#include "common/ops/schema.h"
#include "common/shuffle_pass.h"
#include "ref_finish.h"

prim_status_t prim__ref_shuffle_init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    const char *from;
    char *to;
    const prim_memory_desc_t *from_md, *to_md;
    int axis;
    prim_dim_t ngroups;
} shuffle_t;

static void shuffle_element(const prim_dim_t *position, void *arg)
{
    const shuffle_t *const s = arg;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(s->to_md->data_type);
    const prim_dim_t group_elems = s->to_md->dims[s->axis] / s->ngroups;
    const prim_dim_t channel = position[s->axis];
    prim_dims_t source;
    memcpy(source, position, (size_t)s->to_md->ndims * sizeof *source);
    source[s->axis] = channel % s->ngroups * group_elems + channel / s->ngroups;
    memcpy(s->to + prim__md_offset(s->to_md, position) * bytes,
            s->from + prim__md_offset(s->from_md, source) * bytes, (size_t)bytes);
}

prim_status_t prim__ref_shuffle_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const shuffle_pass_t pass = prim__shuffle_pass(pd);
    shuffle_t s = {.from = prim__ref_pointer(ctx, pass.from),
            .to = prim__ref_pointer(ctx, pass.to),
            .from_md = prim__ctx_md(ctx, pd, pass.from),
            .to_md = prim__ctx_md(ctx, pd, pass.to),
            .axis = pd->op.u.shuffle.axis,
            .ngroups = pass.ngroups};
    prim__ref_for_each(s.to_md, shuffle_element, &s);
    prim__ref_clear_padding(s.to, s.to_md);
    return PRIM_SUCCESS;
}
