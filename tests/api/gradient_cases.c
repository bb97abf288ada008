// SPDX-License-Identifier: Apache-2.0
// Small problems of each backward pass, with the forward passes that they belong to.
#include "gradient_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static prim_memory_desc_t tensor(prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 3, (const prim_dim_t[]){2, 6, 4}, dt, PRIM_abc),
            PRIM_SUCCESS);
    return md;
}

static prim_status_t eltwise_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_eltwise_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, c->alg, &md, &md, c->alpha, c->beta, NULL);
}

static prim_status_t eltwise_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_eltwise_backward_desc_create(
            pd, engine, c->alg, &md, &md, &md, c->alpha, c->beta, hint, NULL);
}

static prim_status_t softmax_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_softmax_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, c->alg, &md, &md, c->axis, NULL);
}

static prim_status_t softmax_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_softmax_backward_desc_create(
            pd, engine, c->alg, &md, &md, &md, c->axis, hint, NULL);
}

static prim_status_t lnorm_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_layer_normalization_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &md, &md, NULL, PRIM_F32, 0.125f, c->flags, NULL);
}

static prim_status_t lnorm_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_layer_normalization_backward_desc_create(pd, engine, PRIM_BACKWARD, &md, &md, &md,
            NULL, PRIM_F32, PRIM_F32, 0.125f, c->flags, hint, NULL);
}

static prim_status_t bnorm_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_batch_normalization_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 0.125f, c->flags, NULL);
}

static prim_status_t bnorm_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_batch_normalization_backward_desc_create(
            pd, engine, PRIM_BACKWARD, &md, &md, &md, 0.125f, c->flags, hint, NULL);
}

static prim_status_t gnorm_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_group_normalization_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 3, 0.125f, c->flags, NULL);
}

static prim_status_t gnorm_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_group_normalization_backward_desc_create(
            pd, engine, PRIM_BACKWARD, &md, &md, &md, 3, 0.125f, c->flags, hint, NULL);
}

static prim_status_t shuffle_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_shuffle_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &md, &md, c->axis, 3, NULL);
}

static prim_status_t shuffle_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_shuffle_backward_desc_create(pd, engine, &md, &md, c->axis, 3, hint, NULL);
}

static prim_memory_desc_t slopes(prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 3, (const prim_dim_t[]){1, 6, 1}, dt, PRIM_abc),
            PRIM_SUCCESS);
    return md;
}

static prim_status_t prelu_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt), wei = slopes(dt);
    (void)c;
    return prim_prelu_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, &md, &wei, &md, NULL);
}

static prim_status_t prelu_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32), wei = slopes(PRIM_F32);
    (void)c;
    return prim_prelu_backward_desc_create(pd, engine, &md, &wei, &md, &wei, &md, hint, NULL);
}

static prim_memory_desc_t resized(prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 3, (const prim_dim_t[]){2, 6, 7}, dt, PRIM_abc),
            PRIM_SUCCESS);
    return md;
}

static prim_status_t resampling_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(dt), dst = resized(dt);
    return prim_resampling_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, c->alg, NULL, &src, &dst, NULL);
}

static prim_status_t resampling_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(PRIM_F32), dst = resized(PRIM_F32);
    return prim_resampling_backward_desc_create(pd, engine, c->alg, NULL, &src, &dst, hint, NULL);
}

/// Windows of two taps with an element between them, the first tap of the first one in the padding.
static const prim_dim_t pool_stride = 1, pool_kernel = 2, pool_dilation = 1, pool_pad = 1;

static prim_memory_desc_t pooled(prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 3, (const prim_dim_t[]){2, 6, 3}, dt, PRIM_abc),
            PRIM_SUCCESS);
    return md;
}

static prim_status_t pool_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(dt), dst = pooled(dt);
    return prim_pooling_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, c->alg, &src, &dst,
            &pool_stride, &pool_kernel, &pool_dilation, &pool_pad, &(prim_dim_t){0}, NULL);
}

