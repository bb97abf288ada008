// SPDX-License-Identifier: Apache-2.0
// Sums of products: matmul, inner product, convolution, deconvolution, and their gradients.
#include "ffi.h"

enum {
    WINDOW = 1 << FFI_STRIDES | 1 << FFI_PADDING | 1 << FFI_PADDING_END | 1 << FFI_DILATION |
             1 << FFI_GROUPS
};

static const ffi_tensor_t forward[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT}, {PRIM_ARG_BIAS, "bias", FFI_INPUT | FFI_OPTIONAL},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};
static const ffi_tensor_t backward_data[] = {{PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT}, {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t backward_weights[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_DIFF_WEIGHTS, "diff_weights", FFI_OUTPUT},
        {PRIM_ARG_DIFF_BIAS, "diff_bias", FFI_OUTPUT | FFI_OPTIONAL}, {0}};

// The same with weights in groups.
static const ffi_tensor_t conv_forward[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT | FFI_WEIGHTS},
        {PRIM_ARG_BIAS, "bias", FFI_INPUT | FFI_OPTIONAL}, {PRIM_ARG_DST, "dst", FFI_OUTPUT}, {0}};
static const ffi_tensor_t conv_backward_data[] = {{PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT | FFI_WEIGHTS},
        {PRIM_ARG_DIFF_SRC, "diff_src", FFI_OUTPUT}, {0}};
static const ffi_tensor_t conv_backward_weights[] = {{PRIM_ARG_SRC, "src", FFI_INPUT},
        {PRIM_ARG_DIFF_DST, "diff_dst", FFI_INPUT},
        {PRIM_ARG_DIFF_WEIGHTS, "diff_weights", FFI_OUTPUT | FFI_WEIGHTS},
        {PRIM_ARG_DIFF_BIAS, "diff_bias", FFI_OUTPUT | FFI_OPTIONAL}, {0}};

static const ffi_tensor_t matmul_tensors[] = {{PRIM_ARG_SRC, "src", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_WEIGHTS, "weights", FFI_INPUT | FFI_ALIGNED},
        {PRIM_ARG_BIAS, "bias", FFI_INPUT | FFI_OPTIONAL | FFI_ALIGNED},
        {PRIM_ARG_DST, "dst", FFI_OUTPUT | FFI_ALIGNED}, {0}};

static prim_status_t matmul(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_matmul_desc_create(pd, call->engine, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_BIAS), ffi_md(call, PRIM_ARG_DST),
            attr);
}

static prim_status_t ip(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_inner_product_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_BIAS),
            ffi_md(call, PRIM_ARG_DST), attr);
}

static prim_status_t ip_data(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_inner_product_backward_data_desc_create(pd, call->engine,
            ffi_md(call, PRIM_ARG_DIFF_SRC), ffi_md(call, PRIM_ARG_WEIGHTS),
            ffi_md(call, PRIM_ARG_DIFF_DST), NULL, attr);
}

static prim_status_t ip_weights(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    return prim_inner_product_backward_weights_desc_create(pd, call->engine,
            ffi_md(call, PRIM_ARG_SRC), ffi_md(call, PRIM_ARG_DIFF_WEIGHTS),
            ffi_md(call, PRIM_ARG_DIFF_BIAS), ffi_md(call, PRIM_ARG_DIFF_DST), NULL, attr);
}

static int nspatial(const ffi_call_t *call, int arg)
{
    const int ndims = ffi_md(call, arg)->ndims;
    return ndims < 3 ? 0 : ndims - 2 > FFI_MAX_SPATIAL ? FFI_MAX_SPATIAL : ndims - 2;
}

static prim_status_t conv(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_SRC));
    if (status) return status;
    return prim_convolution_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_BIAS), ffi_md(call, PRIM_ARG_DST),
            w.strides, w.dilates, w.pad_l, w.pad_r, attr);
}

static prim_status_t conv_data(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_DIFF_DST));
    if (status) return status;
    return prim_convolution_backward_data_desc_create(pd, call->engine,
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_DIFF_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_DST), w.strides, w.dilates,
            w.pad_l, w.pad_r, NULL, attr);
}

