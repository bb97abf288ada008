// SPDX-License-Identifier: Apache-2.0
// The problems of scenario.h.
#include "scenario.h"

#include <string.h>

static const prim_dim_t image[] = {2, 8, 6, 6}, channels[] = {8}, per_channel[] = {1, 8, 1, 1};
static const prim_dim_t one[] = {1, 1};

static prim_status_t f32(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims)
{
    return prim_memory_desc_init_by_strides(md, ndims, dims, PRIM_F32, NULL);
}

/// Attributes with a ReLU and the addition of one value a channel. The caller destroys them.
static prim_status_t fused(prim_attr_t **attr)
{
    prim_post_ops_t *post_ops = NULL;
    prim_memory_desc_t md;
    prim_status_t st = f32(&md, 4, per_channel);
    if (st == PRIM_SUCCESS) st = prim_post_ops_create(&post_ops);
    if (st == PRIM_SUCCESS) st = prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0);
    if (st == PRIM_SUCCESS) st = prim_post_ops_append_binary(post_ops, PRIM_BINARY_ADD, &md);
    prim_attr_t *created = NULL;
    if (st == PRIM_SUCCESS) st = prim_attr_create(&created);
    if (st == PRIM_SUCCESS) st = prim_attr_set_post_ops(created, post_ops);
    prim_post_ops_destroy(post_ops);
    if (st == PRIM_SUCCESS)
        *attr = created;
    else
        prim_attr_destroy(created);
    return st;
}

static prim_status_t make_convolution(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, wei, bia;
    prim_attr_t *attr = NULL;
    prim_status_t st = fused(&attr);
    if (st != PRIM_SUCCESS) return st;
    f32(&src, 4, image);
    f32(&bia, 1, channels);
    st = prim_memory_desc_init_by_tag(
            &wei, 4, (const prim_dim_t[]){8, 8, 3, 3}, PRIM_F32, PRIM_FORMAT_ANY);
    if (st == PRIM_SUCCESS)
        st = prim_convolution_forward_desc_create(pd, engine, PRIM_FORWARD_INFERENCE,
                PRIM_CONVOLUTION_AUTO, &src, &wei, &bia, &src, one, NULL, one, NULL, attr);
    prim_attr_destroy(attr);
    return st;
}

/// Weights as they are, so that what packs them needs a scratchpad.
static prim_status_t make_convolution_user_scratchpad(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, wei;
    prim_attr_t *attr = NULL;
    f32(&src, 4, image);
    f32(&wei, 4, (const prim_dim_t[]){8, 8, 3, 3});
    prim_status_t st = prim_attr_create(&attr);
    if (st == PRIM_SUCCESS) st = prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER);
    if (st == PRIM_SUCCESS)
        st = prim_convolution_forward_desc_create(pd, engine, PRIM_FORWARD_INFERENCE,
                PRIM_CONVOLUTION_AUTO, &src, &wei, NULL, &src, one, NULL, one, NULL, attr);
    prim_attr_destroy(attr);
    return st;
}

static prim_status_t make_matmul(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, wei, dst;
    f32(&src, 3, (const prim_dim_t[]){2, 17, 33});
    f32(&wei, 3, (const prim_dim_t[]){1, 33, 20});
    f32(&dst, 3, (const prim_dim_t[]){2, 17, 20});
    return prim_matmul_desc_create(pd, engine, &src, &wei, NULL, &dst, NULL);
}

static prim_status_t make_inner_product(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, wei, dst;
    f32(&src, 2, (const prim_dim_t[]){4, 30});
    f32(&wei, 2, (const prim_dim_t[]){10, 30});
    f32(&dst, 2, (const prim_dim_t[]){4, 10});
    return prim_inner_product_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, NULL, &dst, NULL);
}

static prim_status_t make_pooling(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, dst;
    const prim_dim_t two[] = {2, 2};
    f32(&src, 4, image);
    f32(&dst, 4, (const prim_dim_t[]){2, 8, 3, 3});
    return prim_pooling_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, PRIM_POOLING_MAX,
            &src, &dst, two, two, NULL, (const prim_dim_t[]){0, 0}, NULL, NULL);
}

static prim_status_t make_eltwise(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 4, image);
    return prim_eltwise_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_TANH, &md, &md, 0, 0, NULL);
}

