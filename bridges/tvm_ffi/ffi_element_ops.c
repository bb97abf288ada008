// SPDX-License-Identifier: Apache-2.0
// Element-wise operations, reductions, and those that move elements, with their gradients.
#include "ffi.h"

#include <stdlib.h>

enum { ELTWISE = 1 << FFI_ALGORITHM | 1 << FFI_ALPHA | 1 << FFI_BETA };

static const ffi_tensor_t one_to_one[] = {
        {PRIM_ARG_SRC, "src", FFI_INPUT}, {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};
/// dst in place of src for the algorithms whose gradient is computed from it.
static const ffi_tensor_t eltwise_backward_tensors[] = {
        {PRIM_ARG_SRC, "src", FFI_INPUT | FFI_OPTIONAL}, {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_DST, "dst", FFI_INPUT | FFI_OPTIONAL},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t binary_tensors[] = {{PRIM_ARG_SRC_0, "src_0", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_SRC_1, "src_1", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_SRC_2, "src_2", FFI_INPUT | FFI_OPTIONAL | FFI_ALIGNED | FFI_CONDITION},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT | FFI_ALIGNED}, {0}};
static const ffi_tensor_t prelu_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT | FFI_ALIGNED}, {0}};
static const ffi_tensor_t prelu_backward_tensors[] = {
        {PRIM_ARG_SRC, "src", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT | FFI_ALIGNED},
        {PRIM_ARG_DIFF_WEIGHTS, "diff_weights", FFI_OUTPUT | FFI_ALIGNED}, {0}};
static const ffi_tensor_t many_to_one[] = {{PRIM_ARG_MULTIPLE_SRC, "src", FFI_INPUT | FFI_REPEATED},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};

static prim_status_t eltwise(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const ffi_params_t *p = &call->params;
    return prim_eltwise_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            (prim_alg_kind_t)p->alg, ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DST),
            (float)p->alpha, (float)p->beta, attr);
}

static prim_status_t eltwise_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const ffi_params_t *p = &call->params;
    const prim_memory_desc_t *src = ffi_md(call, PRIM_ARG_SRC),
                             *data = src ? src : ffi_md(call, PRIM_ARG_DST);
    return prim_eltwise_backward_desc_create(pd, call->engine, (prim_alg_kind_t)p->alg,
            ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_DIFF_DST), data, (float)p->alpha,
            (float)p->beta, NULL, attr);
}

static prim_status_t binary(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_binary_desc_create(pd, call->engine, (prim_alg_kind_t)call->params.alg,
            ffi_md(call, PRIM_ARG_SRC_0), ffi_md(call, PRIM_ARG_SRC_1),
            ffi_md(call, PRIM_ARG_SRC_2), ffi_md(call, PRIM_ARG_DST), attr);
}

static prim_status_t reduction(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    const ffi_params_t *p = &call->params;
    return prim_reduction_desc_create(pd, call->engine, (prim_alg_kind_t)p->alg,
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DST), (float)p->p, (float)p->epsilon,
            attr);
}

static prim_status_t prelu(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_prelu_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_DST),
            attr);
}

static prim_status_t prelu_backward(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_prelu_backward_desc_create(pd, call->engine, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_SRC),
            ffi_md(call, PRIM_ARG_DIFF_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_DST), NULL, attr);
}

static prim_status_t reorder(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_reorder_desc_create(pd, ffi_md(call, PRIM_ARG_SRC), call->engine,
            ffi_md(call, PRIM_ARG_DST), call->engine, attr);
}

/// The descriptors of the repeated tensor, in the caller's order; free() the list.
static const prim_memory_desc_t **sources(int *n, const ffi_call_t *call)
{
    const prim_memory_desc_t **mds = malloc((size_t)call->ntensors * sizeof *mds);
    *n = 0;
    for (int i = 0; mds && i < call->ntensors; ++i) {
        if (call->tensors[i].role & FFI_REPEATED) mds[(*n)++] = &call->tensors[i].md;
    }
    return mds;
}

static prim_status_t concat(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    int n;
    const prim_memory_desc_t *dst = ffi_md(call, PRIM_ARG_DST), **mds = sources(&n, call);
    if (!mds)
        return prim_report_failure(PRIM_OUT_OF_MEMORY, "concat: no memory for the list of tensors");
    const prim_status_t status = prim_concat_desc_create(
            pd, call->engine, dst, n, ffi_axis(call, dst->ndims), mds, attr);
    free(mds);
    return status;
}

static prim_status_t sum(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    static const ffi_floats_t ones = {.n = FFI_MAX_FLOATS};
    ffi_floats_t scales = call->params.scales;
    int n;
    const prim_memory_desc_t **mds = sources(&n, call);
    if (!mds)
        return prim_report_failure(PRIM_OUT_OF_MEMORY, "sum: no memory for the list of tensors");
    if (scales.n == 0) {
        scales = ones;
        for (int i = 0; i < FFI_MAX_FLOATS; ++i) scales.values[i] = 1;
    }
    const bool fits = scales.n == n || (call->params.scales.n == 0 && n <= FFI_MAX_FLOATS);
    const prim_status_t status =
            fits ? prim_sum_desc_create(pd, call->engine, ffi_md(call, PRIM_ARG_DST), n,
                           scales.values, mds, attr)
                 : prim_report_failure(PRIM_INVALID_ARGUMENTS,
                           "sum: scales are not one for each tensor, at most 64");
    free(mds);
    return status;
}

const ffi_op_t ffi_element_ops[] = {
        {.name = "eltwise",
                .tensors = one_to_one,
                .params = ELTWISE | 1 << FFI_TRAINING,
                .algs = "eltwise_",
                .alg = PRIM_ELTWISE_RELU,
                .create = eltwise},
        {.name = "eltwise_backward",
                .tensors = eltwise_backward_tensors,
                .params = ELTWISE,
                .algs = "eltwise_",
                .alg = PRIM_ELTWISE_RELU,
                .create = eltwise_backward},
        {.name = "binary",
                .tensors = binary_tensors,
                .params = 1 << FFI_ALGORITHM,
                .algs = "binary_",
                .alg = PRIM_BINARY_ADD,
                .create = binary},
        {.name = "reduction",
                .tensors = one_to_one,
                .params = 1 << FFI_ALGORITHM | 1 << FFI_P | 1 << FFI_EPSILON,
                .algs = "reduction_",
                .alg = PRIM_REDUCTION_SUM,
                .create = reduction},
        {.name = "prelu", .tensors = prelu_tensors, .params = 1 << FFI_TRAINING, .create = prelu},
        {.name = "prelu_backward", .tensors = prelu_backward_tensors, .create = prelu_backward},
        {.name = "reorder", .tensors = one_to_one, .create = reorder},
        {.name = "concat", .tensors = many_to_one, .params = 1 << FFI_AXIS, .create = concat},
        {.name = "sum", .tensors = many_to_one, .params = 1 << FFI_SCALES, .create = sum},
        {.name = NULL},
};
