// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisations by batch, layer and group, and their gradients.
#include "ffi.h"

enum {
    LAYER = 1 << FFI_EPSILON | 1 << FFI_GLOBAL_STATS,
    BATCH = LAYER | 1 << FFI_RELU,
    STATISTICS = FFI_INPUT | FFI_OUTPUT | FFI_OPTIONAL | FFI_STATISTICS,
    GIVEN = FFI_INPUT | FFI_OPTIONAL,
    ASKED = FFI_OUTPUT | FFI_OPTIONAL,
};

static const ffi_tensor_t softmax_tensors[] = {
        {PRIM_ARG_SRC, "src", FFI_INPUT}, {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};
static const ffi_tensor_t softmax_backward_tensors[] = {{PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_DST, "dst", FFI_INPUT}, {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t bnorm_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_SCALE, "scale", GIVEN}, {PRIM_ARG_SHIFT, "shift", GIVEN},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {PRIM_ARG_MEAN, "mean", STATISTICS},
        {PRIM_ARG_VARIANCE, "variance", STATISTICS}, {PRIM_ARG_SRC_1, "src_1", GIVEN},
        {PRIM_ARG_WORKSPACE, "workspace", ASKED | FFI_BYTES}, {0}};
static const ffi_tensor_t bnorm_backward_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT}, {PRIM_ARG_MEAN, "mean", FFI_INPUT},
        {PRIM_ARG_VARIANCE, "variance", FFI_INPUT}, {PRIM_ARG_SCALE, "scale", GIVEN},
        {PRIM_ARG_WORKSPACE, "workspace", GIVEN | FFI_BYTES},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {PRIM_ARG_DIFF_SCALE, "diff_scale", ASKED},
        {PRIM_ARG_DIFF_SHIFT, "diff_shift", ASKED}, {PRIM_ARG_DIFF_SRC_1, "diff_src_1", ASKED},
        {0}};
// Of layers and groups: neither a sum nor a workspace.
static const ffi_tensor_t norm_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_SCALE, "scale", GIVEN}, {PRIM_ARG_SHIFT, "shift", GIVEN},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {PRIM_ARG_MEAN, "mean", STATISTICS},
        {PRIM_ARG_VARIANCE, "variance", STATISTICS}, {0}};
static const ffi_tensor_t norm_backward_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT}, {PRIM_ARG_MEAN, "mean", FFI_INPUT},
        {PRIM_ARG_VARIANCE, "variance", FFI_INPUT}, {PRIM_ARG_SCALE, "scale", GIVEN},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {PRIM_ARG_DIFF_SCALE, "diff_scale", ASKED},
        {PRIM_ARG_DIFF_SHIFT, "diff_shift", ASKED}, {0}};

static prim_status_t softmax(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *src = ffi_md(call, PRIM_ARG_SRC);
    return prim_softmax_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            (prim_alg_kind_t)call->params.alg, src, ffi_md(call, PRIM_ARG_DST),
            ffi_axis(call, src->ndims), attr);
}

static prim_status_t softmax_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *dst = ffi_md(call, PRIM_ARG_DST);
    return prim_softmax_backward_desc_create(pd, call->engine, (prim_alg_kind_t)call->params.alg,
            ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_DIFF_DST), dst,
            ffi_axis(call, dst->ndims), NULL, attr);
}

static unsigned flags_of(const ffi_call_t *call)
{
    unsigned flags = PRIM_NORM_FLAGS_NONE;
    const bool adds = ffi_md(call, PRIM_ARG_SRC_1) || ffi_md(call, PRIM_ARG_DIFF_SRC_1);
    const bool is_forward = ffi_md(call, PRIM_ARG_DST);
    if (call->params.global_stats) flags |= PRIM_USE_GLOBAL_STATS;
    if (is_forward && !call->params.training && ffi_md(call, PRIM_ARG_MEAN))
        flags |= PRIM_USE_GLOBAL_STATS;
    if (ffi_md(call, PRIM_ARG_SCALE)) flags |= PRIM_USE_SCALE;
    if (ffi_md(call, PRIM_ARG_SHIFT) || ffi_md(call, PRIM_ARG_DIFF_SHIFT)) flags |= PRIM_USE_SHIFT;
    if (call->params.relu) flags |= adds ? PRIM_FUSE_NORM_ADD_RELU : PRIM_FUSE_NORM_RELU;
    return flags;
}