/// Between images; the CPU has none and takes buffers.
static prim_status_t make_images(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    prim_engine_kind_t kind = PRIM_CPU;
    prim_status_t st = prim_engine_get_kind(engine, &kind);
    if (st == PRIM_SUCCESS)
        st = kind == PRIM_CPU ? f32(&md, 4, image)
                              : prim_memory_desc_init_image2d(&md, 4, image, PRIM_F16);
    if (st != PRIM_SUCCESS) return st;
    return prim_eltwise_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_ABS, &md, &md, 0, 0, NULL);
}

static prim_status_t make_binary(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src0, src1;
    prim_attr_t *attr = NULL;
    prim_status_t st = fused(&attr);
    if (st != PRIM_SUCCESS) return st;
    f32(&src0, 4, image);
    f32(&src1, 4, per_channel);
    st = prim_binary_desc_create(pd, engine, PRIM_BINARY_MUL, &src0, &src1, NULL, &src0, attr);
    prim_attr_destroy(attr);
    return st;
}

static prim_status_t make_softmax(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 2, (const prim_dim_t[]){9, 100});
    return prim_softmax_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL);
}

static prim_status_t make_softmax_backward(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    prim_desc_t *hint = NULL;
    f32(&md, 2, (const prim_dim_t[]){9, 100});
    prim_status_t st = prim_softmax_forward_desc_create(
            &hint, engine, PRIM_FORWARD_TRAINING, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_softmax_backward_desc_create(
                pd, engine, PRIM_SOFTMAX_ACCURATE, &md, &md, &md, 1, hint, NULL);
    prim_desc_destroy(hint);
    return st;
}

static prim_status_t make_batch_normalization(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 4, image);
    return prim_batch_normalization_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, &md, &md,
            1e-3f, PRIM_USE_SCALE | PRIM_USE_SHIFT | PRIM_FUSE_NORM_RELU, NULL);
}

static prim_status_t make_layer_normalization(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 2, (const prim_dim_t[]){9, 100});
    return prim_layer_normalization_forward_desc_create(pd, engine, PRIM_FORWARD_TRAINING, &md, &md,
            NULL, PRIM_F32, 1e-3f, PRIM_USE_SCALE | PRIM_USE_SHIFT, NULL);
}

static prim_status_t make_layer_normalization_backward(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 2, (const prim_dim_t[]){9, 100});
    return prim_layer_normalization_backward_desc_create(pd, engine, PRIM_BACKWARD, &md, &md, &md,
            NULL, PRIM_F32, PRIM_F32, 1e-3f, PRIM_USE_SCALE | PRIM_USE_SHIFT, NULL, NULL);
}

static prim_status_t make_sum(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 4, image);
    const prim_memory_desc_t *const mds[] = {&md, &md, &md};
    return prim_sum_desc_create(pd, engine, NULL, 3, (const float[]){1, 2, -1}, mds, NULL);
}

static prim_status_t make_concat(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    f32(&md, 4, image);
    const prim_memory_desc_t *const mds[] = {&md, &md};
    return prim_concat_desc_create(pd, engine, NULL, 2, 1, mds, NULL);
}

static prim_status_t make_resampling(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, dst;
    f32(&src, 4, image);
    f32(&dst, 4, (const prim_dim_t[]){2, 8, 12, 9});
    return prim_resampling_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_LINEAR, NULL, &src, &dst, NULL);
}

static prim_status_t make_prelu(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, wei;
    f32(&src, 4, image);
    f32(&wei, 4, per_channel);
    return prim_prelu_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, &src, NULL);
}

static prim_status_t make_reorder(prim_desc_t **pd, prim_engine_t *engine)
{
    prim_memory_desc_t src, dst;
    f32(&src, 4, image);
    const prim_status_t st = prim_memory_desc_init_by_tag(&dst, 4, image, PRIM_BF16, PRIM_nChw16c);
    return st != PRIM_SUCCESS ? st : prim_reorder_desc_create(pd, &src, engine, &dst, engine, NULL);
}

