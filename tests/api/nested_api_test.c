// SPDX-License-Identifier: Apache-2.0
// An inner product, which runs a nested matmul: scales, bias, post-ops, scratchpads, streams and
// recordings are the user's all the same. Sums of small integers, so that every order is exact.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { M = 24, IC = 16, SIDE = 4, K = IC * SIDE * SIDE, OC = 72 };

typedef struct {
    prim_engine_t *engine;
    prim_t *primitive;
    prim_memory_t *src, *wei, *bia, *dst, *scale, *operand, *scratchpad;
} rig_t;

static float src_value(int i)
{
    return (float)(i % 5 - 2);
}

static float wei_value(int i)
{
    return (float)(i % 3 - 1);
}

static prim_memory_t *filled(
        prim_engine_t *engine, const prim_memory_desc_t *md, float (*value)(int))
{
    static float values[OC * K];
    const size_t bytes = prim_memory_desc_get_size(md);
    for (size_t i = 0; i < bytes / sizeof *values; ++i) values[i] = value((int)i);
    prim_memory_t *const memory = api_memory(md, engine);
    api_expect(prim_memory_write(memory, values, bytes, 0), PRIM_SUCCESS);
    return memory;
}

static float bia_value(int i)
{
    return (float)(i % 7);
}

static float scale_value(int i)
{
    return (float)(1 << i % 3);
}

static float operand_value(int i)
{
    return (float)(i % 11);
}

static prim_desc_t *make_desc(prim_engine_t *engine, prim_scratchpad_mode_t mode)
{
    const prim_memory_desc_t src = api_md(4, (const prim_dim_t[]){M, IC, SIDE, SIDE}, PRIM_abcd);
    const prim_memory_desc_t wei = api_md(4, (const prim_dim_t[]){OC, IC, SIDE, SIDE}, PRIM_abcd);
    const prim_memory_desc_t bia = api_vector(OC);
    const prim_memory_desc_t dst = api_md(2, (const prim_dim_t[]){M, OC}, PRIM_ab);
    const prim_memory_desc_t operand = api_md(2, (const prim_dim_t[]){1, OC}, PRIM_ab);
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    prim_desc_t *pd = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_scratchpad_mode(attr, mode), PRIM_SUCCESS);
    api_expect(prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32), PRIM_SUCCESS);
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    api_expect(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &operand), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    api_expect(prim_inner_product_forward_desc_create(
                       &pd, engine, PRIM_FORWARD_INFERENCE, &src, &wei, &bia, &dst, attr),
            PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
    return pd;
}

static rig_t open_rig(prim_engine_t *engine, prim_scratchpad_mode_t mode)
{
    prim_desc_t *const pd = make_desc(engine, mode);
    const char *name = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    assert_non_null(strstr(name, ":ip:matmul+"));
    const prim_memory_desc_t *const scratch = prim_desc_query_md(pd, PRIM_QUERY_SCRATCHPAD_MD, 0);
    rig_t rig = {.engine = engine};
    rig.src = filled(engine, prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, 0), src_value);
    rig.wei = filled(engine, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0), wei_value);
    rig.bia = filled(engine, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 1), bia_value);
    rig.dst = filled(engine, prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0), bia_value);
    const prim_memory_desc_t one = api_vector(1);
    const prim_memory_desc_t operand = api_md(2, (const prim_dim_t[]){1, OC}, PRIM_ab);
    rig.scale = filled(engine, &one, scale_value);
    rig.operand = filled(engine, &operand, operand_value);
    if (mode == PRIM_SCRATCHPAD_USER && scratch->ndims > 0)
        rig.scratchpad = api_memory(scratch, engine);
    api_expect(prim_create(&rig.primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return rig;
}

static void close_rig(rig_t *rig)
{
    prim_memory_t *const all[] = {
            rig->src, rig->wei, rig->bia, rig->dst, rig->scale, rig->operand, rig->scratchpad};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) prim_memory_destroy(all[i]);
    prim_destroy(rig->primitive);
}

