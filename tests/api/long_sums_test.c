// SPDX-License-Identifier: Apache-2.0
// Sums of many terms (doc/numerics.md, "Long sums"): every implementation, on every kind of engine.
// The first term is 2^24 and all others are 1, so that f32 loses each of them that is added to the
// first one: as many as a chain of additions is long. Products of bytes are the largest there are,
// and their sum exceeds s32.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

// Terms in the longest chain of additions; half the distance from 1 to the next f32.
enum { CHAIN = 65536 };
static const double u = 0x1p-24;

static double bound(double nterms)
{
    return (fmin(nterms, CHAIN) + nterms / CHAIN + 16) * u;
}

// What a tensor holds: the first element, then the others.
typedef struct {
    int arg;
    prim_memory_desc_t md;
    float first, others;
} input_t;

static prim_memory_desc_t md_of(
        int ndims, const prim_dim_t *dims, prim_data_type_t dt, const char *tag)
{
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_string_tag(&md, ndims, dims, dt, tag), PRIM_SUCCESS);
    return md;
}

static prim_memory_desc_t matrix(prim_dim_t rows, prim_dim_t cols, prim_data_type_t dt)
{
    return md_of(2, (const prim_dim_t[]){rows, cols}, dt, "ab");
}

// The bits of powers of two and small integers in f16 and bf16.
static uint16_t short_bits(float x, prim_data_type_t dt)
{
    union {
        float f;
        uint32_t bits;
    } as = {.f = x};
    if (dt == PRIM_BF16) return (uint16_t)(as.bits >> 16);
    return (uint16_t)((as.bits >> 13) - ((127u - 15u) << 10));
}

static void put(void *data, size_t i, prim_data_type_t dt, float x)
{
    if (dt == PRIM_F32) ((float *)data)[i] = x;
    if (dt == PRIM_F16 || dt == PRIM_BF16) ((uint16_t *)data)[i] = short_bits(x, dt);
    if (dt == PRIM_S8) ((int8_t *)data)[i] = (int8_t)x;
    if (dt == PRIM_U8) ((uint8_t *)data)[i] = (uint8_t)x;
    if (dt == PRIM_S32) ((int32_t *)data)[i] = (int32_t)x;
}

static prim_memory_t *fill(prim_engine_t *engine, const input_t *input, bool has_0)
{
    prim_memory_t *const memory = api_memory(&input->md, engine);
    const size_t n =
            prim_memory_desc_get_size(&input->md) / prim_data_type_size(input->md.data_type);
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (size_t i = 0; i < n; ++i)
        put(data, i, input->md.data_type, i == 0 ? input->first : input->others);
    if (has_0) put(data, n / 2, input->md.data_type, 0);
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return memory;
}

static double first_of(const prim_memory_t *memory)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    const bool is_s32 = prim_memory_get_desc(memory)->data_type == PRIM_S32;
    const double x = is_s32 ? (double)*(int32_t *)data : (double)*(float *)data;
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
    return x;
}

enum { MAX_ARGS = 6 };

typedef struct {
    int ninputs, noutputs, judged; // outputs follow the inputs; `judged`: one of them
    input_t tensors[MAX_ARGS];
    double expected, tolerance; // relative
    bool has_0;                 // in the middle of the first input
} problem_t;

