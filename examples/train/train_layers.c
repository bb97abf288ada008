// SPDX-License-Identifier: Apache-2.0
// The layers of a network that learns. Each adds the steps of its gradients in reverse: the
// backward pass runs its list from the end.
#include "train_net.h"

#include <math.h>

/// A list of arguments for train_add().
#define ARGS(...) ((const prim_arg_t[]){__VA_ARGS__, {0}})

enum { MEAN, VARIANCE, NSTATISTICS };
static const float EPSILON = 1e-5f;
static const float STATISTICS_MOMENTUM = 0.1f; ///< what a batch counts in the running ones

static prim_memory_desc_t activation_md(
        const train_net_t *net, prim_dim_t channels, prim_dim_t height, prim_dim_t width)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, 4,
            (const prim_dim_t[]){net->batch, channels, height, width}, net->type, PRIM_NHWC));
    return md;
}

static prim_memory_desc_t any_layout(const prim_memory_desc_t *like, prim_data_type_t type)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, like->ndims, like->dims, type, PRIM_FORMAT_ANY));
    return md;
}

static const prim_memory_desc_t *md_of(const prim_memory_t *memory)
{
    return prim_memory_get_desc(memory);
}

/// A step of training and of inference alike.
static void add_forward(train_net_t *net, const prim_t *primitive, const prim_arg_t *args)
{
    train_add(&net->forward, primitive, args);
    train_add(&net->infer, primitive, args);
}

train_tensor_t train_input(train_net_t *net, prim_dim_t channels, prim_dim_t side)
{
    prim_desc_t *pd = NULL;
    prim_memory_desc_t md;
    const prim_memory_desc_t used = activation_md(net, channels, side, side);
    DO(prim_memory_desc_init_by_tag(&md, 4, used.dims, PRIM_F32, PRIM_NHWC));
    net->input = train_memory(net, &md, PRIM_MEMORY_NONE);
    if (net->type == PRIM_F32) return (train_tensor_t){net->input, NULL};
    prim_memory_t *const converted = train_memory(net, &used, PRIM_MEMORY_ALLOCATE);
    DO(prim_reorder_desc_create(&pd, &md, net->engine, &used, net->engine, NULL));
    add_forward(net, train_primitive(net, pd),
            ARGS({PRIM_ARG_FROM, net->input}, {PRIM_ARG_TO, converted}));
    return (train_tensor_t){converted, NULL};
}

/// What the three passes of a convolution share.
typedef struct {
    train_net_t *net;
    train_tensor_t src, dst;
    train_param_t *weights;
    prim_memory_desc_t any_weights;
    prim_dim_t strides[2], dilates[2], pad[2];
    prim_desc_t *forward; ///< the hint of the others
} convolution_t;

static void convolve(convolution_t *c)
{
    DO(prim_convolution_forward_desc_create(&c->forward, c->net->engine, PRIM_FORWARD_TRAINING,
            PRIM_CONVOLUTION_DIRECT, md_of(c->src.value), &c->any_weights, NULL,
            md_of(c->dst.value), c->strides, c->dilates, c->pad, c->pad, NULL));
    const prim_memory_desc_t *const wanted =
            prim_desc_query_md(c->forward, PRIM_QUERY_WEIGHTS_MD, 0);
    prim_memory_t *const weights = train_copy_of(c->net, c->weights, wanted);
    prim_desc_t *pd = NULL;
    DO(prim_desc_clone(&pd, c->forward));
    add_forward(c->net, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_SRC, c->src.value}, {PRIM_ARG_WEIGHTS, weights},
                    {PRIM_ARG_DST, c->dst.value}));
}

static void convolve_gradient(convolution_t *c)
{
    prim_desc_t *pd = NULL;
    DO(prim_convolution_backward_data_desc_create(&pd, c->net->engine, PRIM_CONVOLUTION_DIRECT,
            md_of(c->src.gradient), &c->any_weights, md_of(c->dst.gradient), c->strides, c->dilates,
            c->pad, c->pad, c->forward, NULL));
    const prim_memory_desc_t *const wanted = prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
    prim_memory_t *const weights = train_copy_of(c->net, c->weights, wanted);
    train_add(&c->net->backward, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_DIFF_DST, c->dst.gradient}, {PRIM_ARG_WEIGHTS, weights},
                    {PRIM_ARG_DIFF_SRC, c->src.gradient}));
}

