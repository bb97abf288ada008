// SPDX-License-Identifier: Apache-2.0
// From the tensors of a deconvolution to those of a convolution, and what a convolution leaves to
// do: bias and post-ops of the forward pass, the gradient of the bias.
#include "deconv_as_conv.h"

#include "data_type.h"
#include "deconv_shape.h"
#include "post_ops_check.h"

enum { CONVOLUTION, FINISH }; // slots
enum { MAX_TENSORS = 5 };

extern const op_schema_t prim__binary_schema, prim__reduction_schema, prim__reorder_schema;

static bool is_forward(const prim_desc_t *pd)
{
    return pd->impl->nests == &prim__conv_backward_data_schema;
}

/// The argument of the deconvolution that is `arg` of the convolution; PRIM_ARG_UNDEF: none.
static int outer_arg(const prim_desc_t *pd, int arg)
{
    if (arg == PRIM_ARG_BIAS && !((const deconv_as_conv_pd_t *)pd)->bias_inside)
        return PRIM_ARG_UNDEF;
    static const int pairs[][2] = {{PRIM_ARG_SRC, PRIM_ARG_DIFF_DST},
            {PRIM_ARG_DST, PRIM_ARG_DIFF_SRC}, {PRIM_ARG_DIFF_DST, PRIM_ARG_SRC},
            {PRIM_ARG_DIFF_SRC, PRIM_ARG_DST}, {PRIM_ARG_WEIGHTS, PRIM_ARG_WEIGHTS},
            {PRIM_ARG_DIFF_WEIGHTS, PRIM_ARG_DIFF_WEIGHTS}, {PRIM_ARG_BIAS, PRIM_ARG_BIAS}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        if (pairs[i][0] == arg) return pairs[i][1];
    return PRIM_ARG_UNDEF;
}

static bool is_weights(int arg)
{
    return arg == PRIM_ARG_WEIGHTS || arg == PRIM_ARG_DIFF_WEIGHTS;
}

/// Input and output channels of weights in each other's place.
static prim_status_t exchange_channels(
        prim_memory_desc_t *md, const prim_memory_desc_t *wei, const prim_desc_t *pd)
{
    const int first = wei->ndims - prim__conv_md(pd, PRIM_ARG_SRC)->ndims;
    int permutation[PRIM_MAX_NDIMS];
    for (int d = 0; d < wei->ndims; ++d) permutation[d] = d;
    permutation[first] = first + 1;
    permutation[first + 1] = first;
    return prim_memory_desc_permute_axes(md, wei, permutation);
}

/// Attributes of a nested problem without scales, zero points and post-ops: nothing is owned.
static prim_attr_t plain_attr(const prim_desc_t *pd)
{
    prim_attr_t attr;
    prim__attr_init(&attr);
    attr.fpmath_mode = pd->attr.fpmath_mode;
    attr.fpmath_applies_to_int = pd->attr.fpmath_applies_to_int;
    attr.is_deterministic = pd->attr.is_deterministic;
    attr.accumulation_mode = pd->attr.accumulation_mode;
    attr.tune_mode = pd->attr.tune_mode;
    return attr;
}

// ---- The convolution -------------------------------------------------------------------------

static op_desc_t convolution_of(const prim_desc_t *pd)
{
    static const prim_prop_kind_t prop_kinds[] = {[FORWARD] = PRIM_FORWARD_INFERENCE,
            [BACKWARD] = PRIM_BACKWARD_DATA,
            [BACKWARD_WEIGHTS] = PRIM_BACKWARD_WEIGHTS};
    return (op_desc_t){.kind = PRIM_CONVOLUTION,
            .prop_kind = prop_kinds[pd->impl->nests->direction],
            .alg_kind = PRIM_CONVOLUTION_DIRECT,
            .u.spatial = pd->op.u.spatial};
}

/// What the convolution leaves to do is done in f32, which its sums have then.
static bool has_finish(const prim_desc_t *pd)
{
    if (((const deconv_as_conv_pd_t *)pd)->bias_inside) return false;
    return is_forward(pd) && (prim__pd_has(pd, PRIM_ARG_BIAS) || pd->attr.post_ops.len > 0);
}

static prim_status_t nest_convolution(prim_desc_t *pd)
{
    const op_schema_t *const schema = pd->impl->nests;
    prim_memory_desc_t tensors[MAX_TENSORS];
    const prim_memory_desc_t *mds[MAX_TENSORS] = {NULL};
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = outer_arg(pd, schema->tensors[i].arg);
        if (arg == PRIM_ARG_UNDEF) continue;
        tensors[i] = *prim__pd_md(pd, arg);
        if (is_weights(arg)) TRY(exchange_channels(&tensors[i], prim__pd_md(pd, arg), pd));
        if (arg == PRIM_ARG_DST && has_finish(pd)) tensors[i].data_type = PRIM_F32;
        mds[i] = &tensors[i];
    }
    const prim_attr_t attr = plain_attr(pd);
    const op_desc_t op = convolution_of(pd);
    const request_t request = {.mds = mds, .attr = &attr};
    return prim__nested_desc(pd, CONVOLUTION, schema, &op, &request);
}

