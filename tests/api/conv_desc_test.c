// SPDX-License-Identifier: Apache-2.0
// prim_convolution_forward_desc_create(): every documented refusal, layouts for `any`, attributes,
// queries.
#include "conv_rig.h"

const conv_op_t *const conv_op = &conv_direct;

static void test_tensors(void **state)
{
    (void)state;
    static const conv_case_t cases[] = {
            {"no room", "f32 abcd 2x3x1x9", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x0x5", OK, OK},
            {"empty src", "f32 abcd 2x3x8x0", "f32 abcd 4x3x3x1", NULL, "f32 abcd 2x4x4x1", OK, OK},
            {"height", "f32 abcd 2x3x8x9", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x5x5", BAD, OK},
            {"width", "f32 abcd 2x3x8x9", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x4x4", BAD, OK},
    };
    conv_expect_tensors(cases, sizeof cases / sizeof cases[0]);
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        prim_prop_kind_t prop_kind;
        prim_alg_kind_t alg;
        prim_status_t expected;
    } kinds[] = {
            {"training", PRIM_FORWARD_TRAINING, PRIM_CONVOLUTION_DIRECT, OK},
            {"auto", INFER, PRIM_CONVOLUTION_AUTO, OK},
            {"backward", PRIM_BACKWARD_WEIGHTS, PRIM_CONVOLUTION_DIRECT, BAD},
            {"algorithm of another", INFER, PRIM_ELTWISE_RELU, BAD},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        conv_call_t call = conv_good();
        call.prop_kind = kinds[i].prop_kind;
        call.alg = kinds[i].alg;
        conv_expect(kinds[i].name, &call, kinds[i].expected);
    }
}

#define HUGE (((prim_dim_t)1 << 40) + 1)

static void test_windows(void **state)
{
    (void)state;
    static const conv_window_t windows[] = {
            {"dense", 1, 0, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x7", OK},
            {"dilated", 1, 1, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x5", OK},
            {"strides over the rest", 4, 0, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x2", OK},
            {"padding of all windows", 1, 0, 5, 5, "f32 abc 1x1x9", "f32 abc 1x1x17", OK},
            {"negative padding behind", 3, 0, 0, -2, "f32 abc 1x1x9", "f32 abc 1x1x2", OK},
            {"stride 0", 0, 0, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x7", BAD},
            {"negative stride", -1, 0, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x7", BAD},
            {"negative dilation", 1, -1, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x9", BAD},
            {"negative padding in front", 1, 0, -1, 0, "f32 abc 1x1x9", "f32 abc 1x1x6", BAD},
            {"padding behind of minus the stride", 3, 0, 0, -3, "f32 abc 1x1x9", "f32 abc 1x1x2",
                    BAD},
            {"too large a stride", HUGE, 0, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x1", BAD},
            {"too large a dilation", 1, HUGE / 2, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x0", BAD},
            {"largest number", INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, "f32 abc 1x1x9",
                    "f32 abc 1x1x1", BAD},
            {"too much padding in front", 1, 0, HUGE, 0, "f32 abc 1x1x9", "f32 abc 1x1x7", BAD},
            {"too much padding behind", 1, 0, 0, HUGE, "f32 abc 1x1x9", "f32 abc 1x1x7", BAD},
    };
    conv_expect_windows(windows, sizeof windows / sizeof windows[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_tensors),
            cmocka_unit_test(conv_test_nulls),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_windows),
            cmocka_unit_test(conv_test_defaults),
            cmocka_unit_test(conv_test_quantisation),
            cmocka_unit_test(conv_test_post_ops),
            cmocka_unit_test(conv_test_any),
            cmocka_unit_test(conv_test_queries),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