static void run(const prim_desc_t *pd, prim_engine_t *engine, const problem_t *p)
{
    const char *name = NULL;
    prim_t *primitive = NULL;
    prim_memory_t *memories[MAX_ARGS];
    prim_arg_t args[MAX_ARGS];
    const int nargs = p->ninputs + p->noutputs;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    // Work-groups that wait at a grid barrier hold what they sum in registers: none of their sums
    // is long, and on a device that runs one work-group after the other they wait for a minute.
    if (strstr(name, "multi_group")) return;
    prim_stream_t *const stream = api_stream(engine);
    for (int i = 0; i < nargs; ++i) {
        memories[i] = fill(engine, &p->tensors[i], i == 0 && p->has_0);
        args[i] = (prim_arg_t){p->tensors[i].arg, memories[i]};
    }
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_execute(primitive, stream, nargs, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    const double found = first_of(memories[p->ninputs + p->judged]);
    if (!(fabs(found - p->expected) <= p->tolerance * fabs(p->expected)))
        fail_msg("%s: %.9g, not %.9g (relative error %.3g, allowed %.3g)", name, found, p->expected,
                fabs(found - p->expected) / fabs(p->expected), p->tolerance);
    for (int i = 0; i < nargs; ++i) prim_memory_destroy(memories[i]);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
}

// Every implementation of `pd`, which this destroys.
static void run_all(
        prim_status_t created, prim_desc_t *pd, prim_engine_t *engine, const problem_t *p)
{
    api_expect(created, PRIM_SUCCESS);
    prim_status_t status = PRIM_SUCCESS;
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(pd)) run(pd, engine, p);
    api_expect(status, PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(pd);
}

// src · wei of one row and one column, whose first product is 2^24.
static problem_t product(prim_dim_t k, prim_data_type_t dt, bool is_inner_product)
{
    const prim_memory_desc_t wei = is_inner_product ? matrix(1, k, dt) : matrix(k, 1, dt);
    return (problem_t){.ninputs = 2,
            .noutputs = 1,
            .tensors = {{PRIM_ARG_SRC, matrix(1, k, dt), 4096, 1}, {PRIM_ARG_WEIGHTS, wei, 4096, 1},
                    {PRIM_ARG_DST, matrix(1, 1, PRIM_F32), 0, 0}},
            .expected = 0x1p24 + (double)k - 1,
            .tolerance = bound((double)k)};
}

static void products_of_floats(void **state)
{
    (void)state;
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16};
    const prim_dim_t k = 1 << 18;
    for (int e = 0; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        for (int t = 0; t < 2; ++t) {
            prim_desc_t *pd = NULL;
            const problem_t p = product(k, types[t], false), q = product(k, types[t], true);
            prim_status_t status = prim_matmul_desc_create(
                    &pd, engine, &p.tensors[0].md, &p.tensors[1].md, NULL, &p.tensors[2].md, NULL);
            run_all(status, pd, engine, &p);
            if (types[t] != PRIM_F32) continue; // the same kernels once more
            status = prim_inner_product_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                    &q.tensors[0].md, &q.tensors[1].md, NULL, &q.tensors[2].md, NULL);
            run_all(status, pd, engine, &q);
        }
    }
}

// K is known at execution.
static void products_of_unknown_depth(void **state)
{
    (void)state;
    const problem_t p = product(1 << 18, PRIM_F32, false);
    const prim_dim_t any_dim = PRIM_RUNTIME_DIM_VAL;
    const prim_memory_desc_t src = matrix(1, any_dim, PRIM_F32), wei = matrix(any_dim, 1, PRIM_F32);
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = NULL;
        const prim_status_t status = prim_matmul_desc_create(
                &pd, api_engine(e), &src, &wei, NULL, &p.tensors[2].md, NULL);
        run_all(status, pd, api_engine(e), &p);
    }
}

