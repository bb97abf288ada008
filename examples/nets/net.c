// SPDX-License-Identifier: Apache-2.0
// Networks as graphs; see net.h.
#include "net.h"

#include <math.h>
#include <string.h>

enum { MAX_BOUND = 4, MAX_SUMS = 128 };

/// A sum of `k` products somewhere in the network, for the expected error.
typedef struct {
    graph_value_t value; ///< that its primitive computes
    double k;
    bool has_residual;
} net_sum_t;

struct net {
    prim_engine_t *engine;
    prim_stream_t *stream;
    graph_t *graph;
    prim_data_type_t type;
    unsigned seed;
    bool folds_norm;
    int nbound, nsums;
    graph_value_t bound[MAX_BOUND];
    prim_memory_t *memories[MAX_BOUND]; ///< of the inputs and outputs
    net_sum_t sums[MAX_SUMS];
    size_t bound_bytes;
    double square_units; ///< of the expected rounding error, in units of the type's last place,
                         ///< squared
};

net_t *net_create(prim_engine_t *engine, prim_data_type_t type, unsigned seed, bool folds_norm)
{
    net_t *const net = calloc(1, sizeof *net);
    if (!net) exit(1);
    net->engine = engine;
    net->type = type;
    net->seed = seed;
    net->folds_norm = folds_norm;
    DO(prim_stream_create(&net->stream, engine, PRIM_STREAM_IN_ORDER));
    DO(graph_create(&net->graph, engine));
    return net;
}

void net_destroy(net_t *net)
{
    graph_destroy(net->graph);
    for (int i = 0; i < net->nbound; ++i) prim_memory_destroy(net->memories[i]);
    prim_stream_destroy(net->stream);
    free(net);
}

const prim_dim_t *net_dims(const net_t *net, net_tensor_t tensor)
{
    return graph_dims(net->graph, tensor.value);
}

/// Uniform in [-1, 1); a linear congruential generator (Numerical Recipes).
static float draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-23f - 1;
}

/// `n` values, uniform in ±`scale` or, of those that have to be positive, around it; the caller
/// frees them.
static float *draw_values(net_t *net, size_t n, double scale, bool is_positive)
{
    float *const values = malloc(n * sizeof *values);
    if (!values) exit(1);
    for (size_t i = 0; i < n; ++i) {
        const float x = draw(&net->seed);
        values[i] = (float)scale * (is_positive ? 1 + 0.25f * x : x);
    }
    return values;
}

static size_t nelems(int ndims, const prim_dim_t *dims)
{
    size_t n = 1;
    for (int d = 0; d < ndims; ++d) n *= (size_t)dims[d];
    return n;
}

/// Seeded f32 parameters.
static graph_value_t parameters(
        net_t *net, int ndims, const prim_dim_t *dims, double scale, bool is_positive)
{
    float *const values = draw_values(net, nelems(ndims, dims), scale, is_positive);
    const graph_value_t value = graph_constant(net->graph, ndims, dims, PRIM_F32, values);
    free(values);
    return value;
}

/// Seeded weights or biases, in the type of the network.
static graph_value_t weights_of(net_t *net, int ndims, const prim_dim_t *dims, double scale)
{
    return graph_convert(net->graph, parameters(net, ndims, dims, scale, false), net->type);
}

/// A buffer for an input or output; it is bound once the graph is compiled.
static prim_memory_t *add_buffer(net_t *net, graph_value_t value)
{
    if (net->nbound == MAX_BOUND) exit(1);
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    DO(prim_memory_desc_init_by_strides(
            &md, graph_ndims(net->graph, value), graph_dims(net->graph, value), PRIM_F32, NULL));
    DO(prim_memory_create(&memory, &md, net->engine, PRIM_MEMORY_ALLOCATE));
    net->bound[net->nbound] = value;
    net->memories[net->nbound++] = memory;
    net->bound_bytes += prim_memory_desc_get_size(&md);
    return memory;
}

net_tensor_t net_input(net_t *net, int ndims, const prim_dim_t *dims)
{
    const graph_value_t input = graph_input(net->graph, ndims, dims, PRIM_F32);
    const size_t n = nelems(ndims, dims);
    float *const values = draw_values(net, n, 1, false);
    DO(prim_memory_write(add_buffer(net, input), values, n * sizeof *values, 0));
    free(values);
    return (net_tensor_t){graph_convert(net->graph, input, net->type)};
}

