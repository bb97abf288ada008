// SPDX-License-Identifier: Apache-2.0
// Graphs on both engines against loops in double: what is fused, folded, viewed and planned must
// compute what was asked for.
#include "support/unit_test.h"

#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIMS(...) ((const prim_dim_t[]){__VA_ARGS__})

enum { MAX_BOUND = 4, MAX_ELEMS = 4096 };

/// An engine, a graph on it, and the buffers of its inputs and outputs.
typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    graph_t *graph;
    int nbound;
    graph_value_t bound[MAX_BOUND];
    prim_memory_t *memories[MAX_BOUND];
} setting_t;

static prim_engine_kind_t kind;

/// Uniform in [-1, 1) with 24 bits; a linear congruential generator (Numerical Recipes).
static float draw(void)
{
    static unsigned seed = 2026;
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) * 0x1p-23f - 1;
}

static prim_dim_t nelems(int ndims, const prim_dim_t *dims)
{
    prim_dim_t n = 1;
    for (int d = 0; d < ndims; ++d) n *= dims[d];
    return n;
}

static setting_t open_setting(void)
{
    setting_t s = {.nbound = 0};
    assert_int_equal(prim_engine_create(&s.engine, kind, 0), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&s.stream, s.engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
    assert_int_equal(graph_create(&s.graph, s.engine), PRIM_SUCCESS);
    return s;
}

static void close_setting(setting_t *s)
{
    graph_destroy(s->graph);
    for (int i = 0; i < s->nbound; ++i) prim_memory_destroy(s->memories[i]);
    prim_stream_destroy(s->stream);
    prim_engine_destroy(s->engine);
}

static graph_value_t constant(
        setting_t *s, int ndims, const prim_dim_t *dims, float *values, float around)
{
    const prim_dim_t n = nelems(ndims, dims);
    for (prim_dim_t i = 0; i < n; ++i) values[i] = around + 0.5f * draw();
    return graph_constant(s->graph, ndims, dims, PRIM_F32, values);
}

static prim_memory_t *bind(setting_t *s, graph_value_t value)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_by_strides(&md, graph_ndims(s->graph, value),
                             graph_dims(s->graph, value), PRIM_F32, NULL),
            PRIM_SUCCESS);
    prim_memory_t *memory = NULL;
    void *handle = NULL;
    assert_int_equal(
            prim_memory_create(&memory, &md, s->engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    assert_int_equal(prim_memory_get_data_handle(memory, &handle), PRIM_SUCCESS);
    assert_int_equal(graph_bind(s->graph, value, handle, 0), PRIM_SUCCESS);
    return s->memories[s->nbound++] = memory;
}

static void compile(setting_t *s)
{
    const prim_status_t status = graph_compile(s->graph, 0);
    if (status != PRIM_SUCCESS) fail_msg("%s", graph_error(s->graph));
}

/// Gives the input random values, which are kept in `values`.
static void feed(setting_t *s, graph_value_t value, float *values)
{
    const size_t n = (size_t)nelems(graph_ndims(s->graph, value), graph_dims(s->graph, value));
    for (size_t i = 0; i < n; ++i) values[i] = draw();
    assert_int_equal(
            prim_memory_write(bind(s, value), values, n * sizeof *values, 0), PRIM_SUCCESS);
}

static void run(setting_t *s)
{
    assert_int_equal(graph_run(s->graph, s->stream), PRIM_SUCCESS);
    assert_int_equal(prim_stream_wait(s->stream), PRIM_SUCCESS);
}

/// The output equals `expected` within `tolerance` of its own scale.
static void expect(prim_memory_t *memory, const double *expected, int n, double tolerance)
{
    float *const values = malloc((size_t)n * sizeof *values);
    assert_non_null(values);
    assert_int_equal(prim_memory_read(memory, values, (size_t)n * sizeof *values, 0), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i)
        if (!(fabs(values[i] - expected[i]) <= tolerance * (1 + fabs(expected[i]))))
            fail_msg("element %d is %.9g, not %.9g", i, (double)values[i], expected[i]);
    free(values);
}

/// 3×3 taps at stride 1 with a border of 1: dst [oc, n, n] from src [groups·ic, n, n], weights
/// [oc, ic, 3, 3], one image.
static void conv_3x3(
        double *dst, const double *src, const float *wei, int oc, int ic, int groups, int n)
{
    for (int o = 0; o < oc; ++o)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                double sum = 0;
                const int first = o / (oc / groups) * ic;
                for (int k = 0; k < ic * 9; ++k) {
                    const int v = y + k / 3 % 3 - 1, u = x + k % 3 - 1;
                    if (v < 0 || v >= n || u < 0 || u >= n) continue;
                    sum += wei[o * ic * 9 + k] * src[((first + k / 9) * n + v) * n + u];
                }
                dst[(o * n + y) * n + x] = sum;
            }
}