// Bytes that all have the value of the largest magnitude, and what becomes of k products.
static void check_bytes(prim_engine_t *engine, prim_data_type_t src_dt, float src,
        prim_data_type_t wei_dt, float wei, prim_dim_t k, prim_data_type_t dst_dt)
{
    const double sum = (double)src * (double)wei * (double)k;
    problem_t p = product(k, PRIM_F32, false), q = product(k, PRIM_F32, true);
    problem_t *const both[] = {&p, &q};
    for (int i = 0; i < 2; ++i) {
        both[i]->tensors[0].md.data_type = src_dt;
        both[i]->tensors[0].first = both[i]->tensors[0].others = src;
        both[i]->tensors[1].md.data_type = wei_dt;
        both[i]->tensors[1].first = both[i]->tensors[1].others = wei;
        both[i]->tensors[2].md.data_type = dst_dt;
        both[i]->expected = dst_dt == PRIM_S32 ? fmin(fmax(sum, INT32_MIN), INT32_MAX) : sum;
        both[i]->tolerance = dst_dt == PRIM_S32 ? 0 : u; // one rounding
    }
    prim_desc_t *pd = NULL;
    prim_status_t status = prim_matmul_desc_create(
            &pd, engine, &p.tensors[0].md, &p.tensors[1].md, NULL, &p.tensors[2].md, NULL);
    run_all(status, pd, engine, &p);
    if (dst_dt != PRIM_F32 || src_dt != PRIM_S8) return; // the same kernels once more
    status = prim_inner_product_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
            &q.tensors[0].md, &q.tensors[1].md, NULL, &q.tensors[2].md, NULL);
    run_all(status, pd, engine, &q);
}

static void products_of_bytes(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        check_bytes(engine, PRIM_S8, -128, PRIM_S8, -128, 1 << 17, PRIM_S32);
        check_bytes(engine, PRIM_S8, -128, PRIM_S8, -128, 1 << 18, PRIM_F32);
        check_bytes(engine, PRIM_U8, 255, PRIM_S8, -128, 1 << 17, PRIM_F32);
        // The longest that one s32 takes.
        check_bytes(engine, PRIM_S8, -128, PRIM_S8, -128, 131071, PRIM_S32);
    }
}

// Zero points at the other end of each type: every factor is 255.
static void products_of_bytes_with_zero_points(void **state)
{
    (void)state;
    const prim_dim_t k = 1 << 16;
    problem_t p = product(k, PRIM_F32, false);
    p.tensors[0] = (input_t){PRIM_ARG_SRC, matrix(1, k, PRIM_U8), 0, 0};
    p.tensors[1] = (input_t){PRIM_ARG_WEIGHTS, matrix(k, 1, PRIM_S8), -128, -128};
    const int zero_points = PRIM_ARG_ATTR_ZERO_POINTS;
    const prim_memory_desc_t one = md_of(1, (const prim_dim_t[]){1}, PRIM_S32, "a");
    p.ninputs = 4;
    p.tensors[4] = p.tensors[2];
    p.tensors[2] = (input_t){zero_points | PRIM_ARG_SRC, one, 255, 0};
    p.tensors[3] = (input_t){zero_points | PRIM_ARG_WEIGHTS, one, 127, 0};
    p.expected = 255. * 255. * (double)k;
    p.tolerance = u;
    prim_attr_t *attr = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    for (int i = 0; i < 2; ++i) {
        api_expect(prim_attr_set_zero_points(
                           attr, i ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32),
                PRIM_SUCCESS);
    }
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = NULL;
        const prim_status_t status = prim_matmul_desc_create(&pd, api_engine(e), &p.tensors[0].md,
                &p.tensors[1].md, NULL, &p.tensors[4].md, attr);
        run_all(status, pd, api_engine(e), &p);
    }
    prim_attr_destroy(attr);
}

static void convolutions(void **state)
{
    (void)state;
    const prim_dim_t ic = 1 << 18, shape[] = {1, ic, 1, 1}, ones[] = {1, 1}, zeros[] = {0, 0};
    for (int e = 0; api_engine(e); ++e) {
        for (int is_int = 0; is_int < 2; ++is_int) {
            problem_t p = product(ic, PRIM_F32, false);
            const prim_data_type_t dt = is_int ? PRIM_S8 : PRIM_F32;
            p.tensors[0].md = p.tensors[1].md = md_of(4, shape, dt, "abcd");
            p.tensors[2].md = md_of(4, (const prim_dim_t[]){1, 1, 1, 1}, PRIM_F32, "abcd");
            for (int i = 0; is_int && i < 2; ++i) p.tensors[i].first = p.tensors[i].others = -128;
            if (is_int) p.expected = 0x1p32;
            if (is_int) p.tolerance = 0;
            prim_desc_t *pd = NULL;
            const prim_status_t status = prim_convolution_forward_desc_create(&pd, api_engine(e),
                    PRIM_FORWARD_INFERENCE, PRIM_CONVOLUTION_DIRECT, &p.tensors[0].md,
                    &p.tensors[1].md, NULL, &p.tensors[2].md, ones, NULL, zeros, NULL, NULL);
            run_all(status, pd, api_engine(e), &p);
        }
    }
}