static void run(const rig_t *rig, prim_stream_t *stream)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, rig->src}, {PRIM_ARG_WEIGHTS, rig->wei},
            {PRIM_ARG_BIAS, rig->bia}, {PRIM_ARG_DST, rig->dst},
            {PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, rig->scale},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, rig->operand},
            {PRIM_ARG_SCRATCHPAD, rig->scratchpad}};
    api_expect(prim_execute(rig->primitive, stream, rig->scratchpad ? 7 : 6, args), PRIM_SUCCESS);
}

static void expect_result(prim_memory_t *memory, float (*src_of)(int))
{
    static float dst[M * OC];
    api_expect(prim_memory_read(memory, dst, sizeof dst, 0), PRIM_SUCCESS);
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < OC; ++n) {
            float sum = bia_value(n);
            for (int k = 0; k < K; ++k) sum += src_of(m * K + k) * wei_value(n * K + k);
            const float expected = (sum + operand_value(n)) / scale_value(0);
            if (dst[m * OC + n] != expected)
                fail_msg("dst[%d, %d] is %g, not %g", m, n, (double)dst[m * OC + n],
                        (double)expected);
        }
}

static void computes_on_every_stream(void **state)
{
    (void)state;
    static const unsigned flags[] = {PRIM_STREAM_IN_ORDER, PRIM_STREAM_PROFILING,
            PRIM_STREAM_OUT_OF_ORDER | PRIM_STREAM_PROFILING};
    for (int e = 0; api_engine(e); ++e) {
        for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
            prim_stream_t *stream = NULL;
            const prim_status_t st = prim_stream_create(&stream, api_engine(e), flags[i]);
            if (st == PRIM_UNIMPLEMENTED) continue; // the CPU's are in order
            api_expect(st, PRIM_SUCCESS);
            rig_t rig = open_rig(api_engine(e), PRIM_SCRATCHPAD_LIBRARY);
            run(&rig, stream);
            api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
            expect_result(rig.dst, src_value);
            int ntimes = 0;
            if (flags[i] & PRIM_STREAM_PROFILING) {
                api_expect(prim_stream_get_profile(stream, &ntimes, NULL), PRIM_SUCCESS);
                assert_int_equal(ntimes, 1);
            }
            close_rig(&rig);
            prim_stream_destroy(stream);
        }
    }
}

static void takes_the_users_scratchpad(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_stream_t *const stream = api_stream(api_engine(e));
        rig_t rig = open_rig(api_engine(e), PRIM_SCRATCHPAD_USER);
        run(&rig, stream);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        expect_result(rig.dst, src_value);
        close_rig(&rig);
        prim_stream_destroy(stream);
    }
}

static void replays_with_other_memories(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_stream_t *const stream = api_stream(api_engine(e));
        rig_t rig = open_rig(api_engine(e), PRIM_SCRATCHPAD_LIBRARY);
        prim_recording_t *recording = NULL;
        api_expect(prim_recording_begin(stream), PRIM_SUCCESS);
        run(&rig, stream);
        api_expect(prim_recording_end(&recording, stream), PRIM_SUCCESS);
        static const float nothing[M * OC];
        for (int i = 0; i < 2; ++i) { // the second time all is prepared
            api_expect(prim_memory_write(rig.dst, nothing, sizeof nothing, 0), PRIM_SUCCESS);
            api_expect(prim_recording_replay(recording, stream, 0, NULL), PRIM_SUCCESS);
            api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
            expect_result(rig.dst, src_value);
        }

        const prim_memory_desc_t src =
                api_md(4, (const prim_dim_t[]){M, IC, SIDE, SIDE}, PRIM_abcd);
        const prim_memory_desc_t dst = api_md(2, (const prim_dim_t[]){M, OC}, PRIM_ab);
        prim_memory_t *const other_src = filled(rig.engine, &src, wei_value);
        prim_memory_t *const other_dst = filled(rig.engine, &dst, bia_value);
        const prim_memory_swap_t swaps[] = {{rig.src, other_src}, {rig.dst, other_dst}};
        api_expect(prim_recording_replay(recording, stream, 2, swaps), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        expect_result(other_dst, wei_value);
        prim_recording_destroy(recording);
        prim_memory_destroy(other_src);
        prim_memory_destroy(other_dst);
        close_rig(&rig);
        prim_stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(computes_on_every_stream),
            cmocka_unit_test(takes_the_users_scratchpad),
            cmocka_unit_test(replays_with_other_memories),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