static const graph_window_t same_3x3 = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};

/// Convolution, batch normalisation, relu; a grouped one behind it with the shortcut added.
static void test_residual_block(void **state)
{
    (void)state;
    enum { C = 8, N = 7, POSITIONS = N * N };
    static float wei[C * 4 * 9], group_wei[C * 4 * 9], bia[C], norm[4][C], src[4 * POSITIONS];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 4, DIMS(1, 4, N, N), PRIM_F32);
    graph_value_t a =
            graph_conv(g, x, constant(&s, 4, DIMS(C, 4, 3, 3), wei, 0), GRAPH_ABSENT, &same_3x3);
    a = graph_batch_norm(g, a, constant(&s, 1, DIMS(C), norm[0], 1),
            constant(&s, 1, DIMS(C), norm[1], 0), constant(&s, 1, DIMS(C), norm[2], 0),
            constant(&s, 1, DIMS(C), norm[3], 1), 0.125f);
    a = graph_eltwise(g, a, PRIM_ELTWISE_RELU, 0, 0);
    graph_value_t b = graph_conv(g, a, constant(&s, 5, DIMS(2, C / 2, 4, 3, 3), group_wei, 0),
            constant(&s, 1, DIMS(C), bia, 0), &same_3x3);
    const graph_value_t y = graph_output(g, graph_binary(g, PRIM_BINARY_ADD, a, b));
    compile(&s);
    // Norm, relu and the addition.
    assert_int_equal(graph_stats(g).nfused, 3);
    feed(&s, x, src);
    prim_memory_t *const memory = bind(&s, y);
    run(&s);

    static double in[4 * POSITIONS], inner[C * POSITIONS], outer[C * POSITIONS];
    for (int i = 0; i < 4 * POSITIONS; ++i) in[i] = src[i];
    conv_3x3(inner, in, wei, C, 4, 1, N);
    for (int i = 0; i < C * POSITIONS; ++i) {
        const int c = i / POSITIONS;
        const double factor = norm[0][c] / sqrt(norm[3][c] + 0.125);
        inner[i] = fmax(0, (inner[i] - norm[2][c]) * factor + norm[1][c]);
    }
    conv_3x3(outer, inner, group_wei, C, 4, 2, N);
    for (int i = 0; i < C * POSITIONS; ++i) outer[i] += bia[i / POSITIONS] + inner[i];
    // Two sums of 36 products and some 8 roundings more, each of at most 2^-24 of the partial sums,
    // which stay below 36.
    expect(memory, outer, C * POSITIONS, 36 * 44 * 0x1p-24);
    close_setting(&s);
}