static void convolve_weights_gradient(convolution_t *c)
{
    prim_desc_t *pd = NULL;
    DO(prim_convolution_backward_weights_desc_create(&pd, c->net->engine, PRIM_CONVOLUTION_DIRECT,
            md_of(c->src.value), &c->weights->md, NULL, md_of(c->dst.gradient), c->strides,
            c->dilates, c->pad, c->pad, c->forward, NULL));
    train_add(&c->net->backward, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_SRC, c->src.value}, {PRIM_ARG_DIFF_DST, c->dst.gradient},
                    {PRIM_ARG_DIFF_WEIGHTS, c->weights->gradient}));
    train_completes(c->net, c->weights);
}

train_tensor_t train_convolution(train_net_t *net, train_tensor_t src, prim_dim_t out_channels,
        prim_dim_t kernel, prim_dim_t stride)
{
    const prim_dim_t *const in = md_of(src.value)->dims;
    const prim_dim_t pad = kernel / 2;
    const prim_memory_desc_t dst_md = activation_md(net, out_channels,
            (in[2] + 2 * pad - kernel) / stride + 1, (in[3] + 2 * pad - kernel) / stride + 1);
    const prim_dim_t weights[] = {out_channels, in[1], kernel, kernel};
    // He et al. 2015: the variance of what follows a relu stays.
    const float limit = sqrtf(6 / (float)(in[1] * kernel * kernel));
    convolution_t c = {.net = net,
            .src = src,
            .dst = train_tensor(net, &dst_md),
            .weights = train_param(net, 4, weights, 0, limit),
            .strides = {stride, stride},
            .pad = {pad, pad}};
    c.any_weights = any_layout(&c.weights->md, net->type);
    convolve(&c);
    if (src.gradient) convolve_gradient(&c);
    convolve_weights_gradient(&c);
    prim_desc_destroy(c.forward);
    return c.dst;
}

/// What the passes of a batch normalisation share.
typedef struct {
    train_net_t *net;
    train_tensor_t src, dst, residual;
    train_param_t *scale, *shift;
    unsigned flags;
    prim_memory_t *batch[NSTATISTICS], *running[NSTATISTICS];
    prim_memory_t *workspace; ///< where the fused relu was positive, or NULL
    prim_desc_t *forward;
} norm_t;

static void normalize(norm_t *n)
{
    DO(prim_batch_normalization_forward_desc_create(&n->forward, n->net->engine,
            PRIM_FORWARD_TRAINING, md_of(n->src.value), md_of(n->dst.value), EPSILON, n->flags,
            NULL));
    const prim_memory_desc_t *const workspace_md =
            prim_desc_query_md(n->forward, PRIM_QUERY_WORKSPACE_MD, 0);
    if (workspace_md->ndims > 0)
        n->workspace = train_memory(n->net, workspace_md, PRIM_MEMORY_ALLOCATE);
    prim_desc_t *pd = NULL;
    DO(prim_desc_clone(&pd, n->forward));
    train_add(&n->net->forward, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_SRC, n->src.value}, {PRIM_ARG_SRC_1, n->residual.value},
                    {PRIM_ARG_MEAN, n->batch[MEAN]}, {PRIM_ARG_VARIANCE, n->batch[VARIANCE]},
                    {PRIM_ARG_SCALE, n->scale->master}, {PRIM_ARG_SHIFT, n->shift->master},
                    {PRIM_ARG_DST, n->dst.value}, {PRIM_ARG_WORKSPACE, n->workspace}));
}

static void normalize_gradient(norm_t *n)
{
    prim_desc_t *pd = NULL;
    DO(prim_batch_normalization_backward_desc_create(&pd, n->net->engine, PRIM_BACKWARD,
            md_of(n->src.gradient), md_of(n->dst.gradient), md_of(n->src.value), EPSILON, n->flags,
            n->forward, NULL));
    train_add(&n->net->backward, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_SRC, n->src.value}, {PRIM_ARG_MEAN, n->batch[MEAN]},
                    {PRIM_ARG_VARIANCE, n->batch[VARIANCE]}, {PRIM_ARG_SCALE, n->scale->master},
                    {PRIM_ARG_DIFF_DST, n->dst.gradient}, {PRIM_ARG_WORKSPACE, n->workspace},
                    {PRIM_ARG_DIFF_SRC, n->src.gradient},
                    {PRIM_ARG_DIFF_SRC_1, n->residual.gradient},
                    {PRIM_ARG_DIFF_SCALE, n->scale->gradient},
                    {PRIM_ARG_DIFF_SHIFT, n->shift->gradient}));
    train_completes(n->net, n->scale);
}

