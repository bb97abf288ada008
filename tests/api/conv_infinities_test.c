// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights beside infinities, through every implementation of the CPU
// engine: an infinity of diff_dst whose window reaches beyond src meets no zero there, so that a
// tap that shows it padding alone stays finite, and one that shows it src becomes infinite.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { SIDE = 9, IC = 3, OC = 2, K = 3, PIXELS = SIDE * SIDE, NWEIGHTS = OC * IC * K * K };

/// Of src, channel c, and of diff_dst, channel o; the first pixel of channel 0 is infinite.
static float src_at(int c, int y, int x)
{
    return (float)(1 + (c + 2 * y + x) % 4);
}

static float diff_dst_at(int o, int y, int x)
{
    return o + y + x == 0 ? INFINITY : (float)((o + y + 3 * x) % 5 - 2);
}

static float gradient(int o, int c, int kh, int kw)
{
    float sum = 0;
    for (int y = 0; y < SIDE; ++y)
        for (int x = 0; x < SIDE; ++x) {
            const int ih = y + kh - 1, iw = x + kw - 1;
            if (ih >= 0 && ih < SIDE && iw >= 0 && iw < SIDE)
                sum += src_at(c, ih, iw) * diff_dst_at(o, y, x);
        }
    return sum;
}

static prim_memory_t *filled(const prim_memory_desc_t *md, prim_engine_t *engine, int nchannels,
        float (*value)(int, int, int))
{
    prim_memory_t *const memory = api_memory(md, engine);
    float *p = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&p), PRIM_SUCCESS);
    for (int c = 0; c < nchannels; ++c)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x)
                p[c * md->strides[1] + y * md->strides[2] + x * md->strides[3]] = value(c, y, x);
    api_expect(prim_memory_unmap_data(memory, p), PRIM_SUCCESS);
    return memory;
}

static void expect_gradients(const float *p, const prim_memory_desc_t *md, const char *name)
{
    for (int i = 0; i < NWEIGHTS; ++i) {
        const int o = i / (IC * K * K), c = i / (K * K) % IC, kh = i / K % K, kw = i % K;
        const float found = p[o * md->strides[0] + c * md->strides[1] + kh * md->strides[2] +
                              kw * md->strides[3]];
        const float expected = gradient(o, c, kh, kw);
        if (!(found == expected)) // NaN is not
            fail_msg("%s: weight %d,%d,%d,%d is %g, not %g", name, o, c, kh, kw, (double)found,
                    (double)expected);
    }
}

/// src, diff_weights, diff_dst.
static void run(const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t mds[3])
{
    prim_memory_t *const src = filled(&mds[0], engine, IC, src_at);
    prim_memory_t *const diff_dst = filled(&mds[2], engine, OC, diff_dst_at);
    prim_memory_t *const diff_wei = api_memory(&mds[1], engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    const char *name = NULL;
    float *p = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    const prim_arg_t args[] = {
            {PRIM_ARG_SRC, src}, {PRIM_ARG_DIFF_DST, diff_dst}, {PRIM_ARG_DIFF_WEIGHTS, diff_wei}};
    api_expect(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(diff_wei, (void **)&p), PRIM_SUCCESS);
    expect_gradients(p, &mds[1], name);
    api_expect(prim_memory_unmap_data(diff_wei, p), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(diff_dst);
    prim_memory_destroy(diff_wei);
}

/// Through so many implementations.
static int run_all(prim_format_tag_t data_tag, prim_format_tag_t weights_tag)
{
    static const prim_dim_t src[] = {1, IC, SIDE, SIDE}, wei[] = {OC, IC, K, K},
                            dst[] = {1, OC, SIDE, SIDE}, ones[] = {1, 1};
    const prim_memory_desc_t mds[] = {
            api_md(4, src, data_tag), api_md(4, wei, weights_tag), api_md(4, dst, data_tag)};
    prim_desc_t *pd = NULL;
    api_expect(prim_convolution_backward_weights_desc_create(&pd, api_engine(0),
                       PRIM_CONVOLUTION_DIRECT, &mds[0], &mds[1], NULL, &mds[2], ones, NULL, ones,
                       ones, NULL, NULL),
            PRIM_SUCCESS);
    int count = 0;
    do run(pd, api_engine(0), mds);
    while (++count, prim_desc_next_impl(pd) == PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return count;
}

static void padding_meets_no_infinity(void **state)
{
    (void)state;
    static const prim_format_tag_t tags[] = {PRIM_abcd, PRIM_acdb};
    for (int i = 0; i < 4; ++i) assert_true(run_all(tags[i / 2], tags[i % 2]) > 1);
}

enum { HIGH = 301, WIDE = 300 };

/// One channel of so many rows and columns of diff_dst, ones, that they are computed in strips. src
/// has an infinity in row HIGH, which the first row of taps does not see.
static void expect_first_taps_finite(const prim_desc_t *pd, const prim_memory_desc_t mds[3])
{
    prim_memory_t *memories[3];
    float *p = NULL;
    for (int i = 0; i < 3; ++i) {
        memories[i] = api_memory(&mds[i], api_engine(0));
        api_expect(prim_memory_map_data(memories[i], (void **)&p), PRIM_SUCCESS);
        const prim_dim_t n = mds[i].dims[2] * mds[i].dims[3];
        for (prim_dim_t k = 0; k < n; ++k) p[k] = 1;
        if (i == 0) p[HIGH * (WIDE + K - 1)] = INFINITY;
        api_expect(prim_memory_unmap_data(memories[i], p), PRIM_SUCCESS);
    }
    prim_stream_t *const stream = api_stream(api_engine(0));
    prim_t *primitive = NULL;
    const char *name = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memories[0]}, {PRIM_ARG_DIFF_WEIGHTS, memories[1]},
            {PRIM_ARG_DIFF_DST, memories[2]}};
    api_expect(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(memories[1], (void **)&p), PRIM_SUCCESS);
    for (int i = 0; i < K; ++i)
        if (!(p[i] == HIGH * WIDE))
            fail_msg("%s: weight 0,%d is %g, not %d", name, i, (double)p[i], HIGH * WIDE);
    api_expect(prim_memory_unmap_data(memories[1], p), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    for (int i = 0; i < 3; ++i) prim_memory_destroy(memories[i]);
}

static void strips_meet_no_infinity(void **state)
{
    (void)state;
    static const prim_dim_t src[] = {1, 1, HIGH + K - 1, WIDE + K - 1}, wei[] = {1, 1, K, K},
                            dst[] = {1, 1, HIGH, WIDE}, ones[] = {1, 1}, zeros[] = {0, 0};
    const prim_memory_desc_t mds[] = {
            api_md(4, src, PRIM_abcd), api_md(4, wei, PRIM_abcd), api_md(4, dst, PRIM_abcd)};
    prim_desc_t *pd = NULL;
    api_expect(prim_convolution_backward_weights_desc_create(&pd, api_engine(0),
                       PRIM_CONVOLUTION_DIRECT, &mds[0], &mds[1], NULL, &mds[2], ones, NULL, zeros,
                       zeros, NULL, NULL),
            PRIM_SUCCESS);
    do expect_first_taps_finite(pd, mds);
    while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(padding_meets_no_infinity), cmocka_unit_test(strips_meet_no_infinity)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
