// SPDX-License-Identifier: Apache-2.0
// Group normalisation of groups whose variance cancels where it is taken from one pass about an
// element of theirs: two of the three elements that implementations look at are far from all
// others; in f16, where it is taken from one pass about 0. On every kind of engine, through every
// implementation.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_fixture.h"

enum {
    BATCH = 2,
    GROUPS = 2,
    SIZE = 4, // channels of a group
    CHANNELS = GROUPS * SIZE,
    SIDE = 16,
    SPATIAL = SIDE * SIDE,
    NELEMS = BATCH * CHANNELS * SPATIAL,
    COUNT = SIZE * SPATIAL,
    NSETS = BATCH * GROUPS
};

static const double u = 0x1p-24;

static uint32_t noise_of(int n, int c, int i)
{
    return ((uint32_t)(n * 977 + c * 331 + i) * 2654435761u) >> 16;
}

// Of f16: 100 to 101, steps of 1/16, which are the lowest bit there.
enum { STEPS = 16, BITS_OF_100 = 0x5640 };

// Of f32: of the first group of an image around 1, two far off.
static float element(prim_data_type_t type, int n, int c, int i)
{
    const uint32_t noise = noise_of(n, c, i);
    if (type == PRIM_F16) return 100.0f + (float)(noise % STEPS) / STEPS;
    const int is_far =
            c / SIZE == 0 && ((c == 0 && i == SPATIAL / 4) || (c == SIZE / 2 && i == SPATIAL / 2));
    return is_far ? 1000.3f : 0.5f + (float)noise * 0x1p-16f;
}

typedef struct {
    double mean, variance;
} stats_t;

static stats_t stats_of(prim_data_type_t type, int n, int g)
{
    stats_t stats = {0, 0};
    for (int c = g * SIZE; c < (g + 1) * SIZE; ++c)
        for (int i = 0; i < SPATIAL; ++i) stats.mean += (double)element(type, n, c, i) / COUNT;
    for (int c = g * SIZE; c < (g + 1) * SIZE; ++c)
        for (int i = 0; i < SPATIAL; ++i)
            stats.variance += pow((double)element(type, n, c, i) - stats.mean, 2) / COUNT;
    return stats;
}

static void fill(prim_memory_t *memory, prim_data_type_t type, bool is_nhwc)
{
    void *values = NULL;
    api_expect(prim_memory_map_data(memory, &values), PRIM_SUCCESS);
    for (int n = 0; n < BATCH; ++n)
        for (int c = 0; c < CHANNELS; ++c)
            for (int i = 0; i < SPATIAL; ++i) {
                const int at =
                        n * CHANNELS * SPATIAL + (is_nhwc ? i * CHANNELS + c : c * SPATIAL + i);
                if (type == PRIM_F16)
                    ((uint16_t *)values)[at] = (uint16_t)(BITS_OF_100 + noise_of(n, c, i) % STEPS);
                else
                    ((float *)values)[at] = element(type, n, c, i);
            }
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

// A sum of COUNT terms of random roundings (doc/numerics.md, "Batch normalisation"); the mean's are
// of the largest term. One pass about the far element would be off by its squares' roundings, a
// thousand times the variance's.
static void expect_stats(prim_data_type_t type, const float *mean, const float *variance)
{
    for (int set = 0; set < NSETS; ++set) {
        const stats_t stats = stats_of(type, set / GROUPS, set % GROUPS);
        const double bound = 8 * sqrt(COUNT) * u;
        assert_true(fabs((double)mean[set] - stats.mean) <= bound * 1000);
        assert_true(fabs((double)variance[set] - stats.variance) <= bound * stats.variance);
    }
}

static void run(
        const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md, bool is_nhwc)
{
    const prim_data_type_t type = md->data_type;
    const prim_memory_desc_t stats = api_md(2, (const prim_dim_t[]){BATCH, GROUPS}, PRIM_ab);
    prim_memory_t *const src = api_memory(md, engine), *const dst = api_memory(md, engine);
    prim_memory_t *const mean = api_memory(&stats, engine);
    prim_memory_t *const variance = api_memory(&stats, engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    float *means = NULL, *variances = NULL;
    fill(src, type, is_nhwc);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}, {PRIM_ARG_MEAN, mean},
            {PRIM_ARG_VARIANCE, variance}};
    api_expect(prim_execute(primitive, stream, 4, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(mean, (void **)&means), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(variance, (void **)&variances), PRIM_SUCCESS);
    expect_stats(type, means, variances);
    api_expect(prim_memory_unmap_data(mean, means), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(variance, variances), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_memory_destroy(mean);
    prim_memory_destroy(variance);
}

static void run_all(prim_engine_t *engine, prim_data_type_t type, prim_format_tag_t tag)
{
    const prim_dim_t dims[] = {BATCH, CHANNELS, SIDE, SIDE};
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    api_expect(prim_memory_desc_init_by_tag(&md, 4, dims, type, tag), PRIM_SUCCESS);
    api_expect(prim_group_normalization_forward_desc_create(
                       &pd, engine, PRIM_FORWARD_TRAINING, &md, &md, GROUPS, 0.0f, 0, NULL),
            PRIM_SUCCESS);
    do {
        run(pd, engine, &md, tag == PRIM_acdb);
    } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
    prim_desc_destroy(pd);
}

static void variances_do_not_cancel(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e)
        for (int t = 0; t < 2; ++t)
            for (int is_short = 0; is_short < 2; ++is_short)
                run_all(api_engine(e), is_short ? PRIM_F16 : PRIM_F32, t ? PRIM_acdb : PRIM_abcd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(variances_do_not_cancel)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