/// running ← (1 − momentum)·running + momentum·factor·batch
static void follow(norm_t *n, int which, float factor)
{
    const prim_memory_desc_t *const md = md_of(n->batch[which]);
    const float scales[] = {1 - STATISTICS_MOMENTUM, STATISTICS_MOMENTUM * factor};
    prim_desc_t *pd = NULL;
    DO(prim_sum_desc_create(
            &pd, n->net->engine, md, 2, scales, (const prim_memory_desc_t *const[]){md, md}, NULL));
    train_add(&n->net->forward, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_MULTIPLE_SRC, n->running[which]},
                    {PRIM_ARG_MULTIPLE_SRC + 1, n->batch[which]},
                    {PRIM_ARG_DST, n->running[which]}));
}

static void normalize_by_running_statistics(norm_t *n)
{
    prim_desc_t *pd = NULL;
    DO(prim_batch_normalization_forward_desc_create(&pd, n->net->engine, PRIM_FORWARD_INFERENCE,
            md_of(n->src.value), md_of(n->dst.value), EPSILON, n->flags | PRIM_USE_GLOBAL_STATS,
            NULL));
    train_add(&n->net->infer, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_SRC, n->src.value}, {PRIM_ARG_SRC_1, n->residual.value},
                    {PRIM_ARG_MEAN, n->running[MEAN]}, {PRIM_ARG_VARIANCE, n->running[VARIANCE]},
                    {PRIM_ARG_SCALE, n->scale->master}, {PRIM_ARG_SHIFT, n->shift->master},
                    {PRIM_ARG_DST, n->dst.value}));
}

/// Running statistics start as those of a standard normal distribution.
static void make_statistics(norm_t *n, prim_dim_t channels)
{
    for (int which = 0; which < NSTATISTICS; ++which) {
        float *values = NULL;
        n->batch[which] = train_memory(n->net, &n->scale->md, PRIM_MEMORY_ALLOCATE);
        n->running[which] = train_memory(n->net, &n->scale->md, PRIM_MEMORY_ALLOCATE);
        DO(prim_memory_map_data(n->running[which], (void **)&values));
        for (prim_dim_t c = 0; c < channels; ++c) values[c] = which == VARIANCE;
        DO(prim_memory_unmap_data(n->running[which], values));
    }
}

train_tensor_t train_norm(
        train_net_t *net, train_tensor_t src, unsigned fused, train_tensor_t residual)
{
    const prim_memory_desc_t *const md = md_of(src.value);
    const prim_dim_t channels = md->dims[1];
    const float nvalues = (float)(md->dims[0] * md->dims[2] * md->dims[3]);
    norm_t n = {.net = net,
            .src = src,
            .dst = train_tensor(net, md),
            .scale = train_param(net, 1, &channels, 1, 0),
            .shift = train_param(net, 1, &channels, 0, 0),
            .flags = PRIM_USE_SCALE | PRIM_USE_SHIFT | fused};
    if (fused == PRIM_FUSE_NORM_ADD_RELU) n.residual = residual;
    make_statistics(&n, channels);
    normalize(&n);
    follow(&n, MEAN, 1);
    follow(&n, VARIANCE, nvalues / (nvalues - 1)); // unbiased
    normalize_by_running_statistics(&n);
    normalize_gradient(&n);
    prim_desc_destroy(n.forward);
    return n.dst;
}

/// What the passes of a layer or group normalisation share. The tensors of the former are
/// [N, H, W, C], row-major: NHWC as the others see it.
typedef struct {
    train_net_t *net;
    prim_dim_t groups; ///< of channels; 0: layer normalisation
    train_tensor_t src, dst, residual;
    prim_memory_t *summed_gradient; ///< of what the relu sees, or dst.gradient without one
    train_param_t *scale, *shift;
    prim_memory_t *mean, *variance;
    prim_desc_t *forward;
} layer_norm_t;

/// The same buffer with channels as the last dimension.
static prim_memory_t *channels_last(train_net_t *net, prim_memory_t *memory)
{
    static const int order[] = {0, 3, 1, 2};
    prim_memory_desc_t md;
    void *handle = NULL;
    if (!memory) return NULL;
    DO(prim_memory_desc_permute_axes(&md, md_of(memory), order));
    DO(prim_memory_get_data_handle(memory, &handle));
    return train_memory(net, &md, handle);
}