static prim_status_t conv_weights(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_SRC));
    if (status) return status;
    return prim_convolution_backward_weights_desc_create(pd, call->engine,
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_DIFF_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_BIAS),
            ffi_md(call, PRIM_ARG_DIFF_DST), w.strides, w.dilates, w.pad_l, w.pad_r, NULL, attr);
}

static prim_status_t deconv(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_SRC));
    if (status) return status;
    return prim_deconvolution_forward_desc_create(pd, call->engine, ffi_prop_kind(call),
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_BIAS), ffi_md(call, PRIM_ARG_DST),
            w.strides, w.dilates, w.pad_l, w.pad_r, attr);
}

static prim_status_t deconv_data(prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_DIFF_DST));
    if (status) return status;
    return prim_deconvolution_backward_data_desc_create(pd, call->engine,
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_DIFF_SRC),
            ffi_md(call, PRIM_ARG_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_DST), w.strides, w.dilates,
            w.pad_l, w.pad_r, NULL, attr);
}

static prim_status_t deconv_weights(
        prim_desc_t **pd, const ffi_call_t *call, const prim_attr_t *attr)
{
    ffi_window_t w;
    const prim_status_t status = ffi_window(&w, call, nspatial(call, PRIM_ARG_SRC));
    if (status) return status;
    return prim_deconvolution_backward_weights_desc_create(pd, call->engine,
            (prim_alg_kind_t)call->params.alg, ffi_md(call, PRIM_ARG_SRC),
            ffi_md(call, PRIM_ARG_DIFF_WEIGHTS), ffi_md(call, PRIM_ARG_DIFF_BIAS),
            ffi_md(call, PRIM_ARG_DIFF_DST), w.strides, w.dilates, w.pad_l, w.pad_r, NULL, attr);
}

const ffi_op_t ffi_product_ops[] = {
        {.name = "matmul", .tensors = matmul_tensors, .create = matmul},
        {.name = "inner_product", .tensors = forward, .params = 1 << FFI_TRAINING, .create = ip},
        {.name = "inner_product_backward_data", .tensors = backward_data, .create = ip_data},
        {.name = "inner_product_backward_weights",
                .tensors = backward_weights,
                .create = ip_weights},
        {.name = "convolution",
                .tensors = conv_forward,
                .params = WINDOW | 1 << FFI_ALGORITHM | 1 << FFI_TRAINING,
                .algs = "convolution_",
                .alg = PRIM_CONVOLUTION_AUTO,
                .create = conv},
        {.name = "convolution_backward_data",
                .tensors = conv_backward_data,
                .params = WINDOW | 1 << FFI_ALGORITHM,
                .algs = "convolution_",
                .alg = PRIM_CONVOLUTION_AUTO,
                .create = conv_data},
        {.name = "convolution_backward_weights",
                .tensors = conv_backward_weights,
                .params = WINDOW | 1 << FFI_ALGORITHM,
                .algs = "convolution_",
                .alg = PRIM_CONVOLUTION_AUTO,
                .create = conv_weights},
        {.name = "deconvolution",
                .tensors = conv_forward,
                .params = WINDOW | 1 << FFI_ALGORITHM | 1 << FFI_TRAINING,
                .algs = "deconvolution_",
                .alg = PRIM_DECONVOLUTION_DIRECT,
                .create = deconv},
        {.name = "deconvolution_backward_data",
                .tensors = conv_backward_data,
                .params = WINDOW | 1 << FFI_ALGORITHM,
                .algs = "deconvolution_",
                .alg = PRIM_DECONVOLUTION_DIRECT,
                .create = deconv_data},
        {.name = "deconvolution_backward_weights",
                .tensors = conv_backward_weights,
                .params = WINDOW | 1 << FFI_ALGORITHM,
                .algs = "deconvolution_",
                .alg = PRIM_DECONVOLUTION_DIRECT,
                .create = deconv_weights},
        {.name = NULL},
};