/// The residual is added, then the activation follows.
static net_tensor_t finish(
        net_t *net, net_tensor_t x, net_activation_t activation, net_tensor_t residual)
{
    if (residual.value >= 0)
        x.value = graph_binary(net->graph, PRIM_BINARY_ADD, x.value, residual.value);
    if (activation == NET_RELU)
        x.value = graph_eltwise(net->graph, x.value, PRIM_ELTWISE_RELU, 0, 0);
    if (activation == NET_RELU6)
        x.value = graph_eltwise(net->graph, x.value, PRIM_ELTWISE_CLIP_V2, 0, 6);
    return x;
}

/// The mean square of one rounding, in units of the last place (derived in doc/numerics.md, as is
/// the rest).
static const double square_rounding = 0.54 / 3;

static void add_sum(net_t *net, net_tensor_t tensor, double k, bool has_residual)
{
    if (net->nsums == MAX_SUMS) exit(1);
    net->sums[net->nsums++] = (net_sum_t){tensor.value, k, has_residual};
}

/// A sum of K products of random signs has K/2 roundings of its own variance, and some 4 follow.
/// Winograd's transforms multiply that by 10.8² and add 12. Of a sum with a residual of the same
/// norm, half comes from here. In 16 bits the roundings of tensors outweigh those inside: of the
/// weights, once more where a norm is folded into them, and of the result.
static double sum_square_units(const net_t *net, const net_sum_t *sum)
{
    if (net->type != PRIM_F32) return square_rounding * (net->folds_norm ? 3 : 2);
    const char *name = NULL;
    graph_value_t value = GRAPH_ABSENT;
    for (int i = 0; value != sum->value && (name = graph_impl_name(net->graph, i, &value)); ++i) {
    }
    const bool is_winograd = name && strstr(name, "winograd");
    const double roundings = is_winograd ? 10.8 * 10.8 * (sum->k / 9 / 2 + 16) : sum->k / 2 + 4;
    return square_rounding * roundings * (sum->has_residual ? 0.5 : 1);
}

/// Batch normalisation with seeded statistics.
static net_tensor_t normalise(net_t *net, net_tensor_t src)
{
    const prim_dim_t *const channels = &net_dims(net, src)[1];
    const graph_value_t scale = parameters(net, 1, channels, 1, true);
    const graph_value_t shift = parameters(net, 1, channels, 0.1, false);
    const graph_value_t mean = parameters(net, 1, channels, 0.1, false);
    const graph_value_t variance = parameters(net, 1, channels, 1, true);
    net->square_units += square_rounding * 12;
    return (net_tensor_t){
            graph_batch_norm(net->graph, src.value, scale, shift, mean, variance, 1e-5f)};
}

net_tensor_t net_convolution(net_t *net, net_tensor_t src, prim_dim_t out_channels,
        prim_dim_t kernel, prim_dim_t stride, prim_dim_t pad, prim_dim_t groups,
        net_activation_t activation, net_tensor_t residual)
{
    const prim_dim_t channels = net_dims(net, src)[1];
    const prim_dim_t wei[] = {groups, out_channels / groups, channels / groups, kernel, kernel};
    const bool is_grouped = groups > 1;
    const graph_window_t window = {{stride, stride}, {0}, {pad, pad}, {pad, pad}};
    // Uniform in ±s has variance s²/3: s = √(3·gain/K) keeps the norm, gain 2 makes up for the
    // ReLU.
    const double k = (double)(wei[2] * kernel * kernel);
    const double gain = activation == NET_LINEAR ? 1 : 2;
    const graph_value_t weights =
            weights_of(net, is_grouped ? 5 : 4, is_grouped ? wei : wei + 1, sqrt(3 * gain / k));
    const graph_value_t bias = weights_of(net, 1, &out_channels, 0.1);
    const net_tensor_t sum = {graph_conv(net->graph, src.value, weights, bias, &window)};
    const bool has_residual = residual.value >= 0;
    if (!net->folds_norm) {
        add_sum(net, sum, k, has_residual);
        return finish(net, normalise(net, sum), activation, residual);
    }
    const net_tensor_t dst = finish(net, sum, activation, residual);
    add_sum(net, dst, k, has_residual);
    return dst;
}