/// Layouts that the convolution chose for tensors of layout `any`.
static prim_status_t take_layouts(prim_desc_t *pd)
{
    const op_schema_t *const schema = pd->impl->nests;
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = outer_arg(pd, schema->tensors[i].arg);
        if (arg == PRIM_ARG_UNDEF || !prim__md_is_any(prim__pd_md(pd, arg))) continue;
        const prim_memory_desc_t *const chosen =
                prim__nested_md(pd, CONVOLUTION, schema->tensors[i].arg);
        prim_memory_desc_t *const md = prim__pd_md_mutable(pd, arg);
        const prim_data_type_t data_type = md->data_type;
        *md = *chosen;
        if (is_weights(arg)) TRY(exchange_channels(md, chosen, pd));
        md->data_type = data_type;
    }
    const int bias = prim__pd_arg_or_diff(pd, PRIM_ARG_BIAS);
    if (!prim__pd_has(pd, bias)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, bias));
}

// ---- What it leaves --------------------------------------------------------------------------

/// A vector of channels as a tensor of the rank of images: [1, C, 1, …].
static prim_memory_desc_t channels_md(const prim_memory_desc_t *vector, int ndims)
{
    prim_memory_desc_t md = *vector;
    const prim_dim_t stride = vector->strides[0];
    prim_dim_t nblocks = vector->padded_dims[0];
    for (int i = 0; i < md.inner_nblks; ++i) nblocks /= md.inner_blks[i];
    md.ndims = ndims;
    for (int d = 0; d < ndims; ++d) {
        md.dims[d] = md.padded_dims[d] = 1;
        md.padded_offsets[d] = 0;
        md.strides[d] = d == 0 ? stride * nblocks : 1;
    }
    md.dims[1] = vector->dims[0];
    md.padded_dims[1] = vector->padded_dims[0];
    md.padded_offsets[1] = vector->padded_offsets[0];
    md.strides[1] = stride;
    for (int i = 0; i < md.inner_nblks; ++i) md.inner_idxs[i] = 1;
    return md;
}

/// dst = post_ops(sums + bias), or post_ops(max(sums, sums)) without a bias.
static prim_status_t nest_epilogue(prim_desc_t *pd)
{
    deconv_as_conv_pd_t *const p = (deconv_as_conv_pd_t *)pd;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_memory_desc_t *const sums = prim__nested_md(pd, CONVOLUTION, PRIM_ARG_DIFF_SRC);
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    prim_memory_desc_t bias = *sums;
    if (has_bias) bias = channels_md(prim__pd_md(pd, PRIM_ARG_BIAS), dst->ndims);
    p->sums_are_dst = dst->data_type == PRIM_F32 && !prim__post_ops_find_sum(&pd->attr.post_ops);
    if (!p->sums_are_dst) p->sums = prim__pd_book_scratchpad(pd, prim__md_bytes(sums));
    const prim_memory_desc_t *const mds[] = {sums, &bias, NULL, dst};
    const op_desc_t op = {
            .kind = PRIM_BINARY, .alg_kind = has_bias ? PRIM_BINARY_ADD : PRIM_BINARY_MAX};
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, FINISH, &prim__binary_schema, &op, &request));

done:
    prim__attr_fini(&attr);
    return st;
}

/// diff_bias = Σ diff_dst over images and positions.
static prim_status_t nest_bias_gradient(prim_desc_t *pd)
{
    const prim_memory_desc_t *const diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    const prim_memory_desc_t bias =
            channels_md(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS), diff_dst->ndims);
    bool reduces = diff_dst->dims[0] != 1;
    for (int d = 2; d < diff_dst->ndims; ++d) reduces = reduces || diff_dst->dims[d] != 1;
    const prim_memory_desc_t *const mds[] = {diff_dst, &bias};
    const op_desc_t op = {.kind = reduces ? PRIM_REDUCTION : PRIM_REORDER,
            .alg_kind = reduces ? PRIM_REDUCTION_SUM : PRIM_ALG_UNDEF};
    const prim_attr_t attr = plain_attr(pd);
    const request_t request = {.mds = mds, .attr = &attr};
    return prim__nested_desc(
            pd, FINISH, reduces ? &prim__reduction_schema : &prim__reorder_schema, &op, &request);
}

