// SPDX-License-Identifier: Apache-2.0
// Networks from primitives; see net.h.
#include "net.h"
#include "net_plan.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 512, MAX_ARGS = 6 };

typedef struct {
    prim_t *primitive;
    int nargs;
    prim_arg_t args[MAX_ARGS];
} step_t;

struct net {
    prim_engine_t *engine;
    prim_stream_t *stream;
    unsigned seed;
    bool folds_norm;
    int nsteps, nmemories;
    step_t steps[MAX_STEPS];
    prim_memory_t *memories[4 * MAX_STEPS];
    int noutputs;
    prim_memory_t *outputs[MAX_STEPS]; ///< what steps write, without buffers until net_allocate()
    net_lifetime_t lifetimes[MAX_STEPS];
    size_t activation_bytes, weight_bytes, live_bytes;
    double square_units; ///< of the expected rounding error, in units of 2^-24, squared
};

net_t *net_create(prim_engine_t *engine, unsigned seed, bool folds_norm)
{
    net_t *const net = calloc(1, sizeof *net);
    if (!net) exit(1);
    net->engine = engine;
    net->seed = seed;
    net->folds_norm = folds_norm;
    DO(prim_stream_create(&net->stream, engine, PRIM_STREAM_IN_ORDER));
    return net;
}

void net_destroy(net_t *net)
{
    for (int i = 0; i < net->nsteps; ++i) prim_destroy(net->steps[i].primitive);
    for (int i = 0; i < net->nmemories; ++i) prim_memory_destroy(net->memories[i]);
    prim_stream_destroy(net->stream);
    free(net);
}

/// Uniform in [-1, 1); a linear congruential generator (Numerical Recipes).
static float draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-23f - 1;
}

static prim_memory_t *add_memory(net_t *net, const prim_memory_desc_t *md, void *handle)
{
    if (net->nmemories == 4 * MAX_STEPS) exit(1);
    prim_memory_t *memory = NULL;
    DO(prim_memory_create(&memory, md, net->engine, handle));
    return net->memories[net->nmemories++] = memory;
}

static void execute(net_t *net, const step_t *step)
{
    DO(prim_execute(step->primitive, net->stream, step->nargs, step->args));
}

static step_t *add_step(net_t *net, prim_desc_t *pd)
{
    if (net->nsteps == MAX_STEPS) exit(1);
    step_t *const step = &net->steps[net->nsteps++];
    DO(prim_create(&step->primitive, pd));
    return step;
}

static void set_arg(step_t *step, int arg, prim_memory_t *memory)
{
    if (step->nargs == MAX_ARGS) exit(1);
    step->args[step->nargs++] = (prim_arg_t){arg, memory};
}

static prim_memory_t *add_output(net_t *net, const prim_desc_t *pd, step_t *step)
{
    const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    prim_memory_t *const dst = add_memory(net, md, PRIM_MEMORY_NONE);
    const size_t bytes = prim_memory_desc_get_size(md);
    const int index = (int)(step - net->steps);
    if (net->noutputs == MAX_STEPS) exit(1);
    net->lifetimes[net->noutputs] = (net_lifetime_t){bytes, index, index, 0};
    net->outputs[net->noutputs++] = dst;
    net->activation_bytes += bytes;
    set_arg(step, PRIM_ARG_DST, dst);
    return dst;
}

/// The tensor in the layout `md`: itself, or through a reorder that becomes a step.
static prim_memory_t *in_layout(net_t *net, prim_memory_t *from, const prim_memory_desc_t *md)
{
    if (prim_memory_desc_equal(prim_memory_get_desc(from), md)) return from;
    prim_desc_t *pd = NULL;
    DO(prim_reorder_desc_create(
            &pd, prim_memory_get_desc(from), net->engine, md, net->engine, NULL));
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_FROM, from);
    prim_memory_t *const to = add_output(net, pd, step);
    prim_desc_destroy(pd);
    return to;
}

/// Not a step: at once, and waited for.
static void reorder_once(net_t *net, prim_memory_t *from, prim_memory_t *to)
{
    prim_desc_t *pd = NULL;
    prim_t *reorder = NULL;
    DO(prim_reorder_desc_create(&pd, prim_memory_get_desc(from), net->engine,
            prim_memory_get_desc(to), net->engine, NULL));
    DO(prim_create(&reorder, pd));
    const prim_arg_t args[] = {{PRIM_ARG_FROM, from}, {PRIM_ARG_TO, to}};
    DO(prim_execute(reorder, net->stream, 2, args));
    DO(prim_stream_wait(net->stream));
    prim_destroy(reorder);
    prim_desc_destroy(pd);
}

