// SPDX-License-Identifier: Apache-2.0
#include "ocl_softmax_backward.h"

#include "common/data_type.h"

/// In the nest's order.
static const int tensors[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DST, PRIM_ARG_DIFF_DST};
enum { NTENSORS = sizeof tensors / sizeof tensors[0] };

typedef prim_status_t make_nest_t(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis);

static prim_status_t init(prim_desc_t *pd, make_nest_t *make_nest)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__pd_follow(pd));
    REQUIRE(pd, !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DST)), "dst has no elements");
    softmax_backward_pd_t *const row = (softmax_backward_pd_t *)pd;
    const int axis = pd->op.u.axis.axis;
    const prim_memory_desc_t *mds[NTENSORS];
    for (int i = 0; i < NTENSORS; ++i) mds[i] = prim__pd_md(pd, tensors[i]);
    TRY(make_nest(pd, &row->nest, mds, NTENSORS, axis));
    row->nrows = prim__ocl_nest_outer(&row->nest);
    row->elems = mds[0]->dims[axis];
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_softmax_backward_init(prim_desc_t *pd)
{
    return init(pd, prim__ocl_nest_rows);
}

prim_status_t prim__ocl_softmax_backward_init_columns(prim_desc_t *pd)
{
    return init(pd, prim__ocl_nest_columns);
}

size_t prim__ocl_softmax_backward_elem_bytes(const prim_desc_t *pd)
{
    size_t most = 0;
    for (int i = 0; i < NTENSORS; ++i) {
        const size_t bytes = prim__dt_bytes(prim__pd_md(pd, tensors[i])->data_type);
        most = bytes > most ? bytes : most;
    }
    return most;
}

void prim__ocl_softmax_backward_options(ocl_options_t *options, const softmax_backward_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    prim__ocl_options_type(options, "DST", prim__pd_md(base, PRIM_ARG_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(options, "IS_LOG", base->op.alg_kind == PRIM_SOFTMAX_LOG);
    prim__ocl_options_int(options, "VEC", pd->vec);
}

void prim__ocl_softmax_backward_args(
        ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const softmax_backward_pd_t *const pd = (const softmax_backward_pd_t *)p->base.pd;
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i64(args, pd->elems);
    prim__ocl_args_i64(args, pd->nrows);
}