static prim_status_t pool_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(PRIM_F32), dst = pooled(PRIM_F32);
    return prim_pooling_backward_desc_create(pd, engine, c->alg, &src, &dst, &pool_stride,
            &pool_kernel, &pool_dilation, &pool_pad, &(prim_dim_t){0}, hint, NULL);
}

static prim_status_t lrn_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(dt);
    return prim_lrn_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, c->alg, &md, &md, 3, c->alpha, c->beta, 1.5f, NULL);
}

static prim_status_t lrn_backward(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t md = tensor(PRIM_F32);
    return prim_lrn_backward_desc_create(
            pd, engine, c->alg, &md, &md, &md, 3, c->alpha, c->beta, 1.5f, hint, NULL);
}

static prim_memory_desc_t md_of(int ndims, prim_dim_t first, prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_by_tag(&md, ndims,
                             (const prim_dim_t[]){first, ndims == 2 ? 3 : 6, 4}, dt,
                             ndims == 1   ? PRIM_a
                             : ndims == 2 ? PRIM_ab
                                          : PRIM_abc),
            PRIM_SUCCESS);
    return md;
}

static prim_status_t ip_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(dt), wei = md_of(3, 3, dt), bia = md_of(1, 3, dt);
    const prim_memory_desc_t dst = md_of(2, 2, dt);
    (void)c;
    return prim_inner_product_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, &src, &wei, &bia, &dst, NULL);
}

static prim_status_t ip_backward_data(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(PRIM_F32), wei = md_of(3, 3, PRIM_F32);
    const prim_memory_desc_t dst = md_of(2, 2, PRIM_F32);
    (void)c;
    return prim_inner_product_backward_data_desc_create(pd, engine, &src, &wei, &dst, hint, NULL);
}

static prim_status_t ip_backward_weights(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const prim_memory_desc_t src = tensor(PRIM_F32), wei = md_of(3, 3, PRIM_F32);
    const prim_memory_desc_t bia = md_of(1, 3, PRIM_F32), dst = md_of(2, 2, PRIM_F32);
    (void)c;
    return prim_inner_product_backward_weights_desc_create(
            pd, engine, &src, &wei, &bia, &dst, hint, NULL);
}

/// Two groups, a stride with a rest, padding in front.
typedef struct {
    prim_memory_desc_t src, wei, bia, dst;
    prim_dims_t strides, dilates, pad_l, pad_r;
} conv_t;

static conv_t conv_of(prim_data_type_t dt)
{
    conv_t c = {.strides = {2}, .dilates = {1}, .pad_l = {2}, .pad_r = {1}};
    const prim_dim_t src[] = {2, 4, 8}, wei[] = {2, 3, 2, 3}, bia[] = {6}, dst[] = {2, 6, 4};
    assert_int_equal(prim_memory_desc_init_by_tag(&c.src, 3, src, dt, PRIM_abc), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_init_by_tag(&c.wei, 4, wei, dt, PRIM_abcd), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_init_by_tag(&c.bia, 1, bia, dt, PRIM_a), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_init_by_tag(&c.dst, 3, dst, dt, PRIM_abc), PRIM_SUCCESS);
    return c;
}

static prim_status_t conv_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const conv_t conv = conv_of(dt);
    return prim_convolution_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, c->alg,
            &conv.src, &conv.wei, &conv.bia, &conv.dst, conv.strides, conv.dilates, conv.pad_l,
            conv.pad_r, NULL);
}

static prim_status_t conv_backward_data(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const conv_t conv = conv_of(PRIM_F32);
    return prim_convolution_backward_data_desc_create(pd, engine, c->alg, &conv.src, &conv.wei,
            &conv.dst, conv.strides, conv.dilates, conv.pad_l, conv.pad_r, hint, NULL);
}

