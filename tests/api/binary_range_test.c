// SPDX-License-Identifier: Apache-2.0
// Binary operations of s32 whose results do not fit: they saturate, on every kind of engine and
// through every implementation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 6 };

static const int32_t left[N] = {INT32_MAX, INT32_MIN, 1 << 20, INT32_MIN, 16777217, -7};
static const int32_t right[N] = {1, -1, 1 << 20, INT32_MAX, 1, 3};

static const struct {
    prim_alg_kind_t alg;
    int32_t expected[N];
} rows[] = {
        {PRIM_BINARY_ADD, {INT32_MAX, INT32_MIN, 1 << 21, -1, 16777218, -4}},
        {PRIM_BINARY_SUB, {INT32_MAX - 1, INT32_MIN + 1, 0, INT32_MIN, 16777216, -10}},
        {PRIM_BINARY_MUL, {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, 16777217, -21}},
};

static void write(const prim_memory_t *memory, const int32_t *values)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    memcpy(pointer, values, N * sizeof *values);
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void run(const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md,
        const int32_t *expected)
{
    prim_memory_t *const src0 = api_memory(md, engine), *const src1 = api_memory(md, engine);
    prim_memory_t *const dst = api_memory(md, engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    int32_t *got = NULL;
    write(src0, left);
    write(src1, right);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC_0, src0}, {PRIM_ARG_SRC_1, src1}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(primitive, stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(dst, (void **)&got), PRIM_SUCCESS);
    for (int i = 0; i < N; ++i) assert_int_equal(got[i], expected[i]);
    api_expect(prim_memory_unmap_data(dst, got), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src0);
    prim_memory_destroy(src1);
    prim_memory_destroy(dst);
}

static void integers_saturate(void **state)
{
    (void)state;
    const prim_dim_t n = N;
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_tag(&md, 1, &n, PRIM_S32, PRIM_a), PRIM_SUCCESS);
    for (int e = 0; api_engine(e); ++e)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
            prim_desc_t *pd = NULL;
            api_expect(prim_binary_desc_create(
                               &pd, api_engine(e), rows[r].alg, &md, &md, NULL, &md, NULL),
                    PRIM_SUCCESS);
            do run(pd, api_engine(e), &md, rows[r].expected);
            while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
            prim_desc_destroy(pd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers_saturate)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
