// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: what the OpenCL implementations share on the host.
#include "ocl_lnorm.h"

#include "common/data_type.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"

int32_t prim__ocl_lnorm_stats(const prim_desc_t *pd)
{
    if (pd->op.u.norm.flags & PRIM_USE_GLOBAL_STATS) return LNORM_STATS_GIVEN;
    return prim__pd_has(pd, PRIM_ARG_MEAN) ? LNORM_STATS_OUTPUT : LNORM_STATS_LOCAL;
}

prim_status_t prim__ocl_lnorm_init(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__pd_follow(pd);
}

void prim__ocl_lnorm_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_MEAN);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_VARIANCE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SCALE);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SHIFT);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_SRC));
    prim__ocl_args_i32(args, prim__ocl_scale_type(pd, PRIM_ARG_DST));
}

/// The statistics with a last dimension of 1, so that their rank is that of src.
static prim_memory_desc_t stretch(const prim_memory_desc_t *stat, int ndims)
{
    prim_memory_desc_t md = *stat;
    md.ndims = ndims;
    md.dims[ndims - 1] = md.padded_dims[ndims - 1] = 1;
    md.padded_offsets[ndims - 1] = 0;
    md.strides[ndims - 1] = 1;
    return md;
}

prim_status_t prim__ocl_lnorm_init_rows(prim_desc_t *pd, const int *args, int n)
{
    lnorm_rows_pd_t *const rows = (lnorm_rows_pd_t *)pd;
    TRY(prim__ocl_lnorm_init(pd));
    const prim_memory_desc_t *mds[NEST_TENSORS];
    size_t elem_bytes = 0;
    for (int i = 0; i < n; ++i) {
        mds[i] = prim__pd_md(pd, args[i]);
        const size_t bytes = prim__dt_bytes(mds[i]->data_type);
        elem_bytes = bytes > elem_bytes ? bytes : elem_bytes;
        REQUIRE(pd, !prim__md_is_empty(mds[i]), "src has no elements");
    }
    prim_memory_desc_t stat;
    if (prim__pd_has(pd, PRIM_ARG_MEAN)) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, PRIM_ARG_MEAN);
        REQUIRE(pd, prim__md_is_plain(md) && !prim__md_is_padded(md),
                "mean or variance is blocked or padded");
        stat = stretch(md, mds[0]->ndims);
        mds[n++] = &stat;
    }
    const int last = mds[0]->ndims - 1;
    TRY(prim__ocl_nest_rows(pd, &rows->nest, mds, n, last));
    rows->nrows = prim__ocl_nest_outer(&rows->nest);
    rows->elems = mds[0]->dims[last];
    rows->vec = elem_bytes < 4 ? 8 : 4;
    return PRIM_SUCCESS;
}

bool prim__ocl_lnorm_are_even(const lnorm_rows_pd_t *rows)
{
    if (rows->elems % rows->vec != 0 || rows->nest.first_loop < NEST_ROW - 1) return false;
    for (int t = 0; t < NEST_TENSORS; ++t)
        if (rows->nest.strides[t][NEST_ROW - 1] > INT32_MAX) return false;
    return rows->nrows <= INT32_MAX / 2; // a work-group looks ahead
}

prim_status_t prim__ocl_lnorm_init_forward_rows(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_DST, PRIM_ARG_SRC};
    TRY(prim__ocl_lnorm_init_rows(pd, args, 2));
    REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    return PRIM_SUCCESS;
}

void prim__ocl_lnorm_forward_options(ocl_options_t *options, const lnorm_rows_pd_t *rows)
{
    const prim_desc_t *const pd = &rows->base;
    const bool has_scale = prim__pd_has(pd, PRIM_ARG_SCALE);
    const bool has_shift = prim__pd_has(pd, PRIM_ARG_SHIFT);
    const int parameter = has_scale ? PRIM_ARG_SCALE : PRIM_ARG_SHIFT;
    prim__ocl_options_src_dst(options, pd);
    prim__ocl_options_type(options, "WEI",
            has_scale || has_shift ? prim__pd_md(pd, parameter)->data_type : PRIM_F32);
    prim__ocl_options_int(options, "WITH_SCALE", has_scale);
    prim__ocl_options_int(options, "WITH_SHIFT", has_shift);
    prim__ocl_options_int(options, "WITH_SCALES", pd->attr.nscales > 0);
    prim__ocl_options_int(options, "STATS", prim__ocl_lnorm_stats(pd));
    prim__ocl_options_int(options, "VEC", rows->vec);
    prim__ocl_post_ops_options(options, pd, true);
}

void prim__ocl_lnorm_forward_args(ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const lnorm_rows_pd_t *const rows = (const lnorm_rows_pd_t *)p->base.pd;
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_lnorm_args(args, &rows->base, ctx);
    prim__ocl_args_f32(args, rows->base.op.u.norm.epsilon);
    prim__ocl_args_i64(args, rows->elems);
    prim__ocl_args_i64(args, rows->nrows);
    prim__ocl_args_post_ops(args, ctx, p);
}