/// Constants behind a grouped convolution go into its weights and bias, a row behind a product into
/// its bias; arithmetic with one number becomes a function.
static void test_folded_arithmetic(void **state)
{
    (void)state;
    enum { G = 2, C = 6, IC = 2, N = 5, POSITIONS = N * N };
    static float wei[C * IC * 9], factor[C], less[C], src[G * IC * POSITIONS], rows[N * 3], row[3];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const float two = 2, half = 0.5f;
    const graph_value_t x = graph_input(g, 4, DIMS(1, G * IC, N, N), PRIM_F32);
    graph_value_t y = graph_conv(
            g, x, constant(&s, 5, DIMS(G, C / G, IC, 3, 3), wei, 0), GRAPH_ABSENT, &same_3x3);
    y = graph_binary(g, PRIM_BINARY_MUL, constant(&s, 4, DIMS(1, C, 1, 1), factor, 1), y);
    y = graph_binary(g, PRIM_BINARY_SUB, y, constant(&s, 4, DIMS(1, C, 1, 1), less, 0));
    y = graph_binary(g, PRIM_BINARY_ADD, y, graph_constant(g, 1, DIMS(1), PRIM_F32, &two));
    y = graph_binary(g, PRIM_BINARY_SUB, graph_constant(g, 1, DIMS(1), PRIM_F32, &half), y);
    y = graph_reshape(g, y, 2, DIMS(C * N, N));
    y = graph_matmul(g, y, constant(&s, 2, DIMS(N, 3), rows, 0), GRAPH_ABSENT);
    y = graph_output(g, graph_binary(g, PRIM_BINARY_ADD, y, constant(&s, 1, DIMS(3), row, 0)));
    compile(&s);
    assert_int_equal(graph_stats(g).nfused, 5); // all the arithmetic
    feed(&s, x, src);
    prim_memory_t *const memory = bind(&s, y);
    run(&s);

    static double in[G * IC * POSITIONS], inner[C * POSITIONS], expected[C * N * 3];
    for (int i = 0; i < G * IC * POSITIONS; ++i) in[i] = src[i];
    conv_3x3(inner, in, wei, C, IC, G, N);
    for (int i = 0; i < C * POSITIONS; ++i) {
        const int c = i / POSITIONS;
        inner[i] = 0.5 - (inner[i] * factor[c] + 2 - less[c]);
    }
    for (int i = 0; i < C * N * 3; ++i) {
        expected[i] = row[i % 3];
        for (int k = 0; k < N; ++k) expected[i] += inner[i / 3 * N + k] * rows[k * 3 + i % 3];
    }
    expect(memory, expected, C * N * 3, 18 * 5 * 28 * 0x1p-24); // as above; five of them are summed
    close_setting(&s);
}

/// softmax(q·kᵀ)·v of one head, with q and k cut out of one product by slices and transpositions.
static void test_attention(void **state)
{
    (void)state;
    enum { T = 5, D = 4 };
    static float wei[D * 2 * D], bia[2 * D], src[T * D];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 2, DIMS(T, D), PRIM_F32);
    graph_value_t qk = graph_matmul(g, x, constant(&s, 2, DIMS(D, 2 * D), wei, 0), GRAPH_ABSENT);
    qk = graph_binary(g, PRIM_BINARY_ADD, qk, constant(&s, 1, DIMS(2 * D), bia, 0));
    qk = graph_reshape(g, qk, 3, DIMS(1, T, 2 * D));
    const graph_value_t q = graph_slice(g, qk, DIMS(0, 0, 0), DIMS(1, T, D));
    const graph_value_t k = graph_transpose(
            g, graph_slice(g, qk, DIMS(0, 0, D), DIMS(1, T, D)), (const int[]){0, 2, 1});
    const graph_value_t scores =
            graph_softmax(g, graph_matmul(g, q, k, GRAPH_ABSENT), PRIM_SOFTMAX_ACCURATE, 2);
    const graph_value_t y = graph_output(g, graph_matmul(g, scores, x, GRAPH_ABSENT));
    compile(&s);
    feed(&s, x, src);
    prim_memory_t *const memory = bind(&s, y);
    run(&s);

    double both[T][2 * D], expected[T * D];
    for (int t = 0; t < T; ++t)
        for (int j = 0; j < 2 * D; ++j) {
            both[t][j] = bia[j];
            for (int i = 0; i < D; ++i) both[t][j] += (double)src[t * D + i] * wei[i * 2 * D + j];
        }
    for (int t = 0; t < T; ++t) {
        double e[T], sum = 0;
        for (int u = 0; u < T; ++u) {
            double dot = 0;
            for (int j = 0; j < D; ++j) dot += both[t][j] * both[u][D + j];
            sum += e[u] = exp(dot);
        }
        for (int j = 0; j < D; ++j) {
            expected[t * D + j] = 0;
            for (int u = 0; u < T; ++u) expected[t * D + j] += e[u] / sum * src[u * D + j];
        }
    }
    expect(memory, expected, T * D, 64 * 0x1p-24); // some 30 roundings of values below 2
    close_setting(&s);
}

