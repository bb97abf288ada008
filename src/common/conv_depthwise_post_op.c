// SPDX-License-Identifier: Apache-2.0
// Two nested convolutions, and which attributes of the outer one belong to which.
#include "conv_depthwise_post_op.h"

#include "post_ops_check.h"

#include <string.h>

enum { POINTWISE, DEPTHWISE, NSLOTS };
enum { NTENSORS = 4 };

/// The argument of each convolution, and the outer one that it is; UNDEF: the tensor in between.
typedef struct {
    int arg, outer;
} pair_t;

static const pair_t tensors_of[NSLOTS][NTENSORS] = {
        [POINTWISE] = {{PRIM_ARG_SRC, PRIM_ARG_SRC}, {PRIM_ARG_WEIGHTS, PRIM_ARG_WEIGHTS},
                {PRIM_ARG_BIAS, PRIM_ARG_BIAS}, {PRIM_ARG_DST, PRIM_ARG_UNDEF}},
        [DEPTHWISE] = {{PRIM_ARG_SRC, PRIM_ARG_UNDEF},
                {PRIM_ARG_WEIGHTS, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS},
                {PRIM_ARG_BIAS, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_BIAS},
                {PRIM_ARG_DST, PRIM_ARG_DST}},
};

/// Where the values of scales and zero points come from. Those of DST are of the tensor in between,
/// which the second convolution reads. Sorted by `arg`, as attributes are.
static const pair_t quants_of[NSLOTS][NTENSORS] = {
        [POINTWISE] = {{PRIM_ARG_SRC, PRIM_ARG_SRC}, {PRIM_ARG_DST, PRIM_ARG_DST},
                {PRIM_ARG_WEIGHTS, PRIM_ARG_WEIGHTS}, {PRIM_ARG_UNDEF, PRIM_ARG_UNDEF}},
        [DEPTHWISE] = {{PRIM_ARG_SRC, PRIM_ARG_DST},
                {PRIM_ARG_DST, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST},
                {PRIM_ARG_WEIGHTS, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS},
                {PRIM_ARG_UNDEF, PRIM_ARG_UNDEF}},
};

static int step_of(const prim_desc_t *pd)
{
    return prim__post_ops_find_depthwise(&pd->attr.post_ops);
}

/// Keeps the quants of one convolution, under its own arguments.
static void keep_quants(quant_t *quants, int *nquants, const prim_attr_t *from,
        const quant_t *(*find)(const prim_attr_t *, int), int slot)
{
    *nquants = 0;
    for (const pair_t *pair = quants_of[slot]; pair->arg != PRIM_ARG_UNDEF; ++pair) {
        const quant_t *const quant = find(from, pair->outer);
        if (!quant) continue;
        quants[*nquants] = *quant;
        quants[(*nquants)++].arg = pair->arg;
    }
}

/// The attributes of one convolution: its part of the chain, its scales and zero points.
static prim_status_t init_attr(prim_attr_t *attr, const prim_desc_t *pd, int slot)
{
    TRY(prim__nested_attr_init(attr, pd));
    const int step = step_of(pd), first = slot == POINTWISE ? 0 : step + 1;
    post_op_t *const entries = attr->post_ops.entries;
    attr->post_ops.len = slot == POINTWISE ? step : pd->attr.post_ops.len - first;
    memmove(entries, entries + first, (size_t)attr->post_ops.len * sizeof *entries);
    keep_quants(attr->scales, &attr->nscales, &pd->attr, prim__attr_scale, slot);
    keep_quants(attr->zero_points, &attr->nzero_points, &pd->attr, prim__attr_zero_point, slot);
    return PRIM_SUCCESS;
}

/// The windows of the depthwise step, row and column alike.
static spatial_params_t step_windows(const post_op_t *step)
{
    spatial_params_t windows = {0};
    for (int i = 0; i < 2; ++i) {
        windows.strides[i] = step->stride;
        windows.pad_l[i] = windows.pad_r[i] = step->padding;
    }
    return windows;
}

