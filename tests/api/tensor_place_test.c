// SPDX-License-Identifier: Apache-2.0
// Tensors that do not begin where their buffer does, and outputs beside one that is empty, on every
// kind of engine and through every implementation.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { PARENT = 40, FIRST = 7, N = 20 };

static void fill(const prim_memory_t *memory, int n, float first, float step)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) values[i] = first + step * (float)i;
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

// A window of a vector on both sides: elements FIRST … FIRST + N − 1, and nothing else is written.
static void check_window(const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md)
{
    const prim_memory_desc_t parent = api_vector(PARENT);
    prim_memory_t *const src_parent = api_memory(&parent, engine);
    prim_memory_t *const dst_parent = api_memory(&parent, engine);
    prim_memory_t *src = NULL, *dst = NULL;
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    void *handle = NULL;
    float *got = NULL;
    fill(src_parent, PARENT, 100, 1);
    fill(dst_parent, PARENT, -1, 0);
    api_expect(prim_memory_get_data_handle(src_parent, &handle), PRIM_SUCCESS);
    api_expect(prim_memory_create(&src, md, engine, handle), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(dst_parent, &handle), PRIM_SUCCESS);
    api_expect(prim_memory_create(&dst, md, engine, handle), PRIM_SUCCESS);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(primitive, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(dst_parent, (void **)&got), PRIM_SUCCESS);
    for (int i = 0; i < PARENT; ++i) {
        const bool is_inside = i >= FIRST && i < FIRST + N;
        assert_true(got[i] == (is_inside ? (float)(100 + i) : -1));
    }
    api_expect(prim_memory_unmap_data(dst_parent, got), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_memory_destroy(src_parent);
    prim_memory_destroy(dst_parent);
}

static void windows_begin_at_their_offset(void **state)
{
    (void)state;
    const prim_memory_desc_t parent = api_vector(PARENT);
    const prim_dim_t first = FIRST, n = N;
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_submemory(&md, &parent, &n, &first), PRIM_SUCCESS);
    assert_int_equal(md.offset0, FIRST);
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = NULL;
        int nimpls = 0;
        api_expect(prim_eltwise_forward_desc_create(&pd, api_engine(e), PRIM_FORWARD_INFERENCE,
                           PRIM_ELTWISE_RELU, &md, &md, 0, 0, NULL),
                PRIM_SUCCESS);
        do {
            check_window(pd, api_engine(e), &md);
            ++nimpls;
        } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
        assert_true(nimpls > 0);
        prim_desc_destroy(pd);
    }
}

// Batch normalisation of no images in training: dst is empty, the statistics are not.
static void outputs_beside_an_empty_one_are_written(void **state)
{
    (void)state;
    enum { CHANNELS = 3 };
    const prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){0, CHANNELS, 2, 2}, PRIM_NCHW);
    const prim_memory_desc_t channels = api_vector(CHANNELS);
    for (int e = 0; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        prim_desc_t *pd = NULL;
        prim_t *primitive = NULL;
        api_expect(prim_batch_normalization_forward_desc_create(
                           &pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 0.25f, 0, NULL),
                PRIM_SUCCESS);
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        prim_desc_destroy(pd);
        prim_stream_t *const stream = api_stream(engine);
        prim_memory_t *const src = api_memory(&md, engine), *const dst = api_memory(&md, engine);
        prim_memory_t *const statistics[] = {
                api_memory(&channels, engine), api_memory(&channels, engine)};
        for (int i = 0; i < 2; ++i) fill(statistics[i], CHANNELS, 77, 1);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst},
                {PRIM_ARG_MEAN, statistics[0]}, {PRIM_ARG_VARIANCE, statistics[1]}};
        api_expect(prim_execute(primitive, stream, 4, args), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        for (int i = 0; i < 2; ++i) {
            float *got = NULL;
            api_expect(prim_memory_map_data(statistics[i], (void **)&got), PRIM_SUCCESS);
            for (int c = 0; c < CHANNELS; ++c) assert_true(got[c] == 0);
            api_expect(prim_memory_unmap_data(statistics[i], got), PRIM_SUCCESS);
            prim_memory_destroy(statistics[i]);
        }
        prim_memory_destroy(src);
        prim_memory_destroy(dst);
        prim_stream_destroy(stream);
        prim_destroy(primitive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(windows_begin_at_their_offset),
            cmocka_unit_test(outputs_beside_an_empty_one_are_written),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
