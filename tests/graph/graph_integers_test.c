// SPDX-License-Identifier: Apache-2.0
// Graphs on both engines: quantised convolutions and products against loops over integers,
// operations that copy elements to other places, exactly, and functions written out.
#include "support/unit_test.h"

#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIMS(...) ((const prim_dim_t[]){__VA_ARGS__})

static prim_engine_kind_t kind;

static unsigned draw(unsigned n)
{
    static unsigned seed = 2026;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static graph_t *open_graph(prim_engine_t **engine)
{
    graph_t *graph = NULL;
    assert_int_equal(prim_engine_create(engine, kind, 0), PRIM_SUCCESS);
    assert_int_equal(graph_create(&graph, *engine), PRIM_SUCCESS);
    return graph;
}

static prim_memory_t *bind(prim_engine_t *engine, graph_t *graph, graph_value_t value)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    void *handle = NULL;
    assert_int_equal(prim_memory_desc_init_by_strides(&md, graph_ndims(graph, value),
                             graph_dims(graph, value), graph_data_type(graph, value), NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    assert_int_equal(prim_memory_get_data_handle(memory, &handle), PRIM_SUCCESS);
    assert_int_equal(graph_bind(graph, value, handle, 0), PRIM_SUCCESS);
    return memory;
}

/// Compiles the graph, to one primitive where that is said, runs it on `src`, reads `dst` of as
/// many bytes, and destroys it.
static void run(prim_engine_t *engine, graph_t *graph, graph_value_t x, const void *src,
        size_t src_bytes, graph_value_t y, void *dst, size_t dst_bytes, bool is_one_primitive)
{
    prim_stream_t *stream = NULL;
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
    if (graph_compile(graph, 0) != PRIM_SUCCESS) fail_msg("%s", graph_error(graph));
    if (is_one_primitive) assert_int_equal(graph_stats(graph).nprimitives, 1);
    prim_memory_t *const in = bind(engine, graph, x), *const out = bind(engine, graph, y);
    assert_int_equal(prim_memory_write(in, src, src_bytes, 0), PRIM_SUCCESS);
    assert_int_equal(graph_run(graph, stream), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    assert_int_equal(prim_memory_read(out, dst, dst_bytes, 0), PRIM_SUCCESS);
    graph_destroy(graph);
    prim_memory_destroy(in);
    prim_memory_destroy(out);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
}

static graph_value_t number(graph_t *graph, float value)
{
    return graph_constant(graph, 1, DIMS(1), PRIM_F32, &value);
}

/// Dequantise, convolve in groups with one scale a channel, quantise. Scales are powers of two, so
/// the result is exact; ties are rounded to even, before or behind an even zero point alike.
static void test_quantized_convolution(void **state)
{
    (void)state;
    enum { G = 2, IC = 3, OC = 4, N = 6, K = 3, M = N - K + 1 };
    static uint8_t src[G * IC * N * N], dst[G * OC * M * M];
    static int8_t wei[G * OC * IC * K * K];
    static const graph_window_t window = {.strides = {1, 1, 1}};
    const uint8_t zero = 130, dst_zero = 100;
    float scales[G * OC];
    for (size_t i = 0; i < sizeof src; ++i) src[i] = (uint8_t)draw(256);
    for (size_t i = 0; i < sizeof wei; ++i) wei[i] = (int8_t)((int)draw(255) - 127);
    for (int o = 0; o < G * OC; ++o) scales[o] = o % 2 ? 0x1p-6f : 0x1p-8f;
    prim_engine_t *engine = NULL;
    graph_t *const g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 4, DIMS(1, G * IC, N, N), PRIM_U8);
    graph_value_t w = graph_constant(g, 4, DIMS(G * OC, IC, K, K), PRIM_S8, wei);
    w = graph_dequantize(
            g, w, graph_constant(g, 1, DIMS(G * OC), PRIM_F32, scales), GRAPH_ABSENT, 0, PRIM_F32);
    w = graph_reshape(g, w, 5, DIMS(G, OC, IC, K, K));
    graph_value_t y = graph_dequantize(
            g, x, number(g, 0.5f), graph_constant(g, 1, DIMS(1), PRIM_U8, &zero), 0, PRIM_F32);
    y = graph_conv(g, y, w, GRAPH_ABSENT, &window);
    y = graph_eltwise(g, y, PRIM_ELTWISE_RELU, 0, 0);
    y = graph_output(g, graph_quantize(g, y, number(g, 0.25f),
                                graph_constant(g, 1, DIMS(1), PRIM_U8, &dst_zero), 0, PRIM_U8));
    run(engine, g, x, src, sizeof src, y, dst, sizeof dst, kind == PRIM_GPU);
    for (int i = 0; i < G * OC * M * M; ++i) {
        const int o = i / (M * M), row = i / M % M, column = i % M;
        int sum = 0;
        for (int k = 0; k < IC * K * K; ++k)
            sum += wei[o * IC * K * K + k] *
                   (src[((o / OC * IC + k / (K * K)) * N + row + k / K % K) * N + column + k % K] -
                           zero);
        const double value = fmax(0, 0.5 * scales[o] * sum) / 0.25;
        assert_int_equal(dst[i], (int)fmin(255, nearbyint(value) + dst_zero));
    }
}

/// Images of the network below: NET_SIDE² pixels; all its tensors have scale 1 and one zero point,
/// which is even, weights 1/64: every step is exact.
enum { NET_SIDE = 6, NET_PIXELS = NET_SIDE * NET_SIDE, NET_CHANNELS = 8, NET_ZERO = 16 };
enum { NET_ELEMS = NET_CHANNELS * NET_PIXELS, NET_MOST_WEIGHTS = NET_CHANNELS * NET_CHANNELS * 9 };

static uint8_t saturated(double value)
{
    return (uint8_t)fmin(255, fmax(0, nearbyint(value) + NET_ZERO));
}

/// Element `i` of [channel, row, column], `down` and `right` from there; −1: outside.
static int neighbour(int i, int down, int right)
{
    const int row = i / NET_SIDE % NET_SIDE + down, column = i % NET_SIDE + right;
    const bool is_inside = row >= 0 && row < NET_SIDE && column >= 0 && column < NET_SIDE;
    return is_inside ? i + down * NET_SIDE + right : -1;
}

/// A convolution of `ic` channels for each of a result's, from 0 on or, depthwise, from its own on.
static void convolve(uint8_t *dst, const uint8_t *src, const int8_t *wei, int ic, int kernel)
{
    const bool is_depthwise = ic == 1;
    for (int i = 0; i < NET_ELEMS; ++i) {
        const int o = i / NET_PIXELS, ntaps = kernel * kernel;
        int sum = 0;
        for (int k = 0; k < ic * ntaps; ++k) {
            const int from = (is_depthwise ? o : k / ntaps) * NET_PIXELS + i % NET_PIXELS;
            const int at =
                    neighbour(from, k % ntaps / kernel - kernel / 2, k % kernel - kernel / 2);
            if (at >= 0) sum += wei[o * ic * ntaps + k] * (src[at] - NET_ZERO);
        }
        dst[i] = saturated(sum / 64.0);
    }
}

static void pool_most(uint8_t *dst, const uint8_t *src)
{
    for (int i = 0; i < NET_ELEMS; ++i) {
        dst[i] = 0;
        for (int k = 0; k < 9; ++k) {
            const int at = neighbour(i, k / 3 - 1, k % 3 - 1);
            if (at >= 0 && src[at] > dst[i]) dst[i] = src[at];
        }
    }
}

/// The network of add_net() by loops: its two outputs.
static void compute_net(
        uint8_t *first, uint8_t *last, const uint8_t *src, int8_t (*wei)[NET_MOST_WEIGHTS])
{
    static uint8_t pooled[NET_ELEMS], sum[NET_ELEMS], both[2 * NET_ELEMS];
    convolve(first, src, wei[0], NET_CHANNELS, 3);
    pool_most(pooled, first);
    convolve(sum, pooled, wei[1], NET_CHANNELS, 3);
    for (int i = 0; i < NET_ELEMS; ++i)
        both[i] = saturated(pooled[i] - NET_ZERO + (sum[i] - NET_ZERO));
    convolve(both + NET_ELEMS, first, wei[2], 1, 3);
    convolve(last, both, wei[3], 2 * NET_CHANNELS, 1);
}

static graph_value_t net_zero(graph_t *g)
{
    return graph_constant(g, 1, DIMS(1), PRIM_U8, &(uint8_t){NET_ZERO});
}

static graph_value_t as_floats(graph_t *g, graph_value_t src)
{
    return graph_dequantize(g, src, number(g, 1), net_zero(g), 0, PRIM_F32);
}

static graph_value_t as_bytes(graph_t *g, graph_value_t src)
{
    return graph_quantize(g, src, number(g, 1), net_zero(g), 0, PRIM_U8);
}

static graph_value_t add_convolution(
        graph_t *g, graph_value_t src, const int8_t *wei, int ic, int kernel)
{
    const prim_dim_t pad = kernel / 2;
    const graph_window_t window = {.strides = {1, 1}, .pads_l = {pad, pad}, .pads_r = {pad, pad}};
    graph_value_t w = graph_constant(g, 4, DIMS(NET_CHANNELS, ic, kernel, kernel), PRIM_S8, wei);
    w = graph_dequantize(g, w, number(g, 0x1p-6f), GRAPH_ABSENT, 0, PRIM_F32);
    if (ic == 1) w = graph_reshape(g, w, 5, DIMS(NET_CHANNELS, 1, 1, kernel, kernel));
    return as_bytes(g, graph_conv(g, as_floats(g, src), w, GRAPH_ABSENT, &window));
}

/// A convolution that is an output and has two readers; a pooling and a sum with a convolution of
/// it; a depthwise branch; both concatenated and convolved, which is the other output.
static void add_net(graph_t *g, graph_value_t x, int8_t (*wei)[NET_MOST_WEIGHTS],
        graph_value_t *first, graph_value_t *last)
{
    static const graph_window_t window = {.strides = {1, 1}, .pads_l = {1, 1}, .pads_r = {1, 1}};
    *first = graph_output(g, add_convolution(g, x, wei[0], NET_CHANNELS, 3));
    const graph_value_t pooled =
            as_bytes(g, graph_pool(g, as_floats(g, *first), PRIM_POOLING_MAX, DIMS(3, 3), &window));
    graph_value_t sum = add_convolution(g, pooled, wei[1], NET_CHANNELS, 3);
    sum = as_bytes(g, graph_binary(g, PRIM_BINARY_ADD, as_floats(g, pooled), as_floats(g, sum)));
    const graph_value_t branch = add_convolution(g, *first, wei[2], 1, 3);
    const graph_value_t ends[] = {as_floats(g, sum), as_floats(g, branch)};
    const graph_value_t both = as_bytes(g, graph_concat(g, 2, ends, 1));
    *last = graph_output(g, add_convolution(g, both, wei[3], 2 * NET_CHANNELS, 1));
}

/// Integer convolutions of the processor choose their layout, which all between them keeps: copies
/// to another one are those of the input and of both outputs. Floats are the terms of the sum
/// alone.
static void check_copies(const graph_t *graph, graph_value_t x)
{
    int ncopies = 0, nconvolutions = 0, nfloats = 0;
    graph_value_t value = GRAPH_ABSENT, before = GRAPH_ABSENT;
    const char *name;
    for (int i = 0; (name = graph_impl_name(graph, i, &value)) != NULL; ++i, before = value) {
        ncopies += value == x || value == before;
        nfloats += graph_data_type(graph, value) == PRIM_F32;
        nconvolutions +=
                strncmp(name, "simd:conv:", 10) == 0 && graph_data_type(graph, value) == PRIM_U8;
    }
    if (nconvolutions != 4) return;
    assert_int_equal(ncopies, 3);
    assert_int_equal(nfloats, 2);
}

static void test_quantized_network(void **state)
{
    (void)state;
    static uint8_t src[NET_ELEMS], dst[2][NET_ELEMS], expected[2][NET_ELEMS];
    static int8_t wei[4][NET_MOST_WEIGHTS];
    for (int i = 0; i < NET_ELEMS; ++i) src[i] = (uint8_t)draw(64);
    for (int i = 0; i < 4 * NET_MOST_WEIGHTS; ++i)
        wei[i / NET_MOST_WEIGHTS][i % NET_MOST_WEIGHTS] = (int8_t)((int)draw(32) - 14);
    prim_engine_t *engine = NULL;
    prim_stream_t *stream = NULL;
    graph_t *const g = open_graph(&engine);
    graph_value_t y[2], x = graph_input(g, 4, DIMS(1, NET_CHANNELS, NET_SIDE, NET_SIDE), PRIM_U8);
    add_net(g, x, wei, &y[0], &y[1]);
    if (graph_compile(g, 0) != PRIM_SUCCESS) fail_msg("%s", graph_error(g));
    check_copies(g, x);
    prim_memory_t *const memories[] = {
            bind(engine, g, y[0]), bind(engine, g, y[1]), bind(engine, g, x)};
    assert_int_equal(prim_memory_write(memories[2], src, sizeof src, 0), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
    assert_int_equal(graph_run(g, stream), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(stream), PRIM_SUCCESS);
    compute_net(expected[0], expected[1], src, wei);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(prim_memory_read(memories[k], dst[k], sizeof *dst, 0), PRIM_SUCCESS);
        assert_memory_equal(dst[k], expected[k], sizeof *dst);
    }
    graph_destroy(g);
    for (int k = 0; k < 3; ++k) prim_memory_destroy(memories[k]);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
}

/// Ties are rounded to even before an odd zero point is added, results saturated. Behind a sum it
/// is part of it. The CPU engine does all by one primitive.
static void test_quantization(void **state)
{
    (void)state;
    enum { N = 700 };
    const uint8_t zero = 3;
    float src[N];
    for (int i = 0; i < N; ++i) src[i] = (float)i / 2 - 30; // quotients with ties
    for (int is_sum = 0; is_sum < 2; ++is_sum) {
        uint8_t dst[N];
        prim_engine_t *engine = NULL;
        graph_t *const g = open_graph(&engine);
        const graph_value_t x = graph_input(g, 1, DIMS(N), PRIM_F32);
        const graph_value_t sum = is_sum ? graph_binary(g, PRIM_BINARY_ADD, x, x) : x;
        const graph_value_t y =
                graph_output(g, graph_quantize(g, sum, number(g, 2),
                                        graph_constant(g, 1, DIMS(1), PRIM_U8, &zero), 0, PRIM_U8));
        run(engine, g, x, src, sizeof src, y, dst, sizeof dst, kind == PRIM_CPU);
        for (int i = 0; i < N; ++i) {
            const double value = nearbyint(src[i] * (is_sum ? 1 : 0.5)) + zero;
            assert_int_equal(dst[i], (int)fmin(255, fmax(0, value)));
        }
    }
}

/// Bytes that are concatenated between their dequantisation and a quantisation stay as they are
/// only if scale and zero point are the same.
static void test_kept_bytes(void **state)
{
    (void)state;
    enum { N = 256 };
    static const struct {
        float scale;
        uint8_t zero;
    } to[] = {{1, 4}, {2, 4}, {1, 6}};
    const uint8_t zero = 4;
    uint8_t src[N], dst[2 * N];
    for (int i = 0; i < N; ++i) src[i] = (uint8_t)i;
    for (int k = 0; k < 3; ++k) {
        prim_engine_t *engine = NULL;
        graph_t *const g = open_graph(&engine);
        const graph_value_t x = graph_input(g, 2, DIMS(1, N), PRIM_U8);
        const graph_value_t floats = graph_dequantize(
                g, x, number(g, 1), graph_constant(g, 1, DIMS(1), PRIM_U8, &zero), 0, PRIM_F32);
        const graph_value_t both = graph_concat(g, 2, (const graph_value_t[]){floats, floats}, 1);
        const graph_value_t to_zero = graph_constant(g, 1, DIMS(1), PRIM_U8, &to[k].zero);
        const graph_value_t y = graph_output(
                g, graph_quantize(g, both, number(g, to[k].scale), to_zero, 0, PRIM_U8));
        run(engine, g, x, src, sizeof src, y, dst, sizeof dst, kind == PRIM_CPU && k == 0);
        for (int i = 0; i < 2 * N; ++i) {
            const double value = nearbyint((src[i % N] - zero) / to[k].scale) + to[k].zero;
            assert_int_equal(dst[i], (int)fmin(255, fmax(0, value)));
        }
    }
}

/// Products without scales are exact integers on both engines.
static void test_integer_product(void **state)
{
    (void)state;
    enum { M = 3, K = 700, N = 5 };
    static uint8_t a[M * K];
    static int8_t b[K * N];
    static int32_t dst[M * N];
    int8_t zeros[N];
    const uint8_t zero = 3;
    for (int i = 0; i < M * K; ++i) a[i] = (uint8_t)(200 + draw(56)); // sums pass 2^24
    for (int i = 0; i < K * N; ++i) b[i] = (int8_t)(100 + draw(28));
    for (int j = 0; j < N; ++j) zeros[j] = (int8_t)(-60 - j);
    prim_engine_t *engine = NULL;
    graph_t *const g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 2, DIMS(M, K), PRIM_U8);
    const graph_value_t p = graph_dequantize(
            g, x, GRAPH_ABSENT, graph_constant(g, 1, DIMS(1), PRIM_U8, &zero), 0, PRIM_F32);
    const graph_value_t q = graph_dequantize(g, graph_constant(g, 2, DIMS(K, N), PRIM_S8, b),
            GRAPH_ABSENT, graph_constant(g, 1, DIMS(N), PRIM_S8, zeros), 1, PRIM_F32);
    const graph_value_t y =
            graph_output(g, graph_convert(g, graph_matmul(g, p, q, GRAPH_ABSENT), PRIM_S32));
    run(engine, g, x, a, sizeof a, y, dst, sizeof dst, true);
    for (int i = 0; i < M * N; ++i) {
        int sum = 0;
        for (int k = 0; k < K; ++k)
            sum += (a[i / N * K + k] - zero) * (b[k * N + i % N] - zeros[i % N]);
        assert_int_equal(dst[i], sum);
    }
}

/// Pad, gather, expand, compare and select, whose results are elements of their inputs.
static void test_moves(void **state)
{
    (void)state;
    enum { R = 3, C = 4, ROWS = 4, COLUMNS = 6 };
    static const prim_dim_t order[R] = {1, 0, 2};
    float src[R * C], dst[2 * ROWS * COLUMNS];
    for (int i = 0; i < R * C; ++i) src[i] = (float)draw(64) - 32;
    prim_engine_t *engine = NULL;
    graph_t *const g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 2, DIMS(R, C), PRIM_F32);
    const graph_value_t rows = graph_gather(g, x, 0, R, order);
    const graph_value_t padded = graph_pad(g, rows, DIMS(0, 1), DIMS(1, 1), 0.5f);
    const graph_value_t sign = graph_compare(g, PRIM_BINARY_LT, padded, number(g, 0));
    const graph_value_t chosen = graph_select(g, sign, number(g, -7), padded);
    const graph_value_t y = graph_output(g, graph_expand(g, chosen, 3, DIMS(2, ROWS, COLUMNS)));
    run(engine, g, x, src, sizeof src, y, dst, sizeof dst, false);
    for (int i = 0; i < 2 * ROWS * COLUMNS; ++i) {
        const int row = i / COLUMNS % ROWS, column = i % COLUMNS - 1;
        const bool is_inside = row < R && column >= 0 && column < C;
        const float value = is_inside ? src[order[row] * C + column] : 0.5f;
        assert_true(dst[i] == (value < 0 ? -7 : value));
    }
}

