// SPDX-License-Identifier: Apache-2.0
// benchdnn's attribute grammar: what is accepted and what it means, what is refused, and that
// printing gives a text with the same meaning.
#include <string.h>

#include "core/bench_attr_text.h"
#include "core/bench_text.h"
#include "support/unit_test.h"

static void scales_are_understood(void **state)
{
    (void)state;
    quant_spec_t spec;
    assert_true(parse_scales(
            "src:common:0.25+wei:per_oc:f16+msrc3:per_dim_01+msrc255:common:2", &spec));
    assert_int_equal(spec.count, 4);
    assert_int_equal(spec.entries[0].arg, PRIM_ARG_SRC);
    assert_true(spec.entries[0].value == 0.25);
    assert_int_equal(spec.entries[0].dt, PRIM_F32);
    assert_int_equal(spec.entries[1].arg, PRIM_ARG_WEIGHTS);
    assert_int_equal(spec.entries[1].policy, POLICY_PER_OC);
    assert_int_equal(spec.entries[1].dt, PRIM_F16);
    assert_int_equal(spec.entries[2].arg, PRIM_ARG_MULTIPLE_SRC + 3);
    assert_int_equal(spec.entries[2].policy, POLICY_PER_DIM_01);
    assert_int_equal(spec.entries[3].arg, PRIM_ARG_MULTIPLE_SRC + 255);

    assert_true(parse_scales("attr_post_op_dw_wei:per_oc+attr_post_op_dw_dst:common:2", &spec));
    assert_int_equal(spec.count, 2);
    assert_int_equal(spec.entries[0].arg, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS);
    assert_int_equal(spec.entries[1].arg, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST);

    assert_true(parse_scales("wei:PER_OCIC:f16:32x1", &spec)); // policies in any case
    assert_int_equal(spec.entries[0].ngroups, 2);
    assert_int_equal(spec.entries[0].groups[0], 32);
    assert_int_equal(spec.entries[0].groups[1], 1);

    assert_true(parse_scales("src:common:1e+3+dst:common:2", &spec)); // the + of a number
    assert_int_equal(spec.count, 2);
    assert_true(spec.entries[0].value == 1000.);
}

static void neutral_entries_vanish(void **state)
{
    (void)state;
    quant_spec_t spec;
    assert_true(parse_scales("src:common:1+dst:common", &spec));
    assert_int_equal(spec.count, 0);
    assert_true(parse_scales("src:common:1:bf16", &spec));
    assert_int_equal(spec.count, 1);
    assert_true(parse_zero_points("src:common:0", &spec));
    assert_int_equal(spec.count, 0);
    assert_true(parse_zero_points("src:per_dim_1", &spec));
    assert_int_equal(spec.count, 1);
    assert_true(parse_scales("", &spec));
    assert_int_equal(spec.count, 0);
}

static void post_ops_are_understood(void **state)
{
    (void)state;
    post_ops_spec_t spec;
    assert_true(parse_post_ops("sum:0.5:3:s8+RELU:0.25+add:f32:per_oc:axb+mul:s8:3+prelu:per_oc"
                               "+eltwise_clip:-1:2+binary_max:bf16+square+dw:k3s1p1:u8"
                               "+select:f16:per_oc:axb:5:acb+select:s8",
            &spec));
    assert_int_equal(spec.count, 11);
    assert_int_equal(spec.entries[0].kind, PRIM_SUM);
    assert_true(spec.entries[0].scale == 0.5f && spec.entries[0].zero_point == 3);
    assert_int_equal(spec.entries[0].dt, PRIM_S8);
    assert_int_equal(spec.entries[1].alg, PRIM_ELTWISE_RELU);
    assert_true(spec.entries[1].alpha == 0.25f);
    assert_int_equal(spec.entries[2].alg, PRIM_BINARY_ADD);
    assert_int_equal(spec.entries[2].operand.policy, POLICY_PER_OC);
    assert_string_equal(spec.entries[2].operand.tag, "axb");
    assert_true(spec.entries[3].operand.has_mask);
    assert_int_equal(spec.entries[3].operand.mask, 3);
    assert_int_equal(spec.entries[4].kind, PRIM_PRELU);
    assert_int_equal(spec.entries[5].alg, PRIM_ELTWISE_CLIP);
    assert_true(spec.entries[5].alpha == -1.f && spec.entries[5].beta == 2.f);
    assert_int_equal(spec.entries[6].dt, PRIM_BF16);
    assert_string_equal(spec.entries[6].operand.tag, "any");
    assert_int_equal(spec.entries[7].alg, PRIM_ELTWISE_SQUARE);
    assert_int_equal(spec.entries[8].kernel, 3);
    assert_int_equal(spec.entries[8].dt, PRIM_U8);
    assert_int_equal(spec.entries[9].alg, PRIM_BINARY_SELECT);
    assert_int_equal(spec.entries[9].operand.policy, POLICY_PER_OC);
    assert_string_equal(spec.entries[9].operand.tag, "axb");
    assert_true(spec.entries[9].condition.has_mask);
    assert_int_equal(spec.entries[9].condition.mask, 5);
    assert_string_equal(spec.entries[9].condition.tag, "acb");
    assert_int_equal(spec.entries[10].operand.policy, POLICY_COMMON);
    assert_int_equal(spec.entries[10].condition.policy, POLICY_PER_TENSOR);
    assert_string_equal(spec.entries[10].condition.tag, "any");
}

