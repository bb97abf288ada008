// SPDX-License-Identifier: Apache-2.0
// Gradients of maximum pooling in f16 and bf16 whose tensors lie differently, and begin anywhere:
// every implementation on every kind of engine gives what a loop over the windows gives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 2, C = 24, IH = 5, IW = 8, OH = 3, OW = 4, K = 3, S = 2, P = 1, NTAGS = 4 };
enum { NPLANES = N * C, IN = IH * IW, OUT = OH * OW };

static const prim_dim_t in_dims[] = {N, C, IH, IW}, out_dims[] = {N, C, OH, OW};
static const prim_dim_t kernel[] = {K, K}, stride[] = {S, S}, padding[] = {P, P};
static const char *const tags[NTAGS] = {"abcd", "acdb", "aBcd8b", "aBcd16b"};

static float src[NPLANES * IN], diff_dst[NPLANES * OUT], expected[NPLANES * IN];

/// Where a tensor lies, and where it begins.
typedef struct {
    const char *tag;
    prim_dim_t first;
} place_t;

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_data_type_t dt;
} where_t;

/// Numbers that f16 and bf16 hold, no two alike in a window, and their sums.
static void fill(void)
{
    for (int i = 0; i < NPLANES * IN; ++i) src[i] = (float)(i * 37 % 251);
    for (int i = 0; i < NPLANES * OUT; ++i) diff_dst[i] = (float)(i * 29 % 61 - 30);
}

/// The element of a plane that window (oh, ow) has its maximum at.
static int winner_of(const float *plane, int oh, int ow)
{
    int winner = -1;
    for (int k = 0; k < K * K; ++k) {
        const int h = oh * S - P + k / K, w = ow * S - P + k % K;
        if (h < 0 || h >= IH || w < 0 || w >= IW) continue;
        if (winner < 0 || plane[h * IW + w] > plane[winner]) winner = h * IW + w;
    }
    return winner;
}

static void compute_expected(void)
{
    memset(expected, 0, sizeof expected);
    for (int p = 0; p < NPLANES; ++p)
        for (int o = 0; o < OUT; ++o)
            expected[p * IN + winner_of(src + p * IN, o / OW, o % OW)] += diff_dst[p * OUT + o];
}

static prim_memory_desc_t md_at(const prim_dim_t *dims, prim_data_type_t dt, place_t place)
{
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_string_tag(&md, 4, dims, dt, place.tag), PRIM_SUCCESS);
    md.offset0 = place.first;
    return md;
}

static void reorder(prim_memory_t *from, prim_memory_t *to, const where_t *where)
{
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    const prim_arg_t args[] = {{PRIM_ARG_FROM, from}, {PRIM_ARG_TO, to}};
    api_expect(prim_reorder_desc_create(&pd, prim_memory_get_desc(from), where->engine,
                       prim_memory_get_desc(to), where->engine, NULL),
            PRIM_SUCCESS);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_execute(primitive, where->stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(where->stream), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

/// Of f32 in NCHW, with these values.
static prim_memory_t *plain_memory(
        const prim_dim_t *dims, const float *values, size_t n, const where_t *where)
{
    const prim_memory_desc_t md = api_md(4, dims, PRIM_abcd);
    prim_memory_t *const memory = api_memory(&md, where->engine);
    if (values) api_expect(prim_memory_write(memory, values, n * sizeof *values, 0), PRIM_SUCCESS);
    return memory;
}

static prim_memory_t *uploaded(
        const prim_memory_desc_t *md, const float *values, size_t n, const where_t *where)
{
    prim_memory_t *const memory = api_memory(md, where->engine);
    prim_memory_t *const plain = plain_memory(md->dims, values, n, where);
    reorder(plain, memory, where);
    prim_memory_destroy(plain);
    return memory;
}

/// Runs the forward pass, which tells the workspace.
static prim_memory_t *run_forward(const prim_desc_t *pd, const where_t *where)
{
    prim_t *primitive = NULL;
    prim_memory_t *const from = uploaded(
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_SRC), src, NPLANES * IN, where);
    prim_memory_t *const to =
            api_memory(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_DST), where->engine);
    prim_memory_t *const ws = api_memory(
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_WORKSPACE), where->engine);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, from}, {PRIM_ARG_DST, to}, {PRIM_ARG_WORKSPACE, ws}};
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_execute(primitive, where->stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(where->stream), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_memory_destroy(from);
    prim_memory_destroy(to);
    return ws;
}

static void expect_same(
        prim_memory_t *got, const prim_desc_t *pd, const place_t places[3], const where_t *where)
{
    static float values[NPLANES * IN];
    const char *impl = NULL;
    prim_memory_t *const plain = plain_memory(in_dims, NULL, 0, where);
    reorder(got, plain, where);
    api_expect(prim_memory_read(plain, values, sizeof values, 0), PRIM_SUCCESS);
    prim_memory_destroy(plain);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &impl), PRIM_SUCCESS);
    for (int i = 0; i < NPLANES * IN; ++i)
        if (values[i] != expected[i])
            fail_msg("%s, dst %s from %d on, diff_dst %s from %d on, diff_src %s from %d on: "
                     "element %d is %g, not %g",
                    impl, places[0].tag, (int)places[0].first, places[1].tag, (int)places[1].first,
                    places[2].tag, (int)places[2].first, i, (double)values[i], (double)expected[i]);
}