/// An output that is another view of an input is a copy in a buffer of its own.
static void test_viewed_input(void **state)
{
    (void)state;
    enum { R = 3, C = 4 };
    float src[R * C], dst[R * C];
    for (int i = 0; i < R * C; ++i) src[i] = (float)draw(64);
    prim_engine_t *engine = NULL;
    graph_t *const g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 2, DIMS(R, C), PRIM_F32);
    const graph_value_t y = graph_output(g, graph_transpose(g, x, (const int[]){1, 0}));
    run(engine, g, x, src, sizeof src, y, dst, sizeof dst, true);
    for (int i = 0; i < R * C; ++i) assert_true(dst[i] == src[i % R * C + i / R]);
}

/// Across channels; one rounding of each step of the formula in double.
static void test_lrn(void **state)
{
    (void)state;
    enum { C = 7, N = 5, SIZE = 3 };
    float src[C * N], dst[C * N];
    for (int i = 0; i < C * N; ++i) src[i] = (float)draw(4096) / 1024 - 2;
    prim_engine_t *engine = NULL;
    graph_t *const g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 3, DIMS(1, C, N), PRIM_F32);
    const graph_value_t y =
            graph_output(g, graph_lrn(g, x, PRIM_LRN_ACROSS_CHANNELS, SIZE, 0.5f, 0.75f, 2));
    run(engine, g, x, src, sizeof src, y, dst, sizeof dst, false);
    for (int i = 0; i < C * N; ++i) {
        double sum = 0;
        for (int c = i / N - 1; c <= i / N + 1; ++c)
            if (c >= 0 && c < C) sum += (double)src[c * N + i % N] * src[c * N + i % N];
        assert_true(fabs(dst[i] - src[i] * pow(2 + 0.5 / SIZE * sum, -0.75)) < 16 * 0x1p-24);
    }
}