/// A product that is only transposed, its rows as they are, is written transposed: no copy.
static void test_transposed_product(void **state)
{
    (void)state;
    enum { HEADS = 2, M = 3, K = 4, N = 5 };
    static float src[HEADS * M * K], wei[HEADS * K * N];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 3, DIMS(HEADS, M, K), PRIM_F32);
    graph_value_t y = graph_matmul(g, x, constant(&s, 3, DIMS(HEADS, K, N), wei, 0), GRAPH_ABSENT);
    y = graph_transpose(g, y, (const int[]){1, 0, 2});
    y = graph_reshape(g, y, 2, DIMS(M, HEADS * N));
    y = graph_output(g, graph_softmax(g, y, PRIM_SOFTMAX_ACCURATE, 1));
    compile(&s);
    assert_int_equal(graph_stats(g).nprimitives, 2);
    feed(&s, x, src);
    prim_memory_t *const memory = bind(&s, y);
    run(&s);

    double expected[M * HEADS * N];
    for (int i = 0; i < M; ++i) {
        double sum = 0, *const row = &expected[i * HEADS * N];
        for (int j = 0; j < HEADS * N; ++j) {
            const int h = j / N;
            double dot = 0;
            for (int k = 0; k < K; ++k)
                dot += (double)src[(h * M + i) * K + k] * wei[(h * K + k) * N + j % N];
            sum += row[j] = exp(dot);
        }
        for (int j = 0; j < HEADS * N; ++j) row[j] /= sum;
    }
    expect(memory, expected, M * HEADS * N, 64 * 0x1p-24); // some 20 roundings of values below 2
    close_setting(&s);
}

/// Pooling, concat, resampling, means and products of one image.
static void test_other_operations(void **state)
{
    (void)state;
    enum { C = 3, N = 4 };
    static float src[C * N * N], wei[5 * 2 * C];
    static const graph_window_t by_two = {{2, 2, 2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 4, DIMS(1, C, N, N), PRIM_F32);
    const graph_value_t small = graph_pool(g, x, PRIM_POOLING_MAX, DIMS(2, 2), &by_two);
    const graph_value_t large = graph_resampling(g, small, PRIM_RESAMPLING_NEAREST, DIMS(N, N));
    const graph_value_t both = graph_concat(g, 2, (const graph_value_t[]){x, large}, 1);
    const graph_value_t mean = graph_reduction(g, both, PRIM_REDUCTION_MEAN, 1 << 2 | 1 << 3, 0, 0);
    const graph_value_t y =
            graph_output(g, graph_inner_product(g, graph_reshape(g, mean, 2, DIMS(1, 2 * C)),
                                    constant(&s, 2, DIMS(5, 2 * C), wei, 0), GRAPH_ABSENT));
    compile(&s);
    feed(&s, x, src);
    prim_memory_t *const memory = bind(&s, y);
    run(&s);

    double means[2 * C] = {0}, expected[5] = {0};
    for (int i = 0; i < C * N * N; ++i) {
        const int c = i / (N * N), row = i / N % N & ~1, column = i % N & ~1;
        const float *const corner = &src[(c * N + row) * N + column];
        means[c] += src[i] / 16.0;
        means[C + c] += fmaxf(fmaxf(corner[0], corner[1]), fmaxf(corner[N], corner[N + 1])) / 16.0;
    }
    for (int o = 0; o < 5; ++o)
        for (int c = 0; c < 2 * C; ++c) expected[o] += means[c] * wei[o * 2 * C + c];
    expect(memory, expected, 5, 32 * 0x1p-24);
    close_setting(&s);
}

/// What depends on constants alone is no step; outputs may be an input, a constant, or both twice.
static void test_constants_and_copies(void **state)
{
    (void)state;
    float values[6], src[6];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 2, DIMS(2, 3), PRIM_F32);
    graph_value_t c = constant(&s, 2, DIMS(2, 3), values, 0);
    c = graph_eltwise(g, c, PRIM_ELTWISE_LINEAR, 2, 1);
    c = graph_reshape(g, graph_transpose(g, c, (const int[]){1, 0}), 2, DIMS(2, 3));
    const graph_value_t sum = graph_output(g, graph_binary(g, PRIM_BINARY_ADD, x, c));
    const graph_value_t copy = graph_output(g, x);
    (void)graph_eltwise(g, x, PRIM_ELTWISE_TANH, 0, 0); // nobody reads it
    compile(&s);
    assert_int_equal(graph_stats(g).nprimitives, 2);
    feed(&s, x, src);
    prim_memory_t *const sums = bind(&s, sum), *const copies = bind(&s, copy);
    run(&s);
    double expected[6], same[6];
    for (int i = 0; i < 6; ++i) {
        expected[i] = src[i] + 2.0 * values[i % 2 * 3 + i / 2] + 1;
        same[i] = src[i];
    }
    expect(sums, expected, 6, 4 * 0x1p-24);
    expect(copies, same, 6, 0);
    close_setting(&s);
}