net_tensor_t net_pool(net_t *net, net_tensor_t src, prim_alg_kind_t alg, prim_dim_t kernel,
        prim_dim_t stride, prim_dim_t pad)
{
    const prim_dim_t size[] = {kernel, kernel};
    const graph_window_t window = {{stride, stride}, {0}, {pad, pad}, {pad, pad}};
    return (net_tensor_t){graph_pool(net->graph, src.value, alg, size, &window)};
}

net_tensor_t net_global_pool(net_t *net, net_tensor_t src)
{
    const prim_dim_t size = net_dims(net, src)[2];
    net->square_units += square_rounding * ((double)(size * size) / 2 + 4);
    return net_pool(net, src, PRIM_POOLING_AVG_EXCLUDE_PADDING, size, 1, 0);
}

net_tensor_t net_upsample(net_t *net, net_tensor_t src)
{
    const prim_dim_t *const in = net_dims(net, src);
    const prim_dim_t size[] = {2 * in[2], 2 * in[3]};
    return (net_tensor_t){graph_resampling(net->graph, src.value, PRIM_RESAMPLING_LINEAR, size)};
}

net_tensor_t net_concat(net_t *net, net_tensor_t a, net_tensor_t b)
{
    const graph_value_t values[] = {a.value, b.value};
    return (net_tensor_t){graph_concat(net->graph, 2, values, 1)};
}

net_tensor_t net_fully_connected(net_t *net, net_tensor_t src, prim_dim_t out_channels)
{
    const int ndims = graph_ndims(net->graph, src.value);
    prim_dims_t wei;
    memcpy(wei, net_dims(net, src), (size_t)ndims * sizeof *wei);
    wei[0] = out_channels;
    const double k = (double)nelems(ndims - 1, wei + 1);
    const graph_value_t weights = weights_of(net, ndims, wei, sqrt(3 / k));
    const graph_value_t bias = weights_of(net, 1, &out_channels, 0.1);
    const net_tensor_t dst = {graph_inner_product(net->graph, src.value, weights, bias)};
    add_sum(net, dst, k, false);
    return dst;
}

net_tensor_t net_softmax(net_t *net, net_tensor_t src)
{
    return (net_tensor_t){graph_softmax(net->graph, src.value, PRIM_SOFTMAX_ACCURATE, 1)};
}

/// src [N, S, K] by seeded weights [K, outputs], with bias.
static graph_value_t linear(net_t *net, graph_value_t src, prim_dim_t outputs)
{
    const prim_dim_t k = graph_dims(net->graph, src)[2];
    const graph_value_t weights =
            weights_of(net, 2, (const prim_dim_t[]){k, outputs}, sqrt(3 / (double)k));
    const graph_value_t bias = weights_of(net, 1, &outputs, 0.1);
    const net_tensor_t dst = {graph_matmul(net->graph, src, weights, bias)};
    add_sum(net, dst, (double)k, false);
    return dst.value;
}

/// Part `index` of [N, S, nparts·K] as [N, heads, S, K/heads], or [N, heads, K/heads, S].
static graph_value_t head_of(
        graph_t *graph, graph_value_t parts, prim_dim_t k, int index, prim_dim_t heads, bool is_key)
{
    const prim_dim_t *const in = graph_dims(graph, parts);
    const prim_dim_t n = in[0], s = in[1];
    const graph_value_t part = graph_slice(
            graph, parts, (const prim_dim_t[]){0, 0, index * k}, (const prim_dim_t[]){n, s, k});
    const graph_value_t split =
            graph_reshape(graph, part, 4, (const prim_dim_t[]){n, s, heads, k / heads});
    return graph_transpose(
            graph, split, is_key ? (const int[]){0, 2, 3, 1} : (const int[]){0, 2, 1, 3});
}

