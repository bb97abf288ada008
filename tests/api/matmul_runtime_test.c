// SPDX-License-Identifier: Apache-2.0
// A matmul whose rows are counted at execution, on every engine: one primitive for more shapes than
// it may remember, twice each, and captured by a recording.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api_fixture.h"

/// Rows of src and dst are open; K×N weights. Large enough for an implementation that packs.
enum { K = 40, N = 24, MOST_ROWS = 44 };

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_t *primitive;
    prim_memory_t *wei;
} rig_t;

static prim_memory_desc_t rows(prim_dim_t m, prim_dim_t columns)
{
    return api_md(2, (const prim_dim_t[]){m, columns}, PRIM_ab);
}

static float value_at(prim_dim_t i, prim_dim_t j)
{
    return (float)((i * 5 + j * 3) % 7 - 3);
}

static prim_memory_t *filled(prim_engine_t *engine, prim_dim_t m, prim_dim_t columns)
{
    const prim_memory_desc_t md = rows(m, columns);
    prim_memory_t *const memory = api_memory(&md, engine);
    float *data = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&data), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < m; ++i)
        for (prim_dim_t j = 0; j < columns; ++j) data[i * columns + j] = value_at(i, j);
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

static void open_rig(rig_t *rig, prim_engine_t *engine)
{
    const prim_memory_desc_t src = rows(PRIM_RUNTIME_DIM_VAL, K), wei = rows(K, N);
    const prim_memory_desc_t dst = rows(PRIM_RUNTIME_DIM_VAL, N);
    prim_desc_t *pd = NULL;
    rig->engine = engine;
    rig->stream = api_stream(engine);
    rig->wei = filled(engine, K, N);
    api_expect(prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, NULL), PRIM_SUCCESS);
    api_expect(prim_create(&rig->primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
}

static void close_rig(rig_t *rig)
{
    prim_memory_destroy(rig->wei);
    prim_destroy(rig->primitive);
    prim_stream_destroy(rig->stream);
}

static void execute(const rig_t *rig, prim_memory_t *src, prim_memory_t *dst)
{
    const prim_arg_t args[] = {
            {PRIM_ARG_SRC, src}, {PRIM_ARG_WEIGHTS, rig->wei}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(rig->primitive, rig->stream, 3, args), PRIM_SUCCESS);
}

/// The product, and nothing of what dst held.
static void expect_product(const prim_memory_t *dst, prim_dim_t m)
{
    float *data = NULL;
    api_expect(prim_memory_map_data(dst, (void **)&data), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < m; ++i)
        for (prim_dim_t j = 0; j < N; ++j) {
            float sum = 0;
            for (prim_dim_t k = 0; k < K; ++k) sum += value_at(i, k) * value_at(k, j);
            assert_true(data[i * N + j] == sum);
        }
    api_expect(prim_memory_unmap_data(dst, data), PRIM_SUCCESS);
}

static void one_primitive_takes_many_shapes(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig;
        open_rig(&rig, api_engine(e));
        for (prim_dim_t i = 0; i < 2 * MOST_ROWS; i += 2) {
            const prim_dim_t m = i % MOST_ROWS + 1;
            prim_memory_t *const src = filled(rig.engine, m, K), *const dst =
                                                                         filled(rig.engine, m, N);
            execute(&rig, src, dst);
            api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
            expect_product(dst, m);
            prim_memory_destroy(src);
            prim_memory_destroy(dst);
        }
        close_rig(&rig);
    }
}

static void recordings_hold_them(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig;
        prim_recording_t *recording = NULL;
        prim_memory_t *src[2], *dst[2];
        open_rig(&rig, api_engine(e));
        for (int i = 0; i < 2; ++i) {
            src[i] = filled(rig.engine, 30 + i, K);
            dst[i] = filled(rig.engine, 30 + i, N);
        }
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        for (int i = 0; i < 2; ++i) execute(&rig, src[i], dst[i]);
        api_expect(prim_recording_end(&recording, rig.stream), PRIM_SUCCESS);
        api_expect(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_SUCCESS);
        api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
        for (int i = 0; i < 2; ++i) expect_product(dst[i], 30 + i);
        prim_recording_destroy(recording);
        for (int i = 0; i < 2; ++i) {
            prim_memory_destroy(src[i]);
            prim_memory_destroy(dst[i]);
        }
        close_rig(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(one_primitive_takes_many_shapes),
            cmocka_unit_test(recordings_hold_them),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
