// SPDX-License-Identifier: Apache-2.0
// prim_deconvolution_forward_desc_create(): every documented refusal, layouts for `any`,
// attributes, queries.
#include "conv_rig.h"

const conv_op_t *const conv_op = &conv_transposed;

static void test_tensors(void **state)
{
    (void)state;
    static const conv_case_t cases[] = {
            {"no room", "f32 abcd 2x3x0x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x1x9", OK, OK},
            {"empty dst", "f32 abcd 2x3x4x1", "f32 abcd 4x3x3x1", NULL, "f32 abcd 2x4x8x0", OK, OK},
            {"one more row of dst", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL,
                    "f32 abcd 2x4x9x9", OK, OK},
            {"height", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x6x9", BAD, OK},
            {"width", "f32 abcd 2x3x4x5", "f32 abcd 4x3x3x3", NULL, "f32 abcd 2x4x8x8", BAD, OK},
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
            {"training", PRIM_FORWARD_TRAINING, PRIM_DECONVOLUTION_DIRECT, OK},
            {"Winograd's", INFER, PRIM_DECONVOLUTION_WINOGRAD, UN},
            {"convolution's", INFER, PRIM_CONVOLUTION_DIRECT, BAD},
            {"backward", PRIM_BACKWARD_WEIGHTS, PRIM_DECONVOLUTION_DIRECT, BAD},
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
            {"dense", 1, 0, 0, 0, "f32 abc 1x1x7", "f32 abc 1x1x9", OK},
            {"dilated", 1, 1, 0, 0, "f32 abc 1x1x5", "f32 abc 1x1x9", OK},
            {"strides over the rest", 4, 0, 0, 0, "f32 abc 1x1x2", "f32 abc 1x1x9", OK},
            {"padding of all windows", 1, 0, 5, 5, "f32 abc 1x1x17", "f32 abc 1x1x9", OK},
            {"negative padding behind", 3, 0, 0, -2, "f32 abc 1x1x2", "f32 abc 1x1x9", OK},
            {"another size", 1, 0, 0, 0, "f32 abc 1x1x8", "f32 abc 1x1x9", BAD},
            {"stride 0", 0, 0, 0, 0, "f32 abc 1x1x7", "f32 abc 1x1x9", BAD},
            {"negative stride", -1, 0, 0, 0, "f32 abc 1x1x7", "f32 abc 1x1x9", BAD},
            {"negative dilation", 1, -1, 0, 0, "f32 abc 1x1x9", "f32 abc 1x1x9", BAD},
            {"negative padding in front", 1, 0, -1, 0, "f32 abc 1x1x6", "f32 abc 1x1x9", BAD},
            {"padding behind of minus the stride", 3, 0, 0, -3, "f32 abc 1x1x2", "f32 abc 1x1x9",
                    BAD},
            {"too large a stride", HUGE, 0, 0, 0, "f32 abc 1x1x1", "f32 abc 1x1x9", BAD},
            {"too large a dilation", 1, HUGE / 2, 0, 0, "f32 abc 1x1x0", "f32 abc 1x1x9", BAD},
            {"too much padding in front", 1, 0, HUGE, 0, "f32 abc 1x1x7", "f32 abc 1x1x9", BAD},
            {"too much padding behind", 1, 0, 0, HUGE, "f32 abc 1x1x7", "f32 abc 1x1x9", BAD},
    };
    conv_expect_windows(windows, sizeof windows / sizeof windows[0]);
}

/// A bias in blocks of blocks, one of them for all channels, whose number squared no integer holds.
static void test_large_block(void **state)
{
    (void)state;
    conv_call_t call = conv_good();
    call.src = "f32 abc 1x1x1";
    call.wei = "f32 abc 15999968000016x1x1";
    call.bia = "f32 A999999a999999a16a 15999968000016";
    call.dst = "f32 abc 1x15999968000016x1";
    call.strides[0] = 1;
    call.pad_l[0] = call.pad_r[0] = 0;
    conv_expect("one block", &call, OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_tensors),
            cmocka_unit_test(conv_test_nulls),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_windows),
            cmocka_unit_test(test_large_block),
            cmocka_unit_test(conv_test_defaults),
            cmocka_unit_test(conv_test_quantisation),
            cmocka_unit_test(conv_test_post_ops),
            cmocka_unit_test(conv_test_any),
            cmocka_unit_test(conv_test_queries),
    };
    return cmocka_run_group_tests(tests, op_setup, op_teardown);
}