static prim_status_t conv_backward_weights(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const conv_t conv = conv_of(PRIM_F32);
    return prim_convolution_backward_weights_desc_create(pd, engine, c->alg, &conv.src, &conv.wei,
            &conv.bia, &conv.dst, conv.strides, conv.dilates, conv.pad_l, conv.pad_r, hint, NULL);
}

/// The same tensors with the parts of src and dst exchanged, and their channels in the weights.
static conv_t deconv_of(prim_data_type_t dt)
{
    conv_t c = conv_of(dt);
    const prim_memory_desc_t src = c.dst;
    const int exchanged[] = {0, 2, 1, 3};
    const prim_dim_t bia[] = {4};
    c.dst = c.src;
    c.src = src;
    assert_int_equal(prim_memory_desc_permute_axes(&c.wei, &c.wei, exchanged), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_init_by_tag(&c.bia, 1, bia, dt, PRIM_a), PRIM_SUCCESS);
    return c;
}

static prim_status_t deconv_forward(
        prim_desc_t **pd, prim_engine_t *engine, prim_data_type_t dt, const gradient_case_t *c)
{
    const conv_t deconv = deconv_of(dt);
    return prim_deconvolution_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, c->alg,
            &deconv.src, &deconv.wei, &deconv.bia, &deconv.dst, deconv.strides, deconv.dilates,
            deconv.pad_l, deconv.pad_r, NULL);
}

static prim_status_t deconv_backward_data(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const conv_t deconv = deconv_of(PRIM_F32);
    return prim_deconvolution_backward_data_desc_create(pd, engine, c->alg, &deconv.src,
            &deconv.wei, &deconv.dst, deconv.strides, deconv.dilates, deconv.pad_l, deconv.pad_r,
            hint, NULL);
}

static prim_status_t deconv_backward_weights(
        prim_desc_t **pd, prim_engine_t *engine, const prim_desc_t *hint, const gradient_case_t *c)
{
    const conv_t deconv = deconv_of(PRIM_F32);
    return prim_deconvolution_backward_weights_desc_create(pd, engine, c->alg, &deconv.src,
            &deconv.wei, &deconv.bia, &deconv.dst, deconv.strides, deconv.dilates, deconv.pad_l,
            deconv.pad_r, hint, NULL);
}

#define ELTWISE(name, ...)                                                                      \
    {                                                                                           \
        "eltwise_backward", eltwise_forward, eltwise_backward, PRIM_ELTWISE_##name, __VA_ARGS__ \
    }