static train_tensor_t both_channels_last(train_net_t *net, train_tensor_t tensor)
{
    return (train_tensor_t){channels_last(net, tensor.value), channels_last(net, tensor.gradient)};
}

/// The residual, if there is one, and the relu, if there is one.
static prim_attr_t *new_epilogue(const prim_memory_t *residual, bool has_relu)
{
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    DO(prim_attr_create(&attr));
    DO(prim_post_ops_create(&post_ops));
    if (residual) DO(prim_post_ops_append_binary(post_ops, PRIM_BINARY_ADD, md_of(residual)));
    if (has_relu) DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    DO(prim_attr_set_post_ops(attr, post_ops));
    prim_post_ops_destroy(post_ops);
    return attr;
}

static void normalize_layer(layer_norm_t *n, bool has_relu)
{
    prim_attr_t *const attr = new_epilogue(n->residual.value, has_relu);
    if (n->groups)
        DO(prim_group_normalization_forward_desc_create(&n->forward, n->net->engine,
                PRIM_FORWARD_TRAINING, md_of(n->src.value), md_of(n->dst.value), n->groups, EPSILON,
                PRIM_USE_SCALE | PRIM_USE_SHIFT, attr));
    else
        DO(prim_layer_normalization_forward_desc_create(&n->forward, n->net->engine,
                PRIM_FORWARD_TRAINING, md_of(n->src.value), md_of(n->dst.value), NULL, PRIM_F32,
                EPSILON, PRIM_USE_SCALE | PRIM_USE_SHIFT, attr));
    prim_attr_destroy(attr);
    const prim_memory_desc_t *const statistics =
            prim_desc_query_md(n->forward, PRIM_QUERY_DST_MD, 1);
    n->mean = train_memory(n->net, statistics, PRIM_MEMORY_ALLOCATE);
    n->variance = train_memory(n->net, statistics, PRIM_MEMORY_ALLOCATE);
    prim_desc_t *pd = NULL;
    DO(prim_desc_clone(&pd, n->forward));
    add_forward(n->net, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_SRC, n->src.value}, {PRIM_ARG_MEAN, n->mean},
                    {PRIM_ARG_VARIANCE, n->variance}, {PRIM_ARG_SCALE, n->scale->master},
                    {PRIM_ARG_SHIFT, n->shift->master}, {PRIM_ARG_DST, n->dst.value},
                    {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, n->residual.value}));
}

static void normalize_layer_gradient(layer_norm_t *n)
{
    prim_desc_t *pd = NULL;
    if (n->groups)
        DO(prim_group_normalization_backward_desc_create(&pd, n->net->engine, PRIM_BACKWARD,
                md_of(n->src.gradient), md_of(n->summed_gradient), md_of(n->src.value), n->groups,
                EPSILON, PRIM_USE_SCALE | PRIM_USE_SHIFT, n->forward, NULL));
    else
        DO(prim_layer_normalization_backward_desc_create(&pd, n->net->engine, PRIM_BACKWARD,
                md_of(n->src.gradient), md_of(n->summed_gradient), md_of(n->src.value), NULL,
                PRIM_F32, PRIM_F32, EPSILON, PRIM_USE_SCALE | PRIM_USE_SHIFT, n->forward, NULL));
    train_add(&n->net->backward, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_SRC, n->src.value}, {PRIM_ARG_MEAN, n->mean},
                    {PRIM_ARG_VARIANCE, n->variance}, {PRIM_ARG_SCALE, n->scale->master},
                    {PRIM_ARG_DIFF_DST, n->summed_gradient}, {PRIM_ARG_DIFF_SRC, n->src.gradient},
                    {PRIM_ARG_DIFF_SCALE, n->scale->gradient},
                    {PRIM_ARG_DIFF_SHIFT, n->shift->gradient}));
    train_completes(n->net, n->scale);
}

static void relu_gradient(layer_norm_t *n)
{
    prim_desc_t *pd = NULL;
    DO(prim_eltwise_backward_desc_create(&pd, n->net->engine, PRIM_ELTWISE_RELU_USE_DST_FOR_BWD,
            md_of(n->summed_gradient), md_of(n->dst.gradient), md_of(n->dst.value), 0, 0, NULL,
            NULL));
    train_add(&n->net->backward, train_primitive(n->net, pd),
            ARGS({PRIM_ARG_DST, n->dst.value}, {PRIM_ARG_DIFF_DST, n->dst.gradient},
                    {PRIM_ARG_DIFF_SRC, n->summed_gradient}));
}