static void bad_texts_are_refused(void **state)
{
    (void)state;
    static const char *const scales[] = {"src", "src:", "src:common:", "src:common:x", "srd:common",
            "src:per_oc:f32:2", "src:per_oc:f32:2x0", "src:per_dim_0:f32:2x2", "src:common:-1",
            "src:common:2+", "src:common:2+src:common:3", "SRC:common", "src:common:2:f32:2x2:1",
            "msrc:common", "msrc-1:common", "msrc256:common", "src:everything"};
    static const char *const zero_points[] = {"src:common:1.5", "dst:common:x",
            "src:common:2147483648", "src:common:-2147483649", "wei:per_oc:q8"};
    static const char *const post_ops[] = {"relux", "relu:", "relu:a", "add", "add:f99",
            "add:f32:q", "add:f32:per_oc:nhwq", "add:f32:99999", "add:f32:-1", "select",
            "select:f32:per_oc:any:q", "select:f32:per_oc:any:per_oc:nhwq",
            "select:f32:per_oc:any:per_oc:any:1", "sum:x", "sum:1:1.5", "dw", "dw:k3", "dw:k0s1p1",
            "dw:k3s1p1x", "relu+", "prelu:7", "sum:1:0:f99", "sum:1:4294967296", "sum:1:0:s8:1",
            "prelu:per_oc:axb", "dw:k3s1p1:f32:1", "add:f32:per_oc:axb:1", "sum:"};
    quant_spec_t quant;
    post_ops_spec_t ops;
    for (size_t i = 0; i < COUNT_OF(scales); ++i) assert_false(parse_scales(scales[i], &quant));
    for (size_t i = 0; i < COUNT_OF(zero_points); ++i)
        assert_false(parse_zero_points(zero_points[i], &quant));
    for (size_t i = 0; i < COUNT_OF(post_ops); ++i) assert_false(parse_post_ops(post_ops[i], &ops));

    text_t chain = {0};
    for (int i = 0; i < PRIM_MAX_POST_OPS; ++i) text_append(&chain, i ? "+relu" : "relu");
    assert_true(parse_post_ops(text_string(&chain), &ops));
    text_append(&chain, "+relu");
    assert_false(parse_post_ops(text_string(&chain), &ops));
    text_free(&chain);
}

static void printing_is_the_inverse(void **state)
{
    (void)state;
    attr_spec_t attr = {0};
    text_t printed = {0};
    print_attr(&printed, &attr, false);
    assert_string_equal(text_string(&printed), "");

    static const char scales[] = "src:common:0.5+src1:common:2:bf16+wei:per_ocic:f16:32x1";
    static const char zero_points[] = "src:common:-3+dst:per_dim_1+wei:common:2:u8";
    static const char post_ops[] = "sum+sum:0.5+sum:1:2+sum:1:0:u8+relu+linear:2:1+linear:0:1"
                                   "+add:f32+sub:s8:per_oc+mul:f32:common:axb+ge:u8:5+prelu"
                                   "+select:f32+select:s8:per_oc+select:f32:common:any:3"
                                   "+select:f32:2:axb:per_tensor:abx"
                                   "+prelu:per_oc+dw:k3s2p1";
    assert_true(parse_scales(scales, &attr.scales));
    assert_true(parse_zero_points(zero_points, &attr.zero_points));
    assert_true(parse_post_ops(post_ops, &attr.post_ops));
    attr.acc_mode = PRIM_ACCUMULATION_F16;
    attr.fpmath = PRIM_FPMATH_BF16;
    attr.fpmath_applies_to_int = true;
    attr.scratchpad = PRIM_SCRATCHPAD_USER;
    attr.is_deterministic = true;
    print_attr(&printed, &attr, false);
    text_t expected = {0};
    text_printf(&expected,
            " --attr-scales=%s --attr-zero-points=%s --attr-post-ops=%s --attr-scratchpad=user"
            " --attr-fpmath=bf16:true --attr-acc-mode=f16 --attr-deterministic=true",
            scales, zero_points, post_ops);
    assert_string_equal(text_string(&printed), text_string(&expected));
    text_free(&printed);
    text_free(&expected);
}

static void policies_become_masks(void **state)
{
    (void)state;
    static const int masks[] = {[POLICY_COMMON] = 0,
            [POLICY_PER_OC] = 2,
            [POLICY_PER_OCIC] = 3,
            [POLICY_PER_DIM_0] = 1,
            [POLICY_PER_DIM_1] = 2,
            [POLICY_PER_DIM_01] = 3,
            [POLICY_PER_DIM_2] = 4,
            [POLICY_PER_DIM_3] = 8,
            [POLICY_PER_TENSOR] = 31};
    for (int p = 0; p < (int)COUNT_OF(masks); ++p)
        assert_int_equal(attr_default_mask((attr_policy_t)p, 5), masks[p]);
    assert_int_equal(attr_weights_mask(POLICY_PER_OC, false), 1);
    assert_int_equal(attr_weights_mask(POLICY_PER_OC, true), 3);
    assert_int_equal(attr_weights_mask(POLICY_PER_DIM_0, false), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(scales_are_understood),
            cmocka_unit_test(neutral_entries_vanish),
            cmocka_unit_test(post_ops_are_understood),
            cmocka_unit_test(bad_texts_are_refused),
            cmocka_unit_test(printing_is_the_inverse),
            cmocka_unit_test(policies_become_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