// Means of whole planes.
static void means(void **state)
{
    (void)state;
    static const prim_dim_t planes[][2] = {{4096, 4096}, {1, 1 << 20}, {1 << 20, 1}};
    static const char *const tags[] = {"abcd", "acdb"};
    const prim_dim_t ones[] = {1, 1}, zeros[] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        const prim_dim_t *const plane = planes[i < 2 ? 0 : i - 1];
        const double n = (double)(plane[0] * plane[1]);
        const problem_t p = {.ninputs = 1,
                .noutputs = 1,
                .tensors = {{PRIM_ARG_SRC,
                                    md_of(4, (const prim_dim_t[]){1, 1, plane[0], plane[1]},
                                            PRIM_F32, tags[i % 2]),
                                    0x1p24f, 1},
                        {PRIM_ARG_DST,
                                md_of(4, (const prim_dim_t[]){1, 1, 1, 1}, PRIM_F32, tags[i % 2]),
                                0, 0}},
                .expected = (0x1p24 + n - 1) / n,
                .tolerance = bound(n)};
        for (int e = 0; api_engine(e); ++e) {
            prim_desc_t *pd = NULL;
            const prim_status_t status = prim_pooling_forward_desc_create(&pd, api_engine(e),
                    PRIM_FORWARD_INFERENCE, PRIM_POOLING_AVG_EXCLUDE_PADDING, &p.tensors[0].md,
                    &p.tensors[1].md, ones, plane, NULL, zeros, zeros, NULL);
            run_all(status, pd, api_engine(e), &p);
        }
    }
}

// The first exponential of a row is 1, the others 2^-24.
static void softmax_of_long_rows(void **state)
{
    (void)state;
    const prim_dim_t n = 1 << 20;
    for (int axis = 0; axis < 2; ++axis) {
        const prim_dim_t dims[2] = {axis ? 1 : n, axis ? n : 4};
        const prim_memory_desc_t md = md_of(2, dims, PRIM_F32, "ab");
        const problem_t p = {.ninputs = 1,
                .noutputs = 1,
                .tensors = {{PRIM_ARG_SRC, md, 0, -16.635532f}, {PRIM_ARG_DST, md, 0, 0}},
                .expected = 1 / (1 + (double)(n - 1) * exp((double)-16.635532f)),
                .tolerance = bound((double)n)};
        for (int e = 0; api_engine(e); ++e) {
            prim_desc_t *pd = NULL;
            const prim_status_t status = prim_softmax_forward_desc_create(&pd, api_engine(e),
                    PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, axis, NULL);
            run_all(status, pd, api_engine(e), &p);
        }
    }
}