static prim_prop_kind_t backward_kind(const ffi_call_t *call)
{
    const bool has_more = ffi_md(call, PRIM_ARG_DIFF_SCALE) || ffi_md(call, PRIM_ARG_DIFF_SHIFT);
    return has_more ? PRIM_BACKWARD : PRIM_BACKWARD_DATA;
}

static prim_data_type_t type_of(const prim_memory_desc_t *md, const prim_memory_desc_t *other)
{
    return md ? md->data_type : other ? other->data_type : PRIM_F32;
}

static prim_status_t bnorm(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_batch_normalization_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DST), (float)call->params.epsilon,
            flags_of(call), attr);
}

static prim_status_t bnorm_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *src = ffi_md(call, PRIM_ARG_SRC),
                             *diff_dst = ffi_md(call, PRIM_ARG_DIFF_DST);
    const float epsilon = (float)call->params.epsilon;
    prim_desc_t *hint = NULL;
    prim_status_t status = prim_batch_normalization_forward_desc_create(&hint, call->engine,
            PRIM_FORWARD_TRAINING, src, diff_dst, epsilon, flags_of(call), NULL);
    if (!status)
        status = prim_batch_normalization_backward_desc_create(pd, call->engine,
                backward_kind(call), ffi_md(call, PRIM_ARG_DIFF_SRC), diff_dst, src, epsilon,
                flags_of(call), hint, attr);
    prim_desc_destroy(hint);
    return status;
}

static prim_status_t lnorm(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_data_type_t type =
            type_of(ffi_md(call, PRIM_ARG_SCALE), ffi_md(call, PRIM_ARG_SHIFT));
    return prim_layer_normalization_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DST), ffi_md(call, PRIM_ARG_MEAN),
            type, (float)call->params.epsilon, flags_of(call), attr);
}

static prim_status_t lnorm_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const prim_memory_desc_t *scale = ffi_md(call, PRIM_ARG_SCALE);
    const prim_data_type_t diff =
            type_of(ffi_md(call, PRIM_ARG_DIFF_SCALE), ffi_md(call, PRIM_ARG_DIFF_SHIFT));
    return prim_layer_normalization_backward_desc_create(pd, call->engine, backward_kind(call),
            ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_DIFF_DST),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_MEAN), diff,
            scale ? scale->data_type : diff, (float)call->params.epsilon, flags_of(call), NULL,
            attr);
}

static prim_status_t gnorm(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_group_normalization_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DST), call->params.groups,
            (float)call->params.epsilon, flags_of(call), attr);
}

static prim_status_t gnorm_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_group_normalization_backward_desc_create(pd, call->engine, backward_kind(call),
            ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_DIFF_DST),
            ffi_md(call, PRIM_ARG_SRC), call->params.groups, (float)call->params.epsilon,
            flags_of(call), NULL, attr);
}

const ffi_op_t ffi_norm_ops[] = {
        {.name = "softmax",
                .tensors = softmax_tensors,
                .params = 1 << FFI_AXIS | 1 << FFI_ALGORITHM | 1 << FFI_TRAINING,
                .algs = "softmax_",
                .alg = PRIM_SOFTMAX_ACCURATE,
                .create = softmax},
        {.name = "softmax_backward",
                .tensors = softmax_backward_tensors,
                .params = 1 << FFI_AXIS | 1 << FFI_ALGORITHM,
                .algs = "softmax_",
                .alg = PRIM_SOFTMAX_ACCURATE,
                .create = softmax_backward},
        {.name = "batch_normalization",
                .tensors = bnorm_tensors,
                .params = BATCH | 1 << FFI_TRAINING,
                .create = bnorm},
        {.name = "batch_normalization_backward",
                .tensors = bnorm_backward_tensors,
                .params = BATCH,
                .create = bnorm_backward},
        {.name = "layer_normalization",
                .tensors = norm_tensors,
                .params = LAYER | 1 << FFI_TRAINING,
                .create = lnorm},
        {.name = "layer_normalization_backward",
                .tensors = norm_backward_tensors,
                .params = LAYER,
                .create = lnorm_backward},
        {.name = "group_normalization",
                .tensors = norm_tensors,
                .params = LAYER | 1 << FFI_GROUPS | 1 << FFI_TRAINING,
                .create = gnorm},
        {.name = "group_normalization_backward",
                .tensors = norm_backward_tensors,
                .params = LAYER | 1 << FFI_GROUPS,
                .create = gnorm_backward},
        {.name = NULL},
};
