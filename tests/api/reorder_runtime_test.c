// SPDX-License-Identifier: Apache-2.0
// Reorders whose dimensions or strides come at execution, on every engine: one primitive for two
// shapes, strides that are open beside a blocked dst with padding, and what does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api_fixture.h"

#define R PRIM_RUNTIME_DIM_VAL

enum { NDIMS = 3 };

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_t *primitive;
} rig_t;

static prim_status_t create(prim_desc_t **pd, prim_engine_t *src_engine,
        const prim_memory_desc_t *src, prim_engine_t *dst_engine, const prim_memory_desc_t *dst)
{
    return prim_reorder_desc_create(pd, src, src_engine, dst, dst_engine, NULL);
}

static void open_rig(rig_t *rig, prim_engine_t *engine, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst)
{
    prim_desc_t *pd = NULL;
    rig->engine = engine;
    rig->stream = api_stream(engine);
    api_expect(create(&pd, engine, src, engine, dst), PRIM_SUCCESS);
    api_expect(prim_create(&rig->primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
}

static void close_rig(rig_t *rig)
{
    prim_destroy(rig->primitive);
    prim_stream_destroy(rig->stream);
}

static prim_memory_desc_t by_strides(const prim_dim_t *dims, const prim_dim_t *strides)
{
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_strides(&md, NDIMS, dims, PRIM_F32, strides), PRIM_SUCCESS);
    return md;
}

/// A different number for every position.
static float value_at(const prim_dim_t *at)
{
    return (float)(at[0] * 10000 + at[1] * 100 + at[2] + 1);
}

static int64_t elems(const prim_memory_desc_t *md)
{
    return (int64_t)(prim_memory_desc_get_size(md) / sizeof(float));
}

static prim_memory_t *filled(const prim_memory_desc_t *md, prim_engine_t *engine, bool has_values)
{
    prim_memory_t *const memory = api_memory(md, engine);
    float *data = NULL;
    prim_dims_t at = {0};
    api_expect(prim_memory_map_data(memory, (void **)&data), PRIM_SUCCESS);
    for (int64_t i = 0; i < elems(md); ++i) data[i] = -1;
    for (at[0] = 0; has_values && at[0] < md->dims[0]; ++at[0])
        for (at[1] = 0; at[1] < md->dims[1]; ++at[1])
            for (at[2] = 0; at[2] < md->dims[2]; ++at[2])
                data[at[0] * md->strides[0] + at[1] * md->strides[1] + at[2] * md->strides[2]] =
                        value_at(at);
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

static prim_status_t run(const rig_t *rig, prim_memory_t *src, prim_memory_t *dst)
{
    const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
    const prim_status_t st = prim_execute(rig->primitive, rig->stream, 2, args);
    return st == PRIM_SUCCESS ? prim_stream_wait(rig->stream) : st;
}

static void expect_plain(const prim_memory_t *memory, const prim_memory_desc_t *md)
{
    float *data = NULL;
    prim_dims_t at = {0};
    api_expect(prim_memory_map_data(memory, (void **)&data), PRIM_SUCCESS);
    for (at[0] = 0; at[0] < md->dims[0]; ++at[0])
        for (at[1] = 0; at[1] < md->dims[1]; ++at[1])
            for (at[2] = 0; at[2] < md->dims[2]; ++at[2]) {
                const float got = data[at[0] * md->strides[0] + at[1] * md->strides[1] +
                                       at[2] * md->strides[2]];
                assert_true(got == value_at(at));
            }
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

static void check_shape(const rig_t *rig, const prim_dim_t *dims)
{
    const prim_memory_desc_t src_md = api_md(NDIMS, dims, PRIM_abc);
    const prim_memory_desc_t dst_md =
            by_strides(dims, (const prim_dim_t[]){dims[1], 1, dims[0] * dims[1] + 3});
    prim_memory_t *const src = filled(&src_md, rig->engine, true);
    prim_memory_t *const dst = filled(&dst_md, rig->engine, false);
    api_expect(run(rig, src, dst), PRIM_SUCCESS);
    expect_plain(dst, &dst_md);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

static void one_primitive_takes_many_shapes(void **state)
{
    (void)state;
    const prim_memory_desc_t src = by_strides(
                                     (const prim_dim_t[]){R, R, 4}, (const prim_dim_t[]){R, 4, 1}),
                             dst = by_strides(
                                     (const prim_dim_t[]){R, R, 4}, (const prim_dim_t[]){R, 1, R});
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig;
        open_rig(&rig, api_engine(e), &src, &dst);
        check_shape(&rig, (const prim_dim_t[]){3, 5, 4});
        check_shape(&rig, (const prim_dim_t[]){1, 70, 4});
        check_shape(&rig, (const prim_dim_t[]){0, 5, 4});
        close_rig(&rig);
    }
}

static void open_strides_meet_blocks(void **state)
{
    (void)state;
    const prim_dim_t dims[] = {2, 6, 5};
    const prim_memory_desc_t open = by_strides(dims, (const prim_dim_t[]){R, R, R});
    const prim_memory_desc_t src_md = by_strides(dims, (const prim_dim_t[]){1, 20, 3});
    const prim_memory_desc_t dst_md = api_md(NDIMS, dims, PRIM_aBc4b);
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig;
        float *data = NULL;
        open_rig(&rig, api_engine(e), &open, &dst_md);
        prim_memory_t *const src = filled(&src_md, rig.engine, true);
        prim_memory_t *const dst = filled(&dst_md, rig.engine, false);
        api_expect(run(&rig, src, dst), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(dst, (void **)&data), PRIM_SUCCESS);
        for (int i = 0; i < 2 * 8 * 5; ++i) { // [2][2 blocks][5][4 channels]
            const prim_dim_t at[] = {i / 40, i / 20 % 2 * 4 + i % 4, i / 4 % 5};
            assert_true(data[i] == (at[1] < 6 ? value_at(at) : 0));
        }
        api_expect(prim_memory_unmap_data(dst, data), PRIM_SUCCESS);
        prim_memory_destroy(src);
        prim_memory_destroy(dst);
        close_rig(&rig);
    }
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const prim_memory_desc_t open =
            by_strides((const prim_dim_t[]){R, 3, 4}, (const prim_dim_t[]){12, 4, 1});
    const prim_memory_desc_t two = api_md(NDIMS, (const prim_dim_t[]){2, 3, 4}, PRIM_abc);
    const prim_memory_desc_t three = api_md(NDIMS, (const prim_dim_t[]){3, 3, 4}, PRIM_abc);
    const prim_memory_desc_t other = api_md(NDIMS, (const prim_dim_t[]){2, 3, 5}, PRIM_abc);
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig;
        open_rig(&rig, api_engine(e), &open, &open);
        prim_memory_t *const a = filled(&two, rig.engine, true);
        prim_memory_t *const b = filled(&three, rig.engine, false);
        prim_memory_t *const c = filled(&other, rig.engine, false);
        api_expect(run(&rig, a, b), PRIM_INVALID_ARGUMENTS);
        api_expect(run(&rig, a, c), PRIM_INVALID_ARGUMENTS);
        prim_memory_destroy(a);
        prim_memory_destroy(b);
        prim_memory_destroy(c);
        close_rig(&rig);
    }
}

static void two_engines_need_known_shapes(void **state)
{
    (void)state;
    const prim_memory_desc_t open =
            by_strides((const prim_dim_t[]){R, 3, 4}, (const prim_dim_t[]){12, 4, 1});
    prim_desc_t *pd = UNTOUCHED(prim_desc_t *);
    if (!api_engine(1)) skip();
    api_expect(create(&pd, api_engine(0), &open, api_engine(1), &open), PRIM_UNIMPLEMENTED);
    api_expect(create(&pd, api_engine(1), &open, api_engine(0), &open), PRIM_UNIMPLEMENTED);
    assert_ptr_equal(pd, UNTOUCHED(prim_desc_t *));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(one_primitive_takes_many_shapes),
            cmocka_unit_test(open_strides_meet_blocks),
            cmocka_unit_test(shapes_that_do_not_fit_are_refused),
            cmocka_unit_test(two_engines_need_known_shapes),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
