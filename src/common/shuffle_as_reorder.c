// SPDX-License-Identifier: Apache-2.0
#include "shuffle_as_reorder.h"

#include "shuffle_pass.h"

enum { REORDER }; // the slot

/// `md` with the axis as [ngroups, channels of a group] and the strides of both.
static prim_memory_desc_t split_axis(const prim_memory_desc_t *md, int axis, prim_dim_t ngroups,
        prim_dim_t group_stride, prim_dim_t channel_stride)
{
    prim_memory_desc_t split = *md;
    split.ndims = md->ndims + 1;
    for (int d = axis + 1; d < md->ndims; ++d) {
        split.dims[d + 1] = split.padded_dims[d + 1] = md->dims[d];
        split.strides[d + 1] = md->strides[d];
    }
    split.dims[axis] = split.padded_dims[axis] = ngroups;
    split.dims[axis + 1] = split.padded_dims[axis + 1] = md->dims[axis] / ngroups;
    split.strides[axis] = group_stride;
    split.strides[axis + 1] = channel_stride;
    return split;
}

static prim_status_t require(prim_desc_t *pd, const shuffle_pass_t *pass)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, pass->from);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, pass->to);
    REQUIRE(pd, prim__md_is_plain(src) && !prim__md_is_padded(src),
            "the input has a blocked layout or is padded");
    REQUIRE(pd, prim__md_is_plain(dst) && !prim__md_is_padded(dst),
            "the output has a blocked layout or is padded");
    REQUIRE(pd, src->ndims < PRIM_MAX_NDIMS, "there is no dimension left to split the axis");
    REQUIRE(pd, !prim__md_is_empty(src), "the tensors are empty");
    return PRIM_SUCCESS;
}

prim_status_t prim__shuffle_as_reorder_init_pd(prim_desc_t *pd)
{
    const shuffle_pass_t pass = prim__shuffle_pass(pd);
    TRY(prim__pd_follow(pd));
    TRY(require(pd, &pass));
    const prim_memory_desc_t *const src = prim__pd_md(pd, pass.from);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, pass.to);
    const prim_dim_t ngroups = pass.ngroups;
    const int axis = pd->op.u.shuffle.axis;
    const prim_dim_t in = src->strides[axis], out = dst->strides[axis];
    const prim_memory_desc_t split_src =
            split_axis(src, axis, ngroups, in * (src->dims[axis] / ngroups), in);
    const prim_memory_desc_t split_dst = split_axis(dst, axis, ngroups, out, out * ngroups);
    const prim_memory_desc_t *const mds[] = {&split_src, &split_dst};
    const op_desc_t op = {.kind = PRIM_REORDER};
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, REORDER, &prim__reorder_schema, &op, &request));

done:
    prim__attr_fini(&attr);
    return st;
}

prim_status_t prim__shuffle_as_reorder_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const shuffle_pass_t pass = prim__shuffle_pass(primitive->pd);
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, REORDER);
    prim__nested_pass(&run, PRIM_ARG_SRC, pass.from);
    prim__nested_pass(&run, PRIM_ARG_DST, pass.to);
    return prim__nested_execute(&run);
}