// The variance of 4096 and ones. A 0 in the middle is what `nchw_channel_per_group` takes
// differences from, so that their squares are 2^24 and ones.
static void variances(void **state)
{
    (void)state;
    static const char *const tags[] = {"abcd", "acdb"};
    const prim_dim_t dims[] = {1, 1, 2048, 2048};
    const double n = 2048. * 2048.;
    for (int t = 0; t < 2; ++t) {
        const prim_memory_desc_t md = md_of(4, dims, PRIM_F32, tags[t]);
        const prim_memory_desc_t vector = md_of(1, (const prim_dim_t[]){1}, PRIM_F32, "a");
        const double mean = (4096 + (n - 2)) / n, squares = (0x1p24 + (n - 2)) / n;
        const problem_t p = {.ninputs = 1,
                .noutputs = 3,
                .judged = 2,
                .has_0 = true,
                .tensors = {{PRIM_ARG_SRC, md, 4096, 1}, {PRIM_ARG_DST, md, 0, 0},
                        {PRIM_ARG_MEAN, vector, 0, 0}, {PRIM_ARG_VARIANCE, vector, 0, 0}},
                .expected = squares - mean * mean,
                // Of the squares, relative to what remains of them.
                .tolerance = bound(n) * squares / (squares - mean * mean)};
        for (int e = 0; api_engine(e); ++e) {
            prim_desc_t *pd = NULL;
            const prim_status_t status = prim_batch_normalization_forward_desc_create(
                    &pd, api_engine(e), PRIM_FORWARD_TRAINING, &md, &md, 1e-5f, 0, NULL);
            run_all(status, pd, api_engine(e), &p);
        }
    }
}

// The next of positive numbers with all digits.
static float random_of(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) * 0x1p-24f;
}

// 2^24 random products, by what each engine prefers.
static void a_very_long_product(void **state)
{
    (void)state;
    const prim_dim_t k = 1 << 24;
    const problem_t p = product(k, PRIM_F32, false);
    for (int e = 0; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        prim_memory_t *memories[3];
        float *data[2];
        for (int i = 0; i < 3; ++i) memories[i] = api_memory(&p.tensors[i].md, engine);
        for (int i = 0; i < 2; ++i)
            api_expect(prim_memory_map_data(memories[i], (void **)&data[i]), PRIM_SUCCESS);
        uint64_t seed = 88172645463325252u;
        double expected = 0;
        for (prim_dim_t i = 0; i < k; ++i) {
            for (int j = 0; j < 2; ++j) data[j][i] = random_of(&seed);
            expected += (double)data[0][i] * (double)data[1][i];
        }
        for (int i = 0; i < 2; ++i)
            api_expect(prim_memory_unmap_data(memories[i], data[i]), PRIM_SUCCESS);
        prim_desc_t *pd = NULL;
        prim_t *primitive = NULL;
        prim_stream_t *const stream = api_stream(engine);
        api_expect(prim_matmul_desc_create(&pd, engine, &p.tensors[0].md, &p.tensors[1].md, NULL,
                           &p.tensors[2].md, NULL),
                PRIM_SUCCESS);
        api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
        api_expect(prim_execute(primitive, stream, 3,
                           (prim_arg_t[]){{PRIM_ARG_SRC, memories[0]},
                                   {PRIM_ARG_WEIGHTS, memories[1]}, {PRIM_ARG_DST, memories[2]}}),
                PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        const double found = first_of(memories[2]);
        if (!(fabs(found - expected) <= bound((double)k) * expected))
            fail_msg("%.9g, not %.9g", found, expected);
        for (int i = 0; i < 3; ++i) prim_memory_destroy(memories[i]);
        prim_destroy(primitive);
        prim_desc_destroy(pd);
        prim_stream_destroy(stream);
    }
}

// long_sums [PATTERN [PATTERN]]: those whose names match the first and not the second; by itself,
// those that PoCL compiles in seconds.
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(products_of_floats),
            cmocka_unit_test(products_of_unknown_depth),
            cmocka_unit_test(products_of_bytes),
            cmocka_unit_test(products_of_bytes_with_zero_points),
            cmocka_unit_test(convolutions),
            cmocka_unit_test(means),
            cmocka_unit_test(softmax_of_long_rows),
            cmocka_unit_test(variances),
            cmocka_unit_test(a_very_long_product),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (argc != 2) cmocka_set_skip_filter(argc > 2 ? argv[2] : "products_of_*");
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