/// Parameters: `fill` writes the row-major values, which are then moved to the layout `md` once.
static prim_memory_t *parameters(net_t *net, const prim_memory_desc_t *md,
        void (*fill)(float *values, prim_dim_t n, double scale, unsigned *seed), double scale)
{
    prim_memory_desc_t plain;
    DO(prim_memory_desc_init_by_strides(&plain, md->ndims, md->dims, PRIM_F32, NULL));
    prim_memory_t *const staging = add_memory(net, &plain, PRIM_MEMORY_ALLOCATE);
    void *bytes = NULL;
    DO(prim_memory_map_data(staging, &bytes));
    fill(bytes, (prim_dim_t)(prim_memory_desc_get_size(&plain) / sizeof(float)), scale, &net->seed);
    DO(prim_memory_unmap_data(staging, bytes));
    prim_memory_t *packed = staging;
    if (!prim_memory_desc_equal(&plain, md)) {
        packed = add_memory(net, md, PRIM_MEMORY_ALLOCATE);
        reorder_once(net, staging, packed);
        for (int i = 0; i < net->nmemories; ++i)
            if (net->memories[i] == staging) net->memories[i] = net->memories[--net->nmemories];
        prim_memory_destroy(staging);
    }
    net->weight_bytes += prim_memory_desc_get_size(md);
    return packed;
}

static void fill_uniform(float *values, prim_dim_t n, double scale, unsigned *seed)
{
    for (prim_dim_t i = 0; i < n; ++i) values[i] = (float)scale * draw(seed);
}

/// Variances and scales: positive.
static void fill_positive(float *values, prim_dim_t n, double scale, unsigned *seed)
{
    for (prim_dim_t i = 0; i < n; ++i) values[i] = (float)scale * (1 + 0.25f * draw(seed));
}

net_tensor_t net_input(net_t *net, prim_dim_t n, prim_dim_t c, prim_dim_t h, prim_dim_t w)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, 4, (const prim_dim_t[]){n, c, h, w}, PRIM_F32, PRIM_NCHW));
    const size_t weight_bytes = net->weight_bytes;
    prim_memory_t *const memory = parameters(net, &md, fill_uniform, 1);
    net->weight_bytes = weight_bytes;
    net->activation_bytes += prim_memory_desc_get_size(&md);
    net->live_bytes += prim_memory_desc_get_size(&md); // inputs stay
    return (net_tensor_t){memory};
}

static void any_layout(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims)
{
    DO(prim_memory_desc_init_by_tag(md, ndims, dims, PRIM_F32, PRIM_FORMAT_ANY));
}

static void append_activation(prim_post_ops_t *post_ops, net_activation_t activation)
{
    if (activation == NET_RELU) DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    if (activation == NET_RELU6)
        DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_CLIP_V2, 0, 6));
}

/// Residual and activation as a post-op chain. NULL when there is nothing to fuse.
static prim_attr_t *fused(net_activation_t activation, net_tensor_t residual)
{
    if (activation == NET_LINEAR && !residual.memory) return NULL;
    prim_post_ops_t *post_ops = NULL;
    prim_attr_t *attr = NULL;
    DO(prim_post_ops_create(&post_ops));
    if (residual.memory)
        DO(prim_post_ops_append_binary(
                post_ops, PRIM_BINARY_ADD, prim_memory_get_desc(residual.memory)));
    append_activation(post_ops, activation);
    DO(prim_attr_create(&attr));
    DO(prim_attr_set_post_ops(attr, post_ops));
    prim_post_ops_destroy(post_ops);
    return attr;
}

/// Batch normalisation of its own, with seeded statistics, then residual and activation.
/// The mean square of one rounding, in units of 2^-24 (derived in doc/numerics.md, as is the rest).
static const double square_rounding = 0.54 / 3;

/// A sum of K products of random signs has K/2 roundings of its own variance, and some 4 follow.
/// Winograd's transforms multiply that by 10.8² and add 12. Of a sum with a residual of the same
/// norm, half comes from here.
static void add_roundings(net_t *net, const prim_desc_t *pd, double k, bool has_residual)
{
    const char *name = NULL;
    DO(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name));
    const bool is_winograd = strstr(name, "winograd") != NULL;
    const double roundings = is_winograd ? 10.8 * 10.8 * (k / 9 / 2 + 16) : k / 2 + 4;
    net->square_units += square_rounding * roundings * (has_residual ? 0.5 : 1);
}