train_tensor_t train_layer_norm(train_net_t *net, train_tensor_t src, prim_dim_t groups,
        bool has_relu, train_tensor_t residual)
{
    const prim_memory_desc_t *const md = md_of(src.value);
    const train_tensor_t dst = train_tensor(net, md);
    layer_norm_t n = {.net = net,
            .groups = groups,
            .src = groups ? src : both_channels_last(net, src),
            .dst = groups ? dst : both_channels_last(net, dst),
            .residual = groups ? residual : both_channels_last(net, residual),
            .scale = train_param(net, 1, &md->dims[1], 1, 0),
            .shift = train_param(net, 1, &md->dims[1], 0, 0)};
    // The residual's gradient is that of the sum.
    n.summed_gradient = n.residual.gradient ? n.residual.gradient : n.dst.gradient;
    normalize_layer(&n, has_relu);
    normalize_layer_gradient(&n);
    if (has_relu) relu_gradient(&n);
    prim_desc_destroy(n.forward);
    return dst;
}

void train_fork(train_net_t *net, train_tensor_t src, train_tensor_t uses[2])
{
    const prim_memory_desc_t *const md = md_of(src.value);
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 2; ++i)
        uses[i] = (train_tensor_t){src.value, train_memory(net, md, PRIM_MEMORY_ALLOCATE)};
    DO(prim_sum_desc_create(&pd, net->engine, md, 2, (const float[]){1, 1},
            (const prim_memory_desc_t *const[]){md, md}, NULL));
    train_add(&net->backward, train_primitive(net, pd),
            ARGS({PRIM_ARG_MULTIPLE_SRC, uses[0].gradient},
                    {PRIM_ARG_MULTIPLE_SRC + 1, uses[1].gradient}, {PRIM_ARG_DST, src.gradient}));
}

/// A window and how it moves, in both dimensions alike.
typedef struct {
    prim_alg_kind_t alg;
    prim_dim_t size[2], strides[2], pad[2];
} pooling_t;

static train_tensor_t pool(train_net_t *net, train_tensor_t src, const pooling_t *p)
{
    const prim_memory_desc_t *const md = md_of(src.value);
    const prim_dim_t none[] = {0, 0};
    const prim_memory_desc_t dst_md = activation_md(net, md->dims[1],
            (md->dims[2] + 2 * p->pad[0] - p->size[0]) / p->strides[0] + 1,
            (md->dims[3] + 2 * p->pad[1] - p->size[1]) / p->strides[1] + 1);
    const train_tensor_t dst = train_tensor(net, &dst_md);
    prim_desc_t *forward = NULL, *pd = NULL;
    DO(prim_pooling_forward_desc_create(&forward, net->engine, PRIM_FORWARD_TRAINING, p->alg, md,
            &dst_md, p->strides, p->size, none, p->pad, p->pad, NULL));
    DO(prim_pooling_backward_desc_create(&pd, net->engine, p->alg, md, &dst_md, p->strides, p->size,
            none, p->pad, p->pad, forward, NULL));
    const prim_memory_desc_t *const workspace_md =
            prim_desc_query_md(forward, PRIM_QUERY_WORKSPACE_MD, 0);
    prim_memory_t *const workspace = // where the maxima were
            workspace_md->ndims > 0 ? train_memory(net, workspace_md, PRIM_MEMORY_ALLOCATE) : NULL;
    add_forward(net, train_primitive(net, forward),
            ARGS({PRIM_ARG_SRC, src.value}, {PRIM_ARG_DST, dst.value},
                    {PRIM_ARG_WORKSPACE, workspace}));
    train_add(&net->backward, train_primitive(net, pd),
            ARGS({PRIM_ARG_DIFF_DST, dst.gradient}, {PRIM_ARG_WORKSPACE, workspace},
                    {PRIM_ARG_DIFF_SRC, src.gradient}));
    return dst;
}

train_tensor_t train_max_pool(train_net_t *net, train_tensor_t src)
{
    return pool(net, src, &(pooling_t){PRIM_POOLING_MAX, {3, 3}, {2, 2}, {1, 1}});
}

train_tensor_t train_global_pool(train_net_t *net, train_tensor_t src)
{
    const prim_dim_t *const size = &md_of(src.value)->dims[2];
    return pool(net, src,
            &(pooling_t){PRIM_POOLING_AVG_EXCLUDE_PADDING, {size[0], size[1]}, {1, 1}, {0, 0}});
}