static prim_status_t nest(prim_desc_t *pd, int slot, const prim_memory_desc_t *between)
{
    const prim_memory_desc_t *mds[NTENSORS] = {NULL};
    for (int i = 0; i < NTENSORS; ++i) {
        const int outer = tensors_of[slot][i].outer;
        if (outer == PRIM_ARG_UNDEF)
            mds[i] = between;
        else if (prim__pd_has(pd, outer))
            mds[i] = prim__pd_md(pd, outer);
    }
    op_desc_t op = pd->op;
    if (slot == DEPTHWISE) {
        op.alg_kind = PRIM_CONVOLUTION_DIRECT;
        op.u.spatial = step_windows(&pd->attr.post_ops.entries[step_of(pd)]);
    }
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, init_attr(&attr, pd, slot));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, slot, &prim__conv_forward_schema, &op, &request));
    for (int i = 0; i < NTENSORS; ++i) {
        const pair_t *const pair = &tensors_of[slot][i];
        if (pair->outer != PRIM_ARG_UNDEF && prim__pd_has(pd, pair->outer))
            *prim__pd_md_mutable(pd, pair->outer) = *prim__nested_md(pd, slot, pair->arg);
    }

done:
    prim__attr_fini(&attr);
    return st;
}

prim_status_t prim__conv_depthwise_post_op_init_pd(prim_desc_t *pd)
{
    const int step = step_of(pd);
    REQUIRE(pd, step >= 0, "no depthwise convolution is among the post-ops");
    conv_depthwise_post_op_pd_t *const p = (conv_depthwise_post_op_pd_t *)pd;
    prim_memory_desc_t between = pd->attr.post_ops.entries[step].src1_md;
    TRY(nest(pd, POINTWISE, &between));
    between = *prim__nested_md(pd, POINTWISE, PRIM_ARG_DST);
    pd->op.alg_kind = pd->nested[POINTWISE]->op.alg_kind;
    p->between = prim__pd_book_scratchpad(pd, prim__md_bytes(&between));
    return nest(pd, DEPTHWISE, &between);
}

/// Scales, zero points and operands of post-ops.
static void pass_attr(nested_run_t *run, const prim_desc_t *pd, int slot)
{
    static const int kinds[] = {PRIM_ARG_ATTR_SCALES, PRIM_ARG_ATTR_ZERO_POINTS};
    for (const pair_t *pair = quants_of[slot]; pair->arg != PRIM_ARG_UNDEF; ++pair)
        for (int i = 0; i < 2; ++i)
            prim__nested_pass(run, kinds[i] | pair->arg, kinds[i] | pair->outer);
    const prim_post_ops_t *const chain = &pd->nested[slot]->attr.post_ops;
    const int first = slot == POINTWISE ? 0 : step_of(pd) + 1;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const entry = &chain->entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k)
            prim__nested_pass(run, prim__post_op_operand_arg(entry, i, k),
                    prim__post_op_operand_arg(entry, first + i, k));
    }
}

static prim_status_t run_slot(const prim_t *primitive, const exec_ctx_t *ctx, int slot)
{
    const prim_desc_t *const pd = primitive->pd;
    const size_t between = ((const conv_depthwise_post_op_pd_t *)pd)->between;
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, slot);
    for (int i = 0; i < NTENSORS; ++i) {
        const pair_t *const pair = &tensors_of[slot][i];
        if (pair->outer == PRIM_ARG_UNDEF)
            prim__nested_pass_view(&run, pair->arg, PRIM_ARG_SCRATCHPAD, between);
        else
            prim__nested_pass(&run, pair->arg, pair->outer);
    }
    pass_attr(&run, pd, slot);
    return prim__nested_execute(&run);
}

prim_status_t prim__conv_depthwise_post_op_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    TRY(run_slot(primitive, ctx, POINTWISE));
    return run_slot(primitive, ctx, DEPTHWISE);
}