static net_tensor_t normalise(
        net_t *net, net_tensor_t src, net_activation_t activation, net_tensor_t residual)
{
    const prim_memory_desc_t *const md = prim_memory_get_desc(src.memory);
    const bool fuses_relu = activation == NET_RELU && !residual.memory;
    prim_desc_t *pd = NULL;
    DO(prim_batch_normalization_forward_desc_create(&pd, net->engine, PRIM_FORWARD_INFERENCE, md,
            md, 1e-5f,
            PRIM_USE_GLOBAL_STATS | PRIM_USE_SCALE | PRIM_USE_SHIFT |
                    (fuses_relu ? PRIM_FUSE_NORM_RELU : 0),
            NULL));
    prim_memory_desc_t channels;
    DO(prim_memory_desc_init_by_tag(&channels, 1, &md->dims[1], PRIM_F32, PRIM_X));
    prim_memory_t *const scale = parameters(net, &channels, fill_positive, 1);
    prim_memory_t *const shift = parameters(net, &channels, fill_uniform, 0.1);
    prim_memory_t *const mean = parameters(net, &channels, fill_uniform, 0.1);
    prim_memory_t *const variance = parameters(net, &channels, fill_positive, 1);
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, src.memory);
    set_arg(step, PRIM_ARG_SCALE, scale);
    set_arg(step, PRIM_ARG_SHIFT, shift);
    set_arg(step, PRIM_ARG_MEAN, mean);
    set_arg(step, PRIM_ARG_VARIANCE, variance);
    set_arg(step, PRIM_ARG_DST, src.memory);
    net->square_units += square_rounding * 12;
    prim_desc_destroy(pd);
    if (fuses_relu || (activation == NET_LINEAR && !residual.memory)) return src;

    if (residual.memory) {
        const net_tensor_t none = {NULL};
        prim_attr_t *const attr = fused(activation, none);
        DO(prim_binary_desc_create(&pd, net->engine, PRIM_BINARY_ADD, md,
                prim_memory_get_desc(residual.memory), NULL, md, attr));
        step_t *const add = add_step(net, pd);
        set_arg(add, PRIM_ARG_SRC_0, src.memory);
        set_arg(add, PRIM_ARG_SRC_1, residual.memory);
        set_arg(add, PRIM_ARG_DST, src.memory);
        prim_attr_destroy(attr);
    } else {
        DO(prim_eltwise_forward_desc_create(&pd, net->engine, PRIM_FORWARD_INFERENCE,
                activation == NET_RELU ? PRIM_ELTWISE_RELU : PRIM_ELTWISE_CLIP_V2, md, md, 0,
                activation == NET_RELU ? 0 : 6, NULL));
        step_t *const clip = add_step(net, pd);
        set_arg(clip, PRIM_ARG_SRC, src.memory);
        set_arg(clip, PRIM_ARG_DST, src.memory);
    }
    prim_desc_destroy(pd);
    return src;
}

net_tensor_t net_convolution(net_t *net, net_tensor_t src, prim_dim_t out_channels,
        prim_dim_t kernel, prim_dim_t stride, prim_dim_t pad, prim_dim_t groups,
        net_activation_t activation, net_tensor_t residual)
{
    const prim_dim_t *const in = prim_memory_get_desc(src.memory)->dims;
    const prim_dim_t oh = (in[2] + 2 * pad - kernel) / stride + 1;
    const prim_dim_t ow = (in[3] + 2 * pad - kernel) / stride + 1;
    const prim_dim_t grouped[] = {groups, out_channels / groups, in[1] / groups, kernel, kernel};
    prim_memory_desc_t src_md, wei_md, bia_md, dst_md;
    any_layout(&src_md, 4, in);
    any_layout(&wei_md, groups > 1 ? 5 : 4, groups > 1 ? grouped : grouped + 1);
    any_layout(&bia_md, 1, &out_channels);
    any_layout(&dst_md, 4, (const prim_dim_t[]){in[0], out_channels, oh, ow});

    const net_tensor_t none = {NULL};
    prim_attr_t *const attr =
            net->folds_norm ? fused(activation, residual) : fused(NET_LINEAR, none);
    prim_desc_t *pd = NULL;
    DO(prim_convolution_forward_desc_create(&pd, net->engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_AUTO, &src_md, &wei_md, &bia_md, &dst_md,
            (const prim_dim_t[]){stride, stride}, NULL, (const prim_dim_t[]){pad, pad}, NULL,
            attr));
    // Uniform in ±s has variance s²/3: s = √(3·gain/K) keeps the norm, gain 2 makes up for the
    // ReLU.
    const double k = (double)(grouped[2] * kernel * kernel);
    const double gain = activation == NET_LINEAR ? 1 : 2;
    prim_memory_t *const from =
            in_layout(net, src.memory, prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0));
    prim_memory_t *const wei = parameters(net, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0),
            fill_uniform, sqrt(3 * gain / k));
    prim_memory_t *const bia =
            parameters(net, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), fill_uniform, 0.1);
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, from);
    set_arg(step, PRIM_ARG_WEIGHTS, wei);
    set_arg(step, PRIM_ARG_BIAS, bia);
    if (attr && residual.memory)
        set_arg(step, PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, residual.memory);
    const net_tensor_t dst = {add_output(net, pd, step)};
    add_roundings(net, pd, k, residual.memory != NULL);
    prim_attr_destroy(attr);
    prim_desc_destroy(pd);
    return net->folds_norm ? dst : normalise(net, dst, activation, residual);
}

