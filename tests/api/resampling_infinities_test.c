// SPDX-License-Identifier: Apache-2.0
// Linear resampling beside infinities, on every kind of engine and through every implementation: a
// neighbour of weight 0 adds nothing, whatever it is, and one of some weight takes the result
// along.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 4, MAX_OUT = 2 * N };

static const float source[N] = {1, INFINITY, 2, 5};

static const struct {
    prim_dim_t n;
    float expected[MAX_OUT];
} rows[] = {
        {N, {1, INFINITY, 2, 5}},
        {2 * N, {1, INFINITY, INFINITY, INFINITY, INFINITY, 2.75f, 4.25f, 5}},
};

static void run(const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *mds,
        prim_dim_t n, const float *expected)
{
    prim_memory_t *const src = api_memory(&mds[0], engine), *const dst =
                                                                    api_memory(&mds[1], engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    const char *name = NULL;
    float *p = NULL;
    api_expect(prim_memory_map_data(src, (void **)&p), PRIM_SUCCESS);
    memcpy(p, source, sizeof source);
    api_expect(prim_memory_unmap_data(src, p), PRIM_SUCCESS);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(primitive, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(dst, (void **)&p), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < n; ++i)
        if (!(p[i] == expected[i])) // NaN is not
            fail_msg("%s: element %d of %d is %g, not %g", name, (int)i, (int)n, (double)p[i],
                    (double)expected[i]);
    api_expect(prim_memory_unmap_data(dst, p), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

static void a_weight_of_0_adds_nothing(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
            const prim_dim_t src[] = {1, 1, N}, dst[] = {1, 1, rows[r].n};
            const prim_memory_desc_t mds[] = {api_md(3, src, PRIM_abc), api_md(3, dst, PRIM_abc)};
            prim_desc_t *pd = NULL;
            api_expect(
                    prim_resampling_forward_desc_create(&pd, api_engine(e), PRIM_FORWARD_INFERENCE,
                            PRIM_RESAMPLING_LINEAR, NULL, &mds[0], &mds[1], NULL),
                    PRIM_SUCCESS);
            do run(pd, api_engine(e), mds, rows[r].n, rows[r].expected);
            while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
            prim_desc_destroy(pd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_weight_of_0_adds_nothing)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