const scenario_t scenarios[] = {
        {"convolution", make_convolution},
        {"convolution, user's scratchpad", make_convolution_user_scratchpad},
        {"matmul", make_matmul},
        {"inner_product", make_inner_product},
        {"pooling", make_pooling},
        {"eltwise", make_eltwise},
        {"binary", make_binary},
        {"softmax", make_softmax},
        {"softmax backward", make_softmax_backward},
        {"batch_normalization", make_batch_normalization},
        {"layer_normalization", make_layer_normalization},
        {"layer_normalization, backward", make_layer_normalization_backward},
        {"sum", make_sum},
        {"concat", make_concat},
        {"resampling", make_resampling},
        {"prelu", make_prelu},
        {"reorder", make_reorder},
        {"images", make_images},
};
const int nscenarios = sizeof scenarios / sizeof *scenarios;

/// Every argument that any of the problems may have.
static const int candidates[] = {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS,
        PRIM_ARG_MEAN, PRIM_ARG_VARIANCE, PRIM_ARG_SCALE, PRIM_ARG_SHIFT, PRIM_ARG_MULTIPLE_SRC,
        PRIM_ARG_MULTIPLE_SRC + 1, PRIM_ARG_MULTIPLE_SRC + 2, PRIM_ARG_DST, PRIM_ARG_WORKSPACE,
        PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS, PRIM_ARG_DIFF_BIAS,
        PRIM_ARG_DIFF_SCALE, PRIM_ARG_DIFF_SHIFT, PRIM_ARG_SCRATCHPAD,
        PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_SRC_1};

/// Bytes that are small positive numbers in f32 and bf16 alike.
static prim_status_t fill(prim_memory_t *memory)
{
    void *bytes = NULL;
    const prim_status_t st = prim_memory_map_data(memory, &bytes);
    if (st != PRIM_SUCCESS) return st;
    const size_t n = prim_memory_desc_get_size(prim_memory_get_desc(memory)) / sizeof(float);
    for (size_t i = 0; i < n; ++i) {
        const float value = (float)(i * 7 % 31) / 16 - 0.75f;
        memcpy((char *)bytes + i * sizeof value, &value, sizeof value);
    }
    return prim_memory_unmap_data(memory, bytes);
}

static prim_status_t add_arg(
        case_t *c, const prim_memory_desc_t *md, int arg, prim_engine_t *engine)
{
    prim_memory_t *memory = NULL;
    const prim_status_t st = prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE);
    if (st != PRIM_SUCCESS) return st;
    c->args[c->nargs++] = (prim_arg_t){arg, memory};
    // In a backward pass dst is an input and comes before the gradient.
    if (arg == PRIM_ARG_DST || arg == PRIM_ARG_DIFF_SRC) c->dst = memory;
    return fill(memory);
}

prim_status_t case_create(case_t *out, const scenario_t *scenario, prim_engine_t *engine)
{
    case_t c = {0};
    prim_desc_t *pd = NULL;
    prim_status_t st = scenario->create_desc(&pd, engine);
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    for (size_t i = 0; st == PRIM_SUCCESS && i < sizeof candidates / sizeof *candidates; ++i) {
        const prim_memory_desc_t *const md =
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, candidates[i]);
        if (md && md->ndims > 0) st = add_arg(&c, md, candidates[i], engine);
    }
    prim_desc_destroy(pd);
    if (st == PRIM_SUCCESS)
        *out = c;
    else
        case_destroy(&c);
    return st;
}

void case_destroy(case_t *c)
{
    for (int i = 0; i < c->nargs; ++i) prim_memory_destroy(c->args[i].memory);
    prim_destroy(c->primitive);
}

prim_status_t case_run(const case_t *c, prim_stream_t *stream)
{
    const prim_status_t st = prim_execute(c->primitive, stream, c->nargs, c->args);
    return st == PRIM_SUCCESS ? prim_stream_wait(stream) : st;
}

prim_status_t case_checksum(const case_t *c, uint64_t *sum)
{
    void *bytes = NULL;
    const prim_status_t st = prim_memory_map_data(c->dst, &bytes);
    if (st != PRIM_SUCCESS) return st;
    uint64_t hash = 0xcbf29ce484222325u;
    const size_t n = prim_memory_desc_get_size(prim_memory_get_desc(c->dst));
    for (size_t i = 0; i < n; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    *sum = hash;
    return prim_memory_unmap_data(c->dst, bytes);
}
