// SPDX-License-Identifier: Apache-2.0
// Softmax of numbers whose exponentials do not exist, on every kind of engine and through every
// implementation: the maximum has to be subtracted first.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { NROWS = 4, NCOLUMNS = 5, NELEMS = NROWS * NCOLUMNS };

// The largest and least numbers of a row; e^1000 is beyond a double.
static const float rows[NROWS][NCOLUMNS] = {{1000, 1001, 999, 1000.5f, 900},
        {-1000, -1001, -999, -1000.5f, -5000}, {1e30f, 0, -1e30f, 1, 2}, {800, 800, 800, 800, 800}};

static void expect_row(const float *got, const float *x, bool is_log)
{
    double sum = 0, top = (double)x[0];
    for (int i = 1; i < NCOLUMNS; ++i) top = fmax(top, (double)x[i]);
    for (int i = 0; i < NCOLUMNS; ++i) sum += exp((double)x[i] - top);
    for (int i = 0; i < NCOLUMNS; ++i) {
        const double part = (double)x[i] - top;
        const double expected = is_log ? part - log(sum) : exp(part) / sum;
        // Differences of 1000 in f32 are exact here; e^x and ln are good to a few units.
        assert_true(fabs((double)got[i] - expected) <= 1e-6 * fmax(1, fabs(expected)));
    }
}

static void run(
        const prim_desc_t *pd, prim_engine_t *engine, const prim_memory_desc_t *md, bool is_log)
{
    prim_memory_t *const src = api_memory(md, engine), *const dst = api_memory(md, engine);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    float *values = NULL;
    api_expect(prim_memory_map_data(src, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < NELEMS; ++i) values[i] = rows[i / NCOLUMNS][i % NCOLUMNS];
    api_expect(prim_memory_unmap_data(src, values), PRIM_SUCCESS);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(primitive, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(dst, (void **)&values), PRIM_SUCCESS);
    for (int r = 0; r < NROWS; ++r) expect_row(values + r * NCOLUMNS, rows[r], is_log);
    api_expect(prim_memory_unmap_data(dst, values), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
}

static void large_numbers_do_not_overflow(void **state)
{
    (void)state;
    static const prim_alg_kind_t algs[] = {PRIM_SOFTMAX_ACCURATE, PRIM_SOFTMAX_LOG};
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){NROWS, NCOLUMNS}, PRIM_ab);
    for (int e = 0; api_engine(e); ++e)
        for (int a = 0; a < 2; ++a) {
            prim_desc_t *pd = NULL;
            int nimpls = 0;
            api_expect(prim_softmax_forward_desc_create(&pd, api_engine(e), PRIM_FORWARD_INFERENCE,
                               algs[a], &md, &md, 1, NULL),
                    PRIM_SUCCESS);
            do {
                run(pd, api_engine(e), &md, algs[a] == PRIM_SOFTMAX_LOG);
                ++nimpls;
            } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
            assert_true(nimpls > 0);
            prim_desc_destroy(pd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_numbers_do_not_overflow)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