const gradient_case_t gradient_cases[] = {
        ELTWISE(RELU, .alpha = 0.25f),
        ELTWISE(TANH, .alpha = 0),
        ELTWISE(ELU, .alpha = 0.5f),
        ELTWISE(SQUARE, .alpha = 0),
        ELTWISE(ABS, .alpha = 0),
        ELTWISE(SQRT, .is_positive = true),
        ELTWISE(LINEAR, .alpha = 0.75f, .beta = 0.5f),
        ELTWISE(SOFT_RELU, .alpha = 1.5f),
        ELTWISE(HARDSIGMOID, .alpha = 0.25f, .beta = 0.5f),
        ELTWISE(LOGISTIC, .alpha = 0),
        ELTWISE(EXP, .alpha = 0),
        ELTWISE(GELU_TANH, .alpha = 0),
        ELTWISE(SWISH, .alpha = 1.5f),
        ELTWISE(LOG, .is_positive = true),
        ELTWISE(CLIP, .alpha = -0.5f, .beta = 0.75f),
        ELTWISE(CLIP_V2, .alpha = -0.5f, .beta = 0.75f),
        ELTWISE(POW, .alpha = 0.75f, .beta = 2.5f, .is_positive = true),
        ELTWISE(GELU_ERF, .alpha = 0),
        ELTWISE(MISH, .alpha = 0),
        ELTWISE(HARDSWISH, .alpha = 0.25f, .beta = 0.5f),
        ELTWISE(RELU_USE_DST_FOR_BWD, .alpha = 0.25f),
        ELTWISE(TANH_USE_DST_FOR_BWD, .alpha = 0),
        ELTWISE(ELU_USE_DST_FOR_BWD, .alpha = 0.5f),
        ELTWISE(SQRT_USE_DST_FOR_BWD, .is_positive = true),
        ELTWISE(LOGISTIC_USE_DST_FOR_BWD, .alpha = 0),
        ELTWISE(EXP_USE_DST_FOR_BWD, .alpha = 0),
        ELTWISE(CLIP_V2_USE_DST_FOR_BWD, .alpha = -0.5f, .beta = 0.75f),
        {"softmax_backward", softmax_forward, softmax_backward, PRIM_SOFTMAX_ACCURATE, .axis = 1},
        {"softmax_backward", softmax_forward, softmax_backward, PRIM_SOFTMAX_LOG, .axis = 2},
        {"layer_normalization_backward", lnorm_forward, lnorm_backward,
                .flags = PRIM_USE_SCALE | PRIM_USE_SHIFT},
        {"layer_normalization_backward", lnorm_forward, lnorm_backward, .flags = 0},
        {"batch_normalization_backward", bnorm_forward, bnorm_backward,
                .flags = PRIM_USE_SCALE | PRIM_USE_SHIFT},
        {"batch_normalization_backward", bnorm_forward, bnorm_backward,
                .flags = PRIM_FUSE_NORM_RELU},
        {"batch_normalization_backward", bnorm_forward, bnorm_backward,
                .flags = PRIM_USE_SCALE | PRIM_FUSE_NORM_ADD_RELU},
        {"group_normalization_backward", gnorm_forward, gnorm_backward,
                .flags = PRIM_USE_SCALE | PRIM_USE_SHIFT},
        {"group_normalization_backward", gnorm_forward, gnorm_backward, .flags = 0},
        {"shuffle_backward", shuffle_forward, shuffle_backward, .axis = 1},
        {"prelu_backward", prelu_forward, prelu_backward, .flags = 0},
        {"lrn_backward", lrn_forward, lrn_backward, PRIM_LRN_ACROSS_CHANNELS, .alpha = 0.5f,
                .beta = 0.75f},
        {"lrn_backward", lrn_forward, lrn_backward, PRIM_LRN_WITHIN_CHANNEL, .alpha = 0.5f,
                .beta = 0.75f},
        {"resampling_backward", resampling_forward, resampling_backward, PRIM_RESAMPLING_NEAREST,
                .flags = 0},
        {"resampling_backward", resampling_forward, resampling_backward, PRIM_RESAMPLING_LINEAR,
                .flags = 0},
        {"pooling_backward", pool_forward, pool_backward, PRIM_POOLING_MAX, .flags = 0},
        {"pooling_backward", pool_forward, pool_backward, PRIM_POOLING_AVG_INCLUDE_PADDING,
                .flags = 0},
        {"pooling_backward", pool_forward, pool_backward, PRIM_POOLING_AVG_EXCLUDE_PADDING,
                .flags = 0},
        {"inner_product_backward_data", ip_forward, ip_backward_data, .flags = 0},
        {"inner_product_backward_weights", ip_forward, ip_backward_weights, .flags = 0},
        {"convolution_backward_data", conv_forward, conv_backward_data, PRIM_CONVOLUTION_DIRECT,
                .flags = 0},
        {"convolution_backward_weights", conv_forward, conv_backward_weights,
                PRIM_CONVOLUTION_DIRECT, .flags = 0},
        {"deconvolution_backward_data", deconv_forward, deconv_backward_data,
                PRIM_DECONVOLUTION_DIRECT, .flags = 0},
        {"deconvolution_backward_weights", deconv_forward, deconv_backward_weights,
                PRIM_DECONVOLUTION_DIRECT, .flags = 0},
};
const int gradient_ncases = sizeof gradient_cases / sizeof gradient_cases[0];
