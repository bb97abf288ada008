// SPDX-License-Identifier: Apache-2.0
// The padding of blocked tensors holds zeros afterwards, also where a scale is infinite or zero, so
// that 0 · scale or 0 / scale is no number: every implementation, on every kind of engine.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { CHANNELS = 5, BLOCK = 16, SPACE = 6 };

static prim_memory_desc_t image(prim_format_tag_t tag)
{
    return api_md(4, (const prim_dim_t[]){1, CHANNELS, 2, 3}, tag);
}

// Ones where a tensor has elements, zeros in its padding.
static void write_ones(const prim_memory_t *memory)
{
    void *pointer = NULL;
    const prim_memory_desc_t *const md = prim_memory_get_desc(memory);
    const size_t n = prim_memory_desc_get_size(md) / sizeof(float);
    const bool is_padded = n == SPACE * BLOCK;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    for (size_t i = 0; i < n; ++i)
        ((float *)pointer)[i] = is_padded && i % BLOCK >= CHANNELS ? 0.0f : 1.0f;
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static void expect_zeros(const prim_memory_t *memory, const char *impl)
{
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    for (size_t i = 0; i < SPACE * BLOCK; ++i) {
        const float value = ((const float *)pointer)[i];
        if (i % BLOCK >= CHANNELS && value != 0)
            fail_msg("%s: element %zu of the padding is %g", impl, i, (double)value);
    }
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
}

static prim_memory_t *scale_of(prim_engine_t *engine, float value)
{
    const prim_memory_desc_t md = api_vector(1);
    prim_memory_t *const memory = api_memory(&md, engine);
    void *pointer = NULL;
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    *(float *)pointer = value;
    api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
    return memory;
}

// Executes all implementations of `pd`, which this destroys; `nsrcs` inputs from argument `src` on,
// of the descriptor `md`; the first `nscales` of the scales of src and dst have the value `scale`.
static void check(prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md, int src,
        int nsrcs, int nscales, float scale)
{
    const prim_memory_desc_t dst_md = image(PRIM_nChw16c);
    prim_stream_t *const stream = api_stream(engine);
    prim_memory_t *const values = scale_of(engine, scale);
    prim_memory_t *const srcs[] = {api_memory(md, engine), api_memory(md, engine)};
    for (int i = 0; i < 2; ++i) write_ones(srcs[i]);
    prim_status_t status = PRIM_SUCCESS;
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(pd)) {
        const char *name = NULL;
        prim_t *primitive = NULL;
        prim_memory_t *const dst = api_memory(&dst_md, engine);
        prim_arg_t args[5] = {{PRIM_ARG_DST, dst}};
        int nargs = 1;
        for (int i = 0; i < nsrcs; ++i) args[nargs++] = (prim_arg_t){src + i, srcs[i]};
        if (nscales > 0) args[nargs++] = (prim_arg_t){PRIM_ARG_ATTR_SCALES | src, values};
        if (nscales > 1) args[nargs++] = (prim_arg_t){PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, values};
        api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        api_expect(prim_execute(primitive, stream, nargs, args), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        expect_zeros(dst, name);
        prim_destroy(primitive);
        prim_memory_destroy(dst);
    }
    api_expect(status, PRIM_LAST_IMPL_REACHED);
    for (int i = 0; i < 2; ++i) prim_memory_destroy(srcs[i]);
    prim_memory_destroy(values);
    prim_stream_destroy(stream);
    prim_desc_destroy(pd);
}

static prim_attr_t *scaled(int arg, int other)
{
    prim_attr_t *attr = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_scales(attr, arg, 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
    if (other) api_expect(prim_attr_set_scales(attr, other, 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
    return attr;
}

static const float scales[] = {INFINITY, 0.0f};

static void of_reorders(void **state)
{
    (void)state;
    const prim_memory_desc_t mds[] = {image(PRIM_nChw16c), image(PRIM_NCHW), image(PRIM_NHWC)};
    for (int e = 0; api_engine(e); ++e) {
        for (int i = 0; i < 6; ++i) {
            prim_attr_t *const attr = scaled(PRIM_ARG_FROM, PRIM_ARG_TO);
            prim_desc_t *pd = NULL;
            api_expect(prim_reorder_desc_create(
                               &pd, &mds[i % 3], api_engine(e), &mds[0], api_engine(e), attr),
                    PRIM_SUCCESS);
            check(pd, api_engine(e), &mds[i % 3], PRIM_ARG_FROM, 1, 2, scales[i / 3]);
            prim_attr_destroy(attr);
        }
    }
}

static void of_binary(void **state)
{
    (void)state;
    const prim_memory_desc_t md = image(PRIM_nChw16c);
    const prim_alg_kind_t algs[] = {PRIM_BINARY_ADD, PRIM_BINARY_MUL, PRIM_BINARY_DIV};
    for (int e = 0; api_engine(e); ++e) {
        for (int i = 0; i < 6; ++i) {
            prim_attr_t *const attr = scaled(PRIM_ARG_SRC_0, 0);
            prim_desc_t *pd = NULL;
            api_expect(prim_binary_desc_create(
                               &pd, api_engine(e), algs[i % 3], &md, &md, NULL, &md, attr),
                    PRIM_SUCCESS);
            check(pd, api_engine(e), &md, PRIM_ARG_SRC_0, 2, 1, scales[i / 3]);
            prim_attr_destroy(attr);
        }
    }
}

static void of_sums(void **state)
{
    (void)state;
    const prim_memory_desc_t md = image(PRIM_nChw16c);
    const prim_memory_desc_t *const mds[] = {&md, &md};
    const float factors[] = {INFINITY, 1};
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = NULL;
        api_expect(
                prim_sum_desc_create(&pd, api_engine(e), &md, 2, factors, mds, NULL), PRIM_SUCCESS);
        check(pd, api_engine(e), &md, PRIM_ARG_MULTIPLE_SRC, 2, 0, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(of_reorders),
            cmocka_unit_test(of_binary),
            cmocka_unit_test(of_sums),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