/// Softmax(query·keyᵀ/√size)·value of each head.
static graph_value_t attention(net_t *net, graph_value_t src, prim_dim_t heads)
{
    graph_t *const g = net->graph;
    const prim_dim_t *const in = graph_dims(g, src);
    const prim_dim_t n = in[0], s = in[1], k = in[2];
    const graph_value_t qkv = linear(net, src, 3 * k);
    const graph_value_t query = head_of(g, qkv, k, 0, heads, false);
    const graph_value_t key = head_of(g, qkv, k, 1, heads, true);
    const graph_value_t value = head_of(g, qkv, k, 2, heads, false);
    graph_value_t x = graph_matmul(g, query, key, GRAPH_ABSENT);
    add_sum(net, (net_tensor_t){x}, (double)(k / heads), false);
    const float scale = 1 / sqrtf((float)(k / heads));
    x = graph_eltwise(g, x, PRIM_ELTWISE_LINEAR, scale, 0);
    x = graph_softmax(g, x, PRIM_SOFTMAX_ACCURATE, 3);
    x = graph_matmul(g, x, value, GRAPH_ABSENT);
    add_sum(net, (net_tensor_t){x}, (double)s, false);
    x = graph_transpose(g, x, (const int[]){0, 2, 1, 3});
    return linear(net, graph_reshape(g, x, 3, (const prim_dim_t[]){n, s, k}), k);
}

static graph_value_t add_and_normalise(net_t *net, graph_value_t a, graph_value_t b)
{
    const prim_dim_t *const channels = &graph_dims(net->graph, a)[2];
    const graph_value_t scale = parameters(net, 1, channels, 1, true);
    const graph_value_t shift = parameters(net, 1, channels, 0.1, false);
    net->square_units += square_rounding * 12;
    return graph_layer_norm(
            net->graph, graph_binary(net->graph, PRIM_BINARY_ADD, a, b), scale, shift, 1e-12f);
}

net_tensor_t net_encoder_layer(net_t *net, net_tensor_t src, prim_dim_t heads, prim_dim_t inner)
{
    const prim_dim_t k = net_dims(net, src)[2];
    const graph_value_t x = add_and_normalise(net, attention(net, src.value, heads), src.value);
    const graph_value_t y =
            graph_eltwise(net->graph, linear(net, x, inner), PRIM_ELTWISE_GELU_ERF, 0, 0);
    return (net_tensor_t){add_and_normalise(net, linear(net, y, k), x)};
}

/// Ends the program with the graph's sentence unless `status` is success.
static void check(const net_t *net, prim_status_t status)
{
    if (status == PRIM_SUCCESS) return;
    fprintf(stderr, "%s\n", graph_error(net->graph));
    exit(1);
}

void net_output(net_t *net, net_tensor_t *tensor)
{
    tensor->value = graph_output(net->graph, graph_convert(net->graph, tensor->value, PRIM_F32));
    if (tensor->value >= 0) add_buffer(net, tensor->value);
}

void net_compile(net_t *net)
{
    check(net, graph_compile(net->graph, net->folds_norm ? 0 : GRAPH_KEEP_NORMS));
    for (int i = 0; i < net->nbound; ++i) {
        void *handle = NULL;
        DO(prim_memory_get_data_handle(net->memories[i], &handle));
        DO(graph_bind(net->graph, net->bound[i], handle, 0));
    }
    for (int i = 0; i < net->nsums; ++i) net->square_units += sum_square_units(net, &net->sums[i]);
}

void net_submit(net_t *net)
{
    DO(graph_submit(net->graph, net->stream));
}

prim_stream_t *net_stream(const net_t *net)
{
    return net->stream;
}

void net_run(net_t *net)
{
    DO(graph_run(net->graph, net->stream));
    DO(prim_stream_wait(net->stream));
}

int net_nprimitives(const net_t *net)
{
    return graph_stats(net->graph).nprimitives;
}

size_t net_activation_bytes(const net_t *net)
{
    return graph_stats(net->graph).activation_bytes + net->bound_bytes;
}

size_t net_live_bytes(const net_t *net)
{
    return graph_stats(net->graph).live_bytes + net->bound_bytes;
}

size_t net_weight_bytes(const net_t *net)
{
    return graph_stats(net->graph).constant_bytes;
}

double net_expected_error(const net_t *net)
{
    const double unit = net->type == PRIM_F16 ? 0x1p-11 : net->type == PRIM_BF16 ? 0x1p-8 : 0x1p-24;
    return unit * sqrt(net->square_units);
}

prim_memory_t *net_memory(const net_t *net, net_tensor_t output, size_t *n)
{
    int i = 0;
    while (i < net->nbound - 1 && net->bound[i] != output.value) ++i;
    *n = nelems(graph_ndims(net->graph, output.value), net_dims(net, output));
    return net->memories[i];
}