net_tensor_t net_pool(net_t *net, net_tensor_t src, prim_alg_kind_t alg, prim_dim_t kernel,
        prim_dim_t stride, prim_dim_t pad)
{
    const prim_memory_desc_t *const src_md = prim_memory_get_desc(src.memory);
    const prim_dim_t *const in = src_md->dims;
    prim_memory_desc_t dst_md;
    any_layout(&dst_md, 4,
            (const prim_dim_t[]){in[0], in[1], (in[2] + 2 * pad - kernel) / stride + 1,
                    (in[3] + 2 * pad - kernel) / stride + 1});
    prim_desc_t *pd = NULL;
    DO(prim_pooling_forward_desc_create(&pd, net->engine, PRIM_FORWARD_INFERENCE, alg, src_md,
            &dst_md, (const prim_dim_t[]){stride, stride}, (const prim_dim_t[]){kernel, kernel},
            NULL, (const prim_dim_t[]){pad, pad}, NULL, NULL));
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, src.memory);
    const net_tensor_t dst = {add_output(net, pd, step)};
    prim_desc_destroy(pd);
    return dst;
}

net_tensor_t net_global_pool(net_t *net, net_tensor_t src)
{
    const prim_dim_t size = prim_memory_get_desc(src.memory)->dims[2];
    net->square_units += square_rounding * ((double)(size * size) / 2 + 4);
    return net_pool(net, src, PRIM_POOLING_AVG_EXCLUDE_PADDING, size, 1, 0);
}

net_tensor_t net_upsample(net_t *net, net_tensor_t src)
{
    const prim_memory_desc_t *const src_md = prim_memory_get_desc(src.memory);
    const prim_dim_t *const in = src_md->dims;
    prim_memory_desc_t dst_md;
    any_layout(&dst_md, 4, (const prim_dim_t[]){in[0], in[1], 2 * in[2], 2 * in[3]});
    prim_desc_t *pd = NULL;
    DO(prim_resampling_forward_desc_create(&pd, net->engine, PRIM_FORWARD_INFERENCE,
            PRIM_RESAMPLING_LINEAR, NULL, src_md, &dst_md, NULL));
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, src.memory);
    const net_tensor_t dst = {add_output(net, pd, step)};
    prim_desc_destroy(pd);
    return dst;
}

net_tensor_t net_concat(net_t *net, net_tensor_t a, net_tensor_t b)
{
    const prim_memory_desc_t *const mds[] = {
            prim_memory_get_desc(a.memory), prim_memory_get_desc(b.memory)};
    prim_desc_t *pd = NULL;
    DO(prim_concat_desc_create(&pd, net->engine, NULL, 2, 1, mds, NULL));
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_MULTIPLE_SRC, a.memory);
    set_arg(step, PRIM_ARG_MULTIPLE_SRC + 1, b.memory);
    const net_tensor_t dst = {add_output(net, pd, step)};
    prim_desc_destroy(pd);
    return dst;
}