/// x·clip(x + 3, 0, 6)/6 and x·sigmoid(x), each of which is one primitive.
static void test_gates(void **state)
{
    (void)state;
    enum { N = 32 };
    for (int is_soft = 0; is_soft < 2; ++is_soft) {
        float src[N], dst[N];
        for (int i = 0; i < N; ++i) src[i] = (float)i / 4 - 4;
        prim_engine_t *engine = NULL;
        graph_t *const g = open_graph(&engine);
        const graph_value_t x = graph_input(g, 1, DIMS(N), PRIM_F32);
        graph_value_t y = graph_binary(g, PRIM_BINARY_ADD, x, number(g, 3));
        y = is_soft ? graph_eltwise(g, x, PRIM_ELTWISE_LOGISTIC, 0, 0)
                    : graph_eltwise(g, y, PRIM_ELTWISE_CLIP_V2, 0, 6);
        y = graph_binary(g, PRIM_BINARY_MUL, x, y);
        if (!is_soft) y = graph_binary(g, PRIM_BINARY_DIV, y, number(g, 6));
        y = graph_output(g, y);
        run(engine, g, x, src, sizeof src, y, dst, sizeof dst, true);
        for (int i = 0; i < N; ++i) {
            const double soft = src[i] / (1 + exp(-src[i]));
            const double hard = src[i] * fmin(6, fmax(0, src[i] + 3)) / 6;
            assert_true(fabs(dst[i] - (is_soft ? soft : hard)) <= 16 * 0x1p-24);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    prim_engine_t *engine = NULL;
    graph_t *g = open_graph(&engine);
    const graph_value_t x = graph_input(g, 2, DIMS(3, 4), PRIM_F32);
    assert_int_equal(graph_expand(g, x, 2, DIMS(6, 4)), GRAPH_FAILED);
    assert_non_null(strstr(graph_error(g), "not 1"));
    graph_destroy(g);
    assert_int_equal(graph_create(&g, engine), PRIM_SUCCESS);
    const graph_value_t z = graph_input(g, 2, DIMS(3, 4), PRIM_F32);
    assert_int_equal(graph_gather(g, z, 0, 1, DIMS(3)), GRAPH_FAILED);
    assert_non_null(strstr(graph_error(g), "beyond dimension 0"));
    graph_destroy(g);
    prim_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_quantized_convolution),
            cmocka_unit_test(test_quantized_network),
            cmocka_unit_test(test_quantization),
            cmocka_unit_test(test_kept_bytes),
            cmocka_unit_test(test_integer_product),
            cmocka_unit_test(test_moves),
            cmocka_unit_test(test_viewed_input),
            cmocka_unit_test(test_lrn),
            cmocka_unit_test(test_gates),
            cmocka_unit_test(test_refused),
    };
    kind = PRIM_CPU;
    int nfailed = cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
    kind = PRIM_GPU;
    if (prim_engine_get_count(PRIM_GPU) > 0)
        nfailed += cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
    return nfailed;
}