/// A chain needs two places at once, whatever its length; a second run sees new buffers.
static void test_plan_and_rebinding(void **state)
{
    (void)state;
    enum { N = 1024, LAYERS = 6 };
    static float src[N];
    static double expected[N];
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t x = graph_input(g, 1, DIMS(N), PRIM_F32);
    graph_value_t y = x;
    for (int i = 0; i < LAYERS; ++i) y = graph_eltwise(g, y, PRIM_ELTWISE_LINEAR, 2, 1);
    y = graph_output(g, y);
    compile(&s);
    assert_int_equal(graph_compile(g, 0), PRIM_INVALID_ARGUMENTS); // and it still runs, below
    const graph_stats_t stats = graph_stats(g);
    assert_int_equal(stats.nprimitives, LAYERS);
    assert_int_equal(stats.activation_bytes, (LAYERS - 1) * N * sizeof(float));
    assert_int_equal(stats.live_bytes, 2 * N * sizeof(float));
    assert_int_equal(stats.buffer_bytes, stats.live_bytes);
    for (int again = 0; again < 2; ++again) {
        feed(&s, x, src);
        prim_memory_t *const memory = bind(&s, y);
        run(&s);
        for (int i = 0; i < N; ++i) {
            expected[i] = src[i];
            for (int k = 0; k < LAYERS; ++k) expected[i] = 2 * expected[i] + 1;
        }
        expect(memory, expected, N, 2 * LAYERS * 0x1p-24);
    }
    close_setting(&s);
}

/// A failed builder says why, its users fail quietly, and nothing runs.
static void test_failures(void **state)
{
    (void)state;
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t a = graph_input(g, 2, DIMS(2, 3), PRIM_F32);
    const graph_value_t b = graph_input(g, 2, DIMS(4, 3), PRIM_F32);
    assert_int_equal(graph_run(g, s.stream), PRIM_INVALID_ARGUMENTS);
    const graph_value_t sum = graph_binary(g, PRIM_BINARY_ADD, a, b);
    assert_int_equal(sum, GRAPH_FAILED);
    assert_string_equal(graph_error(g), "the shapes of a binary operation's operands do not fit");
    assert_int_equal(graph_eltwise(g, sum, PRIM_ELTWISE_RELU, 0, 0), GRAPH_FAILED);
    assert_int_equal(graph_matmul(g, a, b, GRAPH_ABSENT), GRAPH_FAILED);
    assert_string_equal(graph_error(g), "the shapes of a binary operation's operands do not fit");
    assert_int_equal(graph_output(g, sum), GRAPH_FAILED);
    assert_int_equal(graph_compile(g, 0), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(graph_run(g, s.stream), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(graph_bind(g, a, NULL, 0), PRIM_INVALID_ARGUMENTS);
    close_setting(&s);
}

/// What a primitive refuses is told with the operation and the library's own sentence.
static void test_refused_by_primitive(void **state)
{
    (void)state;
    setting_t s = open_setting();
    graph_t *const g = s.graph;
    const graph_value_t a = graph_input(g, 2, DIMS(2, 3), PRIM_F32);
    (void)graph_output(g, graph_softmax(g, a, PRIM_SOFTMAX_ACCURATE, 5));
    assert_int_equal(graph_compile(g, 0), PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(graph_error(g), "softmax: softmax axis 5 is outside"));
    assert_int_equal(graph_compile(g, 0), PRIM_INVALID_ARGUMENTS);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_residual_block),
            cmocka_unit_test(test_folded_arithmetic),
            cmocka_unit_test(test_attention),
            cmocka_unit_test(test_transposed_product),
            cmocka_unit_test(test_other_operations),
            cmocka_unit_test(test_constants_and_copies),
            cmocka_unit_test(test_plan_and_rebinding),
            cmocka_unit_test(test_failures),
            cmocka_unit_test(test_refused_by_primitive),
    };
    kind = PRIM_CPU;
    int failed = cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
    kind = PRIM_GPU;
    if (prim_engine_get_count(PRIM_GPU) > 0)
        failed += cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
    return failed;
}
