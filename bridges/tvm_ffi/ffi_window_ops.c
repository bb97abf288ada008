// SPDX-License-Identifier: Apache-2.0
// Images: pooling, resampling, local response normalisation, shuffle, and their gradients.
#include "ffi.h"

enum {
    POOL = 1 << FFI_STRIDES | 1 << FFI_PADDING | 1 << FFI_PADDING_END | 1 << FFI_DILATION |
           1 << FFI_KERNEL | 1 << FFI_ALGORITHM,
    LRN = 1 << FFI_LOCAL_SIZE | 1 << FFI_ALPHA | 1 << FFI_BETA | 1 << FFI_K | 1 << FFI_ALGORITHM,
};

static const ffi_tensor_t forward[] = {
        {PRIM_ARG_SRC, "src", FFI_INPUT}, {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};
static const ffi_tensor_t backward[] = {{PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t keeping_forward[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT},
        {PRIM_ARG_WORKSPACE, "workspace", FFI_OUTPUT | FFI_OPTIONAL | FFI_BYTES}, {0}};
static const ffi_tensor_t pool_backward_tensors[] = {{PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_WORKSPACE, "workspace", FFI_INPUT | FFI_OPTIONAL | FFI_BYTES},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t lrn_backward_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_WORKSPACE, "workspace", FFI_INPUT | FFI_BYTES},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};

static int nspatial(const prim_memory_desc_t *md)
{
    return md->ndims < 3 ? 0 : md->ndims - 2 > FFI_MAX_SPATIAL ? FFI_MAX_SPATIAL : md->ndims - 2;
}

static prim_status_t pool_of(prim_desc_t **pd, const ffi_call_t *call, prim_prop_kind_t prop_kind,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(src));
    if (status) return status;
    return prim_pooling_forward_desc_create(pd, call->engine, prop_kind,
            (prim_alg_kind_t)call->params.alg, src, dst, w.strides, w.kernel, w.dilates, w.pad_l,
            w.pad_r, attr);
}

static prim_status_t pool(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return pool_of(pd, call, ffi_prop_kind(call), ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_DST), attr);
}

static prim_status_t pool_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *diff_src = ffi_md(call, PRIM_ARG_DIFF_SRC),
                             *diff_dst = ffi_md(call, PRIM_ARG_DIFF_DST);
    ffi_window_t w;
    prim_desc_t *hint = NULL;
    prim_status_t status = ffi_window(&w, call, nspatial(diff_src));
    if (!status) status = pool_of(&hint, call, PRIM_FORWARD_TRAINING, diff_src, diff_dst, NULL);
    if (!status)
        status = prim_pooling_backward_desc_create(pd, call->engine,
                (prim_alg_kind_t)call->params.alg, diff_src, diff_dst, w.strides, w.kernel,
                w.dilates, w.pad_l, w.pad_r, hint, attr);
    prim_desc_destroy(hint);
    return status;
}

/// NULL without factors: they follow from the shapes.
static const float *factors(const ffi_call_t *call)
{
    return call->params.factors.n ? call->params.factors.values : NULL;
}

static prim_status_t check_factors(const ffi_call_t *call, const prim_memory_desc_t *md)
{
    if (!factors(call) || call->params.factors.n == nspatial(md)) return PRIM_SUCCESS;
    return prim_report_failure(
            PRIM_INVALID_ARGUMENTS, "resampling: factors are not one for each spatial dimension");
}

static prim_status_t resampling(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_status_t status = check_factors(call, ffi_md(call, PRIM_ARG_SRC));
    if (status) return status;
    return prim_resampling_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            (prim_alg_kind_t)call->params.alg, factors(call), ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_DST), attr);
}

static prim_status_t resampling_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_status_t status = check_factors(call, ffi_md(call, PRIM_ARG_DIFF_SRC));
    if (status) return status;
    return prim_resampling_backward_desc_create(pd, call->engine, (prim_alg_kind_t)call->params.alg,
            factors(call), ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_DIFF_DST), NULL,
            attr);
}

