// SPDX-License-Identifier: Apache-2.0
// Tensors of up to 2^40 elements, as descriptors: every operation goes through its implementations
// on every kind of engine within seconds, whatever each of them answers. Nothing is allocated.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { LIMIT_S = 120, LEAST_LOG2 = 28, MOST_LOG2 = 40 };

// Goes on to the last implementation of what `status` created.
static void walk(prim_status_t status, prim_desc_t **pd)
{
    if (status == PRIM_SUCCESS) {
        while (prim_desc_next_impl(*pd) == PRIM_SUCCESS) continue;
        prim_desc_destroy(*pd);
        *pd = NULL;
    } else {
        assert_true(status == PRIM_UNIMPLEMENTED || status == PRIM_INVALID_ARGUMENTS);
    }
}

static void walk_rows(prim_engine_t *engine, prim_dim_t rows, prim_dim_t n)
{
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){rows, n}, PRIM_ab);
    const prim_memory_desc_t row = api_md(2, (const prim_dim_t[]){1, n}, PRIM_ab);
    const prim_memory_desc_t turned = api_md(2, (const prim_dim_t[]){rows, n}, PRIM_ba);
    const prim_memory_desc_t *const both[] = {&md, &md};
    const float ones[] = {1, 1};
    prim_desc_t *pd = NULL;
    for (int axis = 0; axis < 2; ++axis) {
        walk(prim_softmax_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                     PRIM_SOFTMAX_ACCURATE, &md, &md, axis, NULL),
                &pd);
    }
    walk(prim_eltwise_forward_desc_create(
                 &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_TANH, &md, &md, 0, 0, NULL),
            &pd);
    walk(prim_binary_desc_create(&pd, engine, PRIM_BINARY_ADD, &md, &row, NULL, &md, NULL), &pd);
    walk(prim_prelu_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE, &md, &row, &md, NULL),
            &pd);
    walk(prim_sum_desc_create(&pd, engine, &md, 2, ones, both, NULL), &pd);
    walk(prim_concat_desc_create(&pd, engine, NULL, 2, 1, both, NULL), &pd);
    walk(prim_reorder_desc_create(&pd, &md, engine, &turned, engine, NULL), &pd);
}

static void of_rows(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int log2 = LEAST_LOG2; log2 <= MOST_LOG2; log2 += 2) {
            walk_rows(api_engine(e), 1, (prim_dim_t)1 << log2);
            walk_rows(api_engine(e), (prim_dim_t)1 << (log2 - 3), 8);
            walk_rows(api_engine(e), 3, ((prim_dim_t)1 << log2) / 3);
        }
    }
}

static void walk_products(prim_engine_t *engine, prim_dim_t m, prim_dim_t n, prim_dim_t k)
{
    const prim_memory_desc_t src = api_md(2, (const prim_dim_t[]){m, k}, PRIM_ab);
    const prim_memory_desc_t wei = api_md(2, (const prim_dim_t[]){k, n}, PRIM_ab);
    const prim_memory_desc_t filters = api_md(2, (const prim_dim_t[]){n, k}, PRIM_ab);
    const prim_memory_desc_t dst = api_md(2, (const prim_dim_t[]){m, n}, PRIM_ab);
    prim_desc_t *pd = NULL;
    walk(prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, NULL), &pd);
    walk(prim_inner_product_forward_desc_create(
                 &pd, engine, PRIM_FORWARD_INFERENCE, &src, &filters, NULL, &dst, NULL),
            &pd);
}

static void of_products(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int log2 = LEAST_LOG2; log2 <= MOST_LOG2; log2 += 2) {
            const prim_dim_t many = (prim_dim_t)1 << log2;
            walk_products(api_engine(e), many, 8, 4);
            walk_products(api_engine(e), 8, many, 4);
            walk_products(api_engine(e), 2, 2, many);
        }
    }
}

static void walk_planes(prim_engine_t *engine, prim_dim_t c, prim_dim_t h, prim_dim_t w)
{
    const prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){1, c, h, w}, PRIM_NCHW);
    const prim_memory_desc_t wei = api_md(4, (const prim_dim_t[]){8, c, 1, 1}, PRIM_OIHW);
    const prim_memory_desc_t out = api_md(4, (const prim_dim_t[]){1, 8, h, w}, PRIM_NCHW);
    const prim_memory_desc_t mean = api_md(4, (const prim_dim_t[]){1, c, 1, 1}, PRIM_NCHW);
    const prim_memory_desc_t half = api_md(4, (const prim_dim_t[]){1, c, h / 2, w / 2}, PRIM_NCHW);
    const prim_dim_t ones[] = {1, 1}, twos[] = {2, 2}, zeros[] = {0, 0}, all[] = {h, w};
    prim_desc_t *pd = NULL;
    walk(prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                 PRIM_CONVOLUTION_DIRECT, &md, &wei, NULL, &out, ones, NULL, zeros, NULL, NULL),
            &pd);
    walk(prim_pooling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                 PRIM_POOLING_AVG_EXCLUDE_PADDING, &md, &mean, ones, all, NULL, zeros, zeros, NULL),
            &pd);
    walk(prim_pooling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE, PRIM_POOLING_MAX,
                 &md, &half, twos, twos, NULL, zeros, zeros, NULL),
            &pd);
    walk(prim_batch_normalization_forward_desc_create(
                 &pd, engine, PRIM_FORWARD_TRAINING, &md, &md, 1e-5f, 0, NULL),
            &pd);
    walk(prim_resampling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                 PRIM_RESAMPLING_LINEAR, NULL, &half, &md, NULL),
            &pd);
}

static void of_planes(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (int log2 = LEAST_LOG2; log2 <= MOST_LOG2; log2 += 2) {
            walk_planes(api_engine(e), 4, 2, (prim_dim_t)1 << (log2 - 3));
            walk_planes(api_engine(e), (prim_dim_t)1 << (log2 - 4), 4, 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(of_rows),
            cmocka_unit_test(of_products),
            cmocka_unit_test(of_planes),
    };
    alarm(LIMIT_S); // a loop that does not end is the fault this looks for
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
