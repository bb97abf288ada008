// SPDX-License-Identifier: Apache-2.0
// prim_deconvolution_backward_data_desc_create() and …_backward_weights_…: every documented
// refusal, the hint, layouts for `any`, queries, empty tensors.
#include "conv_rig.h"

const conv_op_t *const conv_op = &conv_transposed;

static void test_tensors(void **state)
{
    (void)state;
    static const conv_case_t cases[] = {
            {"no room", "f32 abcd 2x6x0x5", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x4x1x9", OK,
                    OK},
            {"height", "f32 abcd 2x6x4x5", "f32 abcde 2x2x3x3x3", NULL, "f32 abcd 2x4x6x9", BAD,
                    BAD},
    };
    conv_expect_gradients(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_tensors),
            cmocka_unit_test(conv_test_gradient_nulls),
            cmocka_unit_test(conv_test_gradient_algorithms),
            cmocka_unit_test(conv_test_gradient_attributes),
            cmocka_unit_test(conv_test_gradient_hint),
            cmocka_unit_test(conv_test_gradient_any),
            cmocka_unit_test(conv_test_gradient_queries),
            cmocka_unit_test(conv_test_gradient_empty),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