static prim_status_t lrn_of(prim_desc_t **pd, const ffi_call_t *call, prim_prop_kind_t prop_kind,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    const ffi_params_t *p = &call->params;
    return prim_lrn_forward_desc_create(pd, call->engine, prop_kind, (prim_alg_kind_t)p->alg, src,
            dst, p->local_size, (float)p->alpha, (float)p->beta, (float)p->k, attr);
}

static prim_status_t lrn(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return lrn_of(pd, call, ffi_prop_kind(call), ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_DST), attr);
}

static prim_status_t lrn_backward(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const ffi_params_t *p = &call->params;
    const prim_memory_desc_t *src = ffi_md(call, PRIM_ARG_SRC),
                             *diff_dst = ffi_md(call, PRIM_ARG_DIFF_DST);
    prim_desc_t *hint = NULL;
    prim_status_t status = lrn_of(&hint, call, PRIM_FORWARD_TRAINING, src, diff_dst, NULL);
    if (!status)
        status = prim_lrn_backward_desc_create(pd, call->engine, (prim_alg_kind_t)p->alg,
                ffi_md(call, PRIM_ARG_DIFF_SRC), diff_dst, src, p->local_size, (float)p->alpha,
                (float)p->beta, (float)p->k, hint, attr);
    prim_desc_destroy(hint);
    return status;
}

static prim_status_t shuffle(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *src = ffi_md(call, PRIM_ARG_SRC);
    return prim_shuffle_forward_desc_create(pd, call->engine, ffi_prop_kind(call), src,
            ffi_md(call, PRIM_ARG_DST), ffi_axis(call, src->ndims), call->params.group_size, attr);
}

static prim_status_t shuffle_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *diff_src = ffi_md(call, PRIM_ARG_DIFF_SRC);
    return prim_shuffle_backward_desc_create(pd, call->engine, diff_src,
            ffi_md(call, PRIM_ARG_DIFF_DST), ffi_axis(call, diff_src->ndims),
            call->params.group_size, NULL, attr);
}

const ffi_op_t ffi_window_ops[] = {
        {.name = "pooling",
                .tensors = keeping_forward,
                .params = POOL | 1 << FFI_TRAINING,
                .algs = "pooling_",
                .alg = PRIM_POOLING_MAX,
                .create = pool},
        {.name = "pooling_backward",
                .tensors = pool_backward_tensors,
                .params = POOL,
                .algs = "pooling_",
                .alg = PRIM_POOLING_MAX,
                .create = pool_backward},
        {.name = "resampling",
                .tensors = forward,
                .params = 1 << FFI_FACTORS | 1 << FFI_ALGORITHM | 1 << FFI_TRAINING,
                .algs = "resampling_",
                .alg = PRIM_RESAMPLING_NEAREST,
                .create = resampling},
        {.name = "resampling_backward",
                .tensors = backward,
                .params = 1 << FFI_FACTORS | 1 << FFI_ALGORITHM,
                .algs = "resampling_",
                .alg = PRIM_RESAMPLING_NEAREST,
                .create = resampling_backward},
        {.name = "lrn",
                .tensors = keeping_forward,
                .params = LRN | 1 << FFI_TRAINING,
                .algs = "lrn_",
                .alg = PRIM_LRN_ACROSS_CHANNELS,
                .alpha = 1e-4,
                .beta = 0.75,
                .create = lrn},
        {.name = "lrn_backward",
                .tensors = lrn_backward_tensors,
                .params = LRN,
                .algs = "lrn_",
                .alg = PRIM_LRN_ACROSS_CHANNELS,
                .alpha = 1e-4,
                .beta = 0.75,
                .create = lrn_backward},
        {.name = "shuffle",
                .tensors = forward,
                .params = 1 << FFI_AXIS | 1 << FFI_GROUP_SIZE | 1 << FFI_TRAINING,
                .create = shuffle},
        {.name = "shuffle_backward",
                .tensors = backward,
                .params = 1 << FFI_AXIS | 1 << FFI_GROUP_SIZE,
                .create = shuffle_backward},
        {.name = NULL},
};
