// SPDX-License-Identifier: Apache-2.0
// Group normalisation of groups whose variance cancels where it is taken from one pass about an
// element of theirs: two of the three elements that implementations look at are far from all
// others. On every kind of engine, through every implementation.
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

// Of the first group of an image: around 1, two far off.
static float element(int n, int c, int i)
{
    const uint32_t noise = ((uint32_t)(n * 977 + c * 331 + i) * 2654435761u) >> 16;
    const int is_far =
            c / SIZE == 0 && ((c == 0 && i == SPATIAL / 4) || (c == SIZE / 2 && i == SPATIAL / 2));
    return is_far ? 1000.3f : 0.5f + (float)noise * 0x1p-16f;
}

typedef struct {
    double mean, variance;
} stats_t;

static stats_t stats_of(int n, int g)
{
    stats_t stats = {0, 0};
    for (int c = g * SIZE; c < (g + 1) * SIZE; ++c)
        for (int i = 0; i < SPATIAL; ++i) stats.mean += (double)element(n, c, i) / COUNT;
    for (int c = g * SIZE; c < (g + 1) * SIZE; ++c)
        for (int i = 0; i < SPATIAL; ++i)
            stats.variance += pow((double)element(n, c, i) - stats.mean, 2) / COUNT;
    return stats;
}

static void fill(prim_memory_t *memory, bool is_nhwc)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    for (int n = 0; n < BATCH; ++n)
        for (int c = 0; c < CHANNELS; ++c)
            for (int i = 0; i < SPATIAL; ++i)
                values[n * CHANNELS * SPATIAL + (is_nhwc ? i * CHANNELS + c : c * SPATIAL + i)] =
                        element(n, c, i);
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

// A sum of COUNT terms of random roundings (doc/numerics.md, "Batch normalisation"); the mean's are
// of the largest term. One pass about the far element would be off by its squares' roundings, a
// thousand times the variance's.
static void expect_stats(const float *mean, const float *variance)
{
    for (int set = 0; set < NSETS; ++set) {
        const stats_t stats = stats_of(set / GROUPS, set % GROUPS);
        const double bound = 8 * sqrt(COUNT) * u;
        assert_true(fabs((double)mean[set] - stats.mean) <= bound * 1000);
        assert_true(fabs((double)variance[set] - stats.variance) <= bound * stats.variance);
    }
}

static void run(
        const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md, bool is_nhwc)
{
    const prim_memory_desc_t stats = api_md(2, (const prim_dim_t[]){BATCH, GROUPS}, PRIM_ab);
    prim_memory_t *const src = api_memory(md, engine), *const dst = api_memory(md, engine);
    prim_memory_t *const mean = api_memory(&stats, engine);
    prim_memory_t *const variance = api_memory(&stats, engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    float *means = NULL, *variances = NULL;
    fill(src, is_nhwc);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}, {PRIM_ARG_MEAN, mean},
            {PRIM_ARG_VARIANCE, variance}};
    api_expect(prim_execute(primitive, stream, 4, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(mean, (void **)&means), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(variance, (void **)&variances), PRIM_SUCCESS);
    expect_stats(means, variances);
    api_expect(prim_memory_unmap_data(mean, means), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(variance, variances), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_memory_destroy(mean);
    prim_memory_destroy(variance);
}

static void variances_do_not_cancel(void **state)
{
    (void)state;
    static const prim_format_tag_t tags[] = {PRIM_abcd, PRIM_acdb};
    const prim_dim_t dims[] = {BATCH, CHANNELS, SIDE, SIDE};
    for (int e = 0; api_engine(e); ++e)
        for (int t = 0; t < 2; ++t) {
            const prim_memory_desc_t md = api_md(4, dims, tags[t]);
            prim_desc_t *pd = NULL;
            api_expect(prim_group_normalization_forward_desc_create(&pd, api_engine(e),
                               PRIM_FORWARD_TRAINING, &md, &md, GROUPS, 0.0f, 0, NULL),
                    PRIM_SUCCESS);
            do {
                run(pd, api_engine(e), &md, t == 1);
            } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
            prim_desc_destroy(pd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(variances_do_not_cancel)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