static prim_status_t require_forward(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    for (int i = 0; i < 3; ++i)
        REQUIRE(pd, !prim__dt_is_integer(prim__pd_md(pd, args[i])->data_type),
                "src, weights or dst are integers, which convolution's gradient does not take");
    REQUIRE(pd, pd->attr.nscales == 0 && pd->attr.nzero_points == 0,
            "scales or zero points are set");
    for (int i = 0; i < pd->attr.post_ops.len; ++i)
        REQUIRE(pd, pd->attr.post_ops.entries[i].kind != PRIM_PRELU,
                "post-op %d is prelu, which a binary operation does not take", i);
    return PRIM_SUCCESS;
}

prim_status_t prim__deconv_as_conv_init_pd_bias_inside(prim_desc_t *pd)
{
    REQUIRE(pd, prim__pd_has(pd, PRIM_ARG_BIAS) && pd->attr.post_ops.len == 0,
            "there is no bias, or post-ops follow it");
    REQUIRE(pd, !prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_BIAS)->data_type),
            "bias is %s, which convolution's gradient does not take",
            prim_data_type_name(prim__pd_md(pd, PRIM_ARG_BIAS)->data_type));
    ((deconv_as_conv_pd_t *)pd)->bias_inside = true;
    return prim__deconv_as_conv_init_pd(pd);
}

prim_status_t prim__deconv_as_conv_init_pd(prim_desc_t *pd)
{
    TRY(prim__deconv_take_direct(pd));
    if (is_forward(pd)) TRY(require_forward(pd));
    TRY(nest_convolution(pd));
    TRY(take_layouts(pd));
    if (has_finish(pd)) return nest_epilogue(pd);
    return prim__pd_has(pd, PRIM_ARG_DIFF_BIAS) ? nest_bias_gradient(pd) : PRIM_SUCCESS;
}

static prim_status_t run_convolution(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const deconv_as_conv_pd_t *const p = (const deconv_as_conv_pd_t *)pd;
    const tensor_rule_t *const rules = pd->impl->nests->tensors;
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, CONVOLUTION);
    for (int i = 0; rules[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = outer_arg(pd, rules[i].arg);
        if (arg == PRIM_ARG_UNDEF) continue;
        if (arg == PRIM_ARG_DST && has_finish(pd) && !p->sums_are_dst)
            prim__nested_pass_view(&run, rules[i].arg, PRIM_ARG_SCRATCHPAD, p->sums);
        else
            prim__nested_pass(&run, rules[i].arg, arg);
    }
    return prim__nested_execute(&run);
}

static prim_status_t run_epilogue(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const deconv_as_conv_pd_t *const p = (const deconv_as_conv_pd_t *)pd;
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    const int inputs[] = {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1};
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, FINISH);
    for (int i = 0; i < (has_bias ? 1 : 2); ++i) {
        if (p->sums_are_dst)
            prim__nested_pass(&run, inputs[i], PRIM_ARG_DST);
        else
            prim__nested_pass_view(&run, inputs[i], PRIM_ARG_SCRATCHPAD, p->sums);
    }
    if (has_bias) prim__nested_pass(&run, PRIM_ARG_SRC_1, PRIM_ARG_BIAS);
    prim__nested_pass(&run, PRIM_ARG_DST, PRIM_ARG_DST);
    prim__nested_pass_attr(&run);
    return prim__nested_execute(&run);
}

static prim_status_t run_bias_gradient(const prim_t *primitive, const exec_ctx_t *ctx)
{
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, FINISH);
    prim__nested_pass(&run, PRIM_ARG_SRC, PRIM_ARG_DIFF_DST);
    prim__nested_pass(&run, PRIM_ARG_DST, PRIM_ARG_DIFF_BIAS);
    return prim__nested_execute(&run);
}

prim_status_t prim__deconv_as_conv_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    TRY(run_convolution(primitive, ctx));
    if (has_finish(primitive->pd)) return run_epilogue(primitive, ctx);
    if (prim__pd_has(primitive->pd, PRIM_ARG_DIFF_BIAS)) return run_bias_gradient(primitive, ctx);
    return PRIM_SUCCESS;
}
