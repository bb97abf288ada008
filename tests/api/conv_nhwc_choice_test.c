// SPDX-License-Identifier: Apache-2.0
// Which implementation of the CPU engine convolutions with channels last take, on both sides of
// what decides it: few channels are read where they are, many become panels of a matrix product;
// channels of a depthwise convolution that do not fill a vector share it with those of other
// pixels.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

typedef struct {
    prim_dim_t groups, ic, oc, side, kernel; ///< channels of all groups
} problem_t;

static prim_desc_t *forward(const problem_t *p, const prim_memory_desc_t mds[3])
{
    const prim_dim_t ones[] = {1, 1}, pads[] = {p->kernel / 2, p->kernel / 2};
    prim_desc_t *pd = NULL;
    api_expect(prim_convolution_forward_desc_create(&pd, api_engine(0), PRIM_FORWARD_INFERENCE,
                       PRIM_CONVOLUTION_DIRECT, &mds[0], &mds[1], NULL, &mds[2], ones, NULL, pads,
                       pads, NULL),
            PRIM_SUCCESS);
    return pd;
}

static prim_desc_t *backward_weights(const problem_t *p, const prim_memory_desc_t mds[3])
{
    const prim_dim_t ones[] = {1, 1}, pads[] = {p->kernel / 2, p->kernel / 2};
    prim_desc_t *pd = NULL;
    api_expect(prim_convolution_backward_weights_desc_create(&pd, api_engine(0),
                       PRIM_CONVOLUTION_DIRECT, &mds[0], &mds[1], NULL, &mds[2], ones, NULL, pads,
                       pads, NULL, NULL),
            PRIM_SUCCESS);
    return pd;
}

static void expect_name(bool is_forward, const problem_t *p, const char *expected)
{
    const prim_dim_t src[] = {2, p->ic, p->side, p->side}, dst[] = {2, p->oc, p->side, p->side};
    const prim_dim_t wei[] = {
            p->groups, p->oc / p->groups, p->ic / p->groups, p->kernel, p->kernel};
    const bool has_groups = p->groups > 1;
    const prim_memory_desc_t mds[] = {api_md(4, src, PRIM_acdb),
            api_md(has_groups ? 5 : 4, has_groups ? wei : wei + 1,
                    has_groups ? PRIM_abcde : PRIM_abcd),
            api_md(4, dst, PRIM_acdb)};
    prim_desc_t *const pd = is_forward ? forward(p, mds) : backward_weights(p, mds);
    const char *name = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    assert_string_equal(name, expected);
    prim_desc_destroy(pd);
}

static void few_channels_are_read_where_they_are(void **state)
{
    (void)state;
    expect_name(true, &(problem_t){1, 3, 8, 20, 1}, "simd:conv:nhwc_direct");
    expect_name(true, &(problem_t){1, 40, 2, 20, 3}, "simd:conv:nhwc_direct");
    expect_name(true, &(problem_t){1, 256, 256, 20, 3}, "simd:conv:gemm");
}

static void channels_that_fill_no_vector_share_it(void **state)
{
    (void)state;
    expect_name(true, &(problem_t){2, 2, 2, 20, 3}, "simd:conv:nhwc_depthwise");
    expect_name(true, &(problem_t){15, 15, 15, 20, 3}, "simd:conv:nhwc_depthwise");
    expect_name(true, &(problem_t){16, 16, 16, 20, 3}, "simd:conv:depthwise");
}

static void gradients_of_few_channels_are_outer_products(void **state)
{
    (void)state;
    expect_name(false, &(problem_t){1, 3, 32, 20, 1}, "simd:conv:backward_weights_nhwc_direct");
    expect_name(false, &(problem_t){1, 40, 2, 20, 3}, "simd:conv:backward_weights_nhwc_direct");
    expect_name(false, &(problem_t){1, 256, 256, 20, 3}, "simd:conv:backward_weights_gemm");
}

static void gradients_of_depthwise_weights_go_along_channels(void **state)
{
    (void)state;
    expect_name(false, &(problem_t){2, 2, 2, 20, 3}, "simd:conv:backward_weights_nhwc_depthwise");
    expect_name(
            false, &(problem_t){64, 64, 64, 20, 3}, "simd:conv:backward_weights_nhwc_depthwise");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_channels_are_read_where_they_are),
            cmocka_unit_test(channels_that_fill_no_vector_share_it),
            cmocka_unit_test(gradients_of_few_channels_are_outer_products),
            cmocka_unit_test(gradients_of_depthwise_weights_go_along_channels)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