/// What the passes of a fully connected layer share.
typedef struct {
    train_net_t *net;
    train_tensor_t src, dst;
    train_param_t *weights, *bias;
    prim_memory_desc_t any_weights;
    prim_desc_t *forward;
} connected_t;

static void connect(connected_t *c)
{
    DO(prim_inner_product_forward_desc_create(&c->forward, c->net->engine, PRIM_FORWARD_TRAINING,
            md_of(c->src.value), &c->any_weights, &c->bias->md, md_of(c->dst.value), NULL));
    prim_memory_t *const weights = train_copy_of(
            c->net, c->weights, prim_desc_query_md(c->forward, PRIM_QUERY_WEIGHTS_MD, 0));
    prim_desc_t *pd = NULL;
    DO(prim_desc_clone(&pd, c->forward));
    add_forward(c->net, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_SRC, c->src.value}, {PRIM_ARG_WEIGHTS, weights},
                    {PRIM_ARG_BIAS, c->bias->master}, {PRIM_ARG_DST, c->dst.value}));
}

static void connect_gradients(connected_t *c)
{
    prim_desc_t *pd = NULL;
    DO(prim_inner_product_backward_data_desc_create(&pd, c->net->engine, md_of(c->src.gradient),
            &c->any_weights, md_of(c->dst.gradient), c->forward, NULL));
    prim_memory_t *const weights =
            train_copy_of(c->net, c->weights, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0));
    train_add(&c->net->backward, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_DIFF_DST, c->dst.gradient}, {PRIM_ARG_WEIGHTS, weights},
                    {PRIM_ARG_DIFF_SRC, c->src.gradient}));
    DO(prim_inner_product_backward_weights_desc_create(&pd, c->net->engine, md_of(c->src.value),
            &c->weights->md, &c->bias->md, md_of(c->dst.gradient), c->forward, NULL));
    train_add(&c->net->backward, train_primitive(c->net, pd),
            ARGS({PRIM_ARG_SRC, c->src.value}, {PRIM_ARG_DIFF_DST, c->dst.gradient},
                    {PRIM_ARG_DIFF_WEIGHTS, c->weights->gradient},
                    {PRIM_ARG_DIFF_BIAS, c->bias->gradient}));
    train_completes(c->net, c->weights);
}

train_tensor_t train_fully_connected(train_net_t *net, train_tensor_t src, prim_dim_t outputs)
{
    const prim_dim_t channels = md_of(src.value)->dims[1];
    const prim_dim_t weights[] = {outputs, channels, 1, 1};
    prim_memory_desc_t dst_md;
    DO(prim_memory_desc_init_by_tag(
            &dst_md, 2, (const prim_dim_t[]){net->batch, outputs}, PRIM_F32, PRIM_ab));
    connected_t c = {.net = net,
            .src = src,
            .dst = train_tensor(net, &dst_md),
            .weights = train_param(net, 4, weights, 0, 1 / sqrtf((float)channels)),
            .bias = train_param(net, 1, &outputs, 0, 0)};
    c.any_weights = any_layout(&c.weights->md, net->type);
    connect(&c);
    connect_gradients(&c);
    prim_desc_destroy(c.forward);
    return c.dst;
}

void train_loss(train_net_t *net, train_tensor_t logits)
{
    const prim_memory_desc_t *const md = md_of(logits.value);
    prim_desc_t *forward = NULL, *pd = NULL;
    net->log_probs = train_memory(net, md, PRIM_MEMORY_NONE);
    net->target = train_memory(net, md, PRIM_MEMORY_NONE);
    DO(prim_softmax_forward_desc_create(
            &forward, net->engine, PRIM_FORWARD_TRAINING, PRIM_SOFTMAX_LOG, md, md, 1, NULL));
    DO(prim_softmax_backward_desc_create(
            &pd, net->engine, PRIM_SOFTMAX_LOG, md, md, md, 1, forward, NULL));
    add_forward(net, train_primitive(net, forward),
            ARGS({PRIM_ARG_SRC, logits.value}, {PRIM_ARG_DST, net->log_probs}));
    train_add(&net->backward, train_primitive(net, pd),
            ARGS({PRIM_ARG_DST, net->log_probs}, {PRIM_ARG_DIFF_DST, net->target},
                    {PRIM_ARG_DIFF_SRC, logits.gradient}));
}