net_tensor_t net_fully_connected(net_t *net, net_tensor_t src, prim_dim_t out_channels)
{
    const prim_memory_desc_t *const in = prim_memory_get_desc(src.memory);
    prim_memory_desc_t src_md, wei_md, bia_md, dst_md;
    prim_dims_t wei_dims;
    memcpy(wei_dims, in->dims, sizeof wei_dims);
    wei_dims[0] = out_channels;
    any_layout(&src_md, in->ndims, in->dims);
    any_layout(&wei_md, in->ndims, wei_dims);
    any_layout(&bia_md, 1, &out_channels);
    any_layout(&dst_md, 2, (const prim_dim_t[]){in->dims[0], out_channels});
    prim_desc_t *pd = NULL;
    DO(prim_inner_product_forward_desc_create(
            &pd, net->engine, PRIM_FORWARD_INFERENCE, &src_md, &wei_md, &bia_md, &dst_md, NULL));
    double k = 1;
    for (int d = 1; d < in->ndims; ++d) k *= (double)in->dims[d];
    prim_memory_t *const from =
            in_layout(net, src.memory, prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0));
    prim_memory_t *const wei = parameters(
            net, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0), fill_uniform, sqrt(3 / k));
    prim_memory_t *const bia =
            parameters(net, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), fill_uniform, 0.1);
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, from);
    set_arg(step, PRIM_ARG_WEIGHTS, wei);
    set_arg(step, PRIM_ARG_BIAS, bia);
    const net_tensor_t dst = {add_output(net, pd, step)};
    add_roundings(net, pd, k, false);
    prim_desc_destroy(pd);
    return dst;
}

net_tensor_t net_softmax(net_t *net, net_tensor_t src)
{
    const prim_memory_desc_t *const md = prim_memory_get_desc(src.memory);
    prim_desc_t *pd = NULL;
    DO(prim_softmax_forward_desc_create(
            &pd, net->engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, md, md, 1, NULL));
    step_t *const step = add_step(net, pd);
    set_arg(step, PRIM_ARG_SRC, src.memory);
    const net_tensor_t dst = {add_output(net, pd, step)};
    prim_desc_destroy(pd);
    return dst;
}

static void find_last_uses(net_t *net, net_tensor_t output)
{
    for (int i = 0; i < net->noutputs; ++i) {
        for (int s = 0; s < net->nsteps; ++s)
            for (int a = 0; a < net->steps[s].nargs; ++a)
                if (net->steps[s].args[a].memory == net->outputs[i]) net->lifetimes[i].last = s;
        if (net->outputs[i] == output.memory) net->lifetimes[i].last = net->nsteps;
    }
}

void net_allocate(net_t *net, net_tensor_t output)
{
    size_t bytes[MAX_STEPS];
    void *handles[MAX_STEPS];
    find_last_uses(net, output);
    const int nbuffers = net_plan(net->lifetimes, net->noutputs, bytes);
    for (int b = 0; b < nbuffers; ++b) {
        prim_memory_desc_t md;
        DO(prim_memory_desc_init_by_tag(
                &md, 1, (const prim_dim_t[]){(prim_dim_t)bytes[b]}, PRIM_U8, PRIM_X));
        prim_memory_t *const buffer = add_memory(net, &md, PRIM_MEMORY_ALLOCATE);
        DO(prim_memory_get_data_handle(buffer, &handles[b]));
    }
    for (int i = 0; i < net->noutputs; ++i)
        DO(prim_memory_set_data_handle(net->outputs[i], handles[net->lifetimes[i].buffer]));
    net->live_bytes += net_plan_live_bytes(net->lifetimes, net->noutputs, net->nsteps);
}

void net_submit(net_t *net)
{
    for (int i = 0; i < net->nsteps; ++i) execute(net, &net->steps[i]);
}

prim_stream_t *net_stream(const net_t *net)
{
    return net->stream;
}

void net_run(net_t *net)
{
    net_submit(net);
    DO(prim_stream_wait(net->stream));
}

int net_nprimitives(const net_t *net)
{
    return net->nsteps;
}

size_t net_activation_bytes(const net_t *net)
{
    return net->activation_bytes;
}

size_t net_live_bytes(const net_t *net)
{
    return net->live_bytes;
}

size_t net_weight_bytes(const net_t *net)
{
    return net->weight_bytes;
}

double net_expected_error(const net_t *net)
{
    return 0x1p-24 * sqrt(net->square_units);
}

void net_read(net_t *net, net_tensor_t tensor, float *values, size_t nelems)
{
    const prim_memory_desc_t *const md = prim_memory_get_desc(tensor.memory);
    prim_memory_desc_t plain;
    DO(prim_memory_desc_init_by_strides(&plain, md->ndims, md->dims, PRIM_F32, NULL));
    if (prim_memory_desc_get_size(&plain) != nelems * sizeof *values) exit(1);
    prim_memory_t *row_major = tensor.memory;
    if (!prim_memory_desc_equal(md, &plain)) {
        row_major = add_memory(net, &plain, PRIM_MEMORY_ALLOCATE);
        reorder_once(net, tensor.memory, row_major);
    }
    void *bytes = NULL;
    DO(prim_memory_map_data(row_major, &bytes));
    memcpy(values, bytes, nelems * sizeof *values);
    DO(prim_memory_unmap_data(row_major, bytes));
}