static int count_nonzeros(const uint16_t *bits, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n; ++i) count += (bits[i] & 0x7fffu) != 0;
    return count;
}

/// What is padding of the result has to be 0: it has as many other elements as is expected.
static void expect_zeros_in_padding(prim_memory_t *got, place_t place)
{
    static uint16_t bits[NPLANES * IN * 2];
    int count = 0;
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(got));
    assert_true(bytes <= sizeof bits);
    api_expect(prim_memory_read(got, bits, bytes, 0), PRIM_SUCCESS);
    for (int i = 0; i < NPLANES * IN; ++i) count += expected[i] != 0;
    const size_t first = (size_t)place.first;
    assert_int_equal(count_nonzeros(bits + first, bytes / sizeof *bits - first), count);
}

/// Every implementation of the gradient, which this destroys.
static void walk(prim_desc_t *pd, prim_memory_t *ws, const place_t places[3], const where_t *where)
{
    do {
        prim_t *primitive = NULL;
        prim_memory_t *const from =
                uploaded(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_DIFF_DST),
                        diff_dst, NPLANES * OUT, where);
        prim_memory_t *const to = api_memory(
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_DIFF_SRC), where->engine);
        const prim_arg_t args[] = {
                {PRIM_ARG_DIFF_DST, from}, {PRIM_ARG_WORKSPACE, ws}, {PRIM_ARG_DIFF_SRC, to}};
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        api_expect(prim_execute(primitive, where->stream, 3, args), PRIM_SUCCESS);
        expect_same(to, pd, places, where);
        expect_zeros_in_padding(to, places[2]);
        prim_destroy(primitive);
        prim_memory_destroy(from);
        prim_memory_destroy(to);
    } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
    prim_desc_destroy(pd);
}

/// The places of dst, whose layout the workspace follows, of diff_dst and of diff_src.
static void check(const place_t places[3], const where_t *where)
{
    const prim_memory_desc_t src_md = md_at(in_dims, where->dt, (place_t){places[2].tag, 0});
    const prim_memory_desc_t dst_md = md_at(out_dims, where->dt, places[0]);
    const prim_memory_desc_t diff_dst_md = md_at(out_dims, where->dt, places[1]);
    const prim_memory_desc_t diff_src_md = md_at(in_dims, where->dt, places[2]);
    prim_desc_t *hint = NULL, *pd = NULL;
    api_expect(prim_pooling_forward_desc_create(&hint, where->engine, PRIM_FORWARD_TRAINING,
                       PRIM_POOLING_MAX, &src_md, &dst_md, stride, kernel, NULL, padding, padding,
                       NULL),
            PRIM_SUCCESS);
    prim_memory_t *const ws = run_forward(hint, where);
    api_expect(prim_pooling_backward_desc_create(&pd, where->engine, PRIM_POOLING_MAX, &diff_src_md,
                       &diff_dst_md, stride, kernel, NULL, padding, padding, hint, NULL),
            PRIM_SUCCESS);
    walk(pd, ws, places, where);
    prim_memory_destroy(ws);
    prim_desc_destroy(hint);
}

/// On every kind of engine, in both types.
static void on_all_engines(void (*check_all)(const where_t *))
{
    static const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16};
    fill();
    compute_expected();
    for (int e = 0; api_engine(e); ++e)
        for (int t = 0; t < 2; ++t) {
            const where_t where = {api_engine(e), api_stream(api_engine(e)), types[t]};
            check_all(&where);
            prim_stream_destroy(where.stream);
        }
}

static void check_layouts(const where_t *where)
{
    for (int i = 0; i < NTAGS * NTAGS * NTAGS; ++i) {
        const place_t places[] = {
                {tags[i % NTAGS], 0}, {tags[i / NTAGS % NTAGS], 0}, {tags[i / NTAGS / NTAGS], 0}};
        check(places, where);
    }
}

static void check_starts(const where_t *where)
{
    for (int i = 0; i < NTAGS * 4; ++i) {
        place_t places[] = {{tags[i / 4], 0}, {tags[i / 4], 0}, {tags[i / 4], 0}};
        if (i % 4 > 0) places[i % 4 - 1].first = 1;
        check(places, where);
    }
}

static void tensors_may_lie_differently(void **state)
{
    (void)state;
    on_all_engines(check_layouts);
}

static void tensors_may_begin_anywhere(void **state)
{
    (void)state;
    on_all_engines(check_starts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(tensors_may_lie_differently),
            cmocka_unit_test(tensors_may_begin_anywhere),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
