// SPDX-License-Identifier: Apache-2.0
// benchdnn's problem descriptors: parsing, spatial inference, shortest form.
#include <string.h>

#include "core/bench_descriptor.h"
#include "core/bench_text.h"
#include "support/unit_test.h"

static const field_t conv_fields[] = {
        FIELD("g", g, 1),
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD("oc", oc, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        FIELD_TRIPLE("kd", "kh", "kw", kernel, 0),
        FIELD_TRIPLE("sd", "sh", "sw", stride, 1),
        FIELD_TRIPLE("pd", "ph", "pw", pad, -1),
        FIELD_TRIPLE("dd", "dh", "dw", dilation, 0),
        {0},
};

static const field_t norm_fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        {"eps", offsetof(problem_t, eps), 0.0625, true},
        {0},
};

static const field_t resize_fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        {0},
};

static void windows_are_inferred(void **state)
{
    (void)state;
    static const struct {
        const char *given, *shortest;
    } rows[] = {
            {"ic3ih4oc5kh3", "ic3ih4oc5oh2kh3ph0"},    // p defaults to 0
            {"ic3ih7oc5oh7kh3", "ic3ih7oc5oh7kh3ph1"}, // p from o
            {"ic3ih3oc3oh1kh3ph0", "ic3ih3oc3oh1kh3ph0"},
            {"g2mb2ic4iw9oc6kw3sw2", "g2ic4iw9oc6ow4kw3sw2pw0"},
            {"g1mb3ic5ih9oc7oh9kh3ph1n\"own:a\"", "g1mb3ic5ih9oc7oh9kh3ph1"},
            {"oc8_ic4_id5_kd2_mb1", "mb1ic4id5oc8od4kd2pd0"}, // any order, cube
            {"ic1id4ih5iw6oc1kd2kh2kw2", "ic1id4ih5iw6oc1od3oh4ow5kd2kh2kw2pd0ph0pw0"},
            {"ic12ih11iw8oc12kh3kw2dh1ph2", "ic12ih11iw8oc12oh11ow7kh3kw2ph2pw0dh1dw0"},
            {"ic1ih8iw8oc1kh3kw3ph1pw1", "ic1ih8oc1oh8kh3ph1"}, // square
            {"ic1ih8oc1oh4kh3sh2ph0", "ic1ih8oc1oh4kh3sh2ph0"}, // derived back padding
            {"ic1ih6oc1oh1kh3sh2", "ic1ih6oc1oh1kh3sh2"},       // negative padding: inferred again
            {"ic1ic2ih3oc1kh3", "ic2ih3oc1oh1kh3ph0"},          // the last one counts
            // Letters of an axis without sizes repeat those of the axis it is copied from.
            {"mb1ic8_oc8_ih3oh3_kh3ph1_dh2dw2", "mb1ic8ih3oc8oh3kh3ph1dh2"},
            {"ic8oc8ih9kh3sh2sw2ph1pw1", "ic8ih9oc8oh5kh3sh2ph1"},
            {"ic8oc8id9kd2dd1dh1dw1", "ic8id9oc8od7kd2pd0dd1"},
            {"ic8oc8iw9kw2dd3dh3dw3", "ic8iw9oc8ow5kw2pw0dw3"}, // no height to dilate
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        problem_t problem, again;
        text_t printed = {0};
        assert_true(parse_fields(&problem, conv_fields, rows[i].given));
        assert_true(problem_complete_windows(&problem, "conv"));
        problem_print_fields(&printed, conv_fields, &problem, false);
        assert_string_equal(text_string(&printed), rows[i].shortest);
        // Both printed forms mean the same problem.
        for (int canonical = 0; canonical < 2; ++canonical) {
            text_clear(&printed);
            problem_print_fields(&printed, conv_fields, &problem, canonical != 0);
            assert_true(parse_fields(&again, conv_fields, text_string(&printed)));
            assert_true(problem_complete_windows(&again, "conv"));
            again.name = problem.name;
            assert_memory_equal(&again, &problem, sizeof problem);
        }
        text_free(&printed);
    }
}

static void derived_values(void **state)
{
    (void)state;
    problem_t p;
    assert_true(parse_fields(&p, conv_fields, "ic1ih7oc1oh4kh3sh2ph1"));
    assert_true(problem_complete_windows(&p, "conv"));
    assert_int_equal(p.ndims, 4);
    assert_int_equal(p.pad_back[AXIS_H], 1);
    assert_int_equal(p.in[AXIS_W], 7);
    assert_int_equal(p.in[AXIS_D], 1);
    assert_int_equal(p.pad[AXIS_D], 0);
    assert_false(p.has_groups);
    // (o-1)*s - i + K is -3: halved toward zero, the rest behind.
    assert_true(parse_fields(&p, conv_fields, "ic1ih6oc1oh1kh3sh2"));
    assert_true(problem_complete_windows(&p, "conv"));
    assert_int_equal(p.pad[AXIS_H], -1);
    assert_int_equal(p.pad_back[AXIS_H], -2);
    prim_dims_t dims;
    assert_int_equal(problem_tensor_dims(&p, 2, 3, p.in, dims), 4);
    assert_int_equal(dims[1], 3);
    assert_int_equal(dims[3], 6);
}

/// What is missing follows from the other sizes as in a convolution with src and dst exchanged.
static void transposed_windows(void **state)
{
    (void)state;
    problem_t p;
    assert_true(parse_fields(&p, conv_fields, "ic1ih5oc1kh3sh2ph1dh1"));
    assert_true(problem_complete_transposed_windows(&p, "deconv"));
    assert_int_equal(p.out[AXIS_W], 11);
    assert_int_equal(p.pad_back[AXIS_W], 1);
    assert_true(parse_fields(&p, conv_fields, "ic6ih5oc4oh9kh4sh2"));
    assert_true(problem_complete_transposed_windows(&p, "deconv"));
    assert_int_equal(p.pad[AXIS_H], 1);
    assert_int_equal(p.pad_back[AXIS_H], 2);
    assert_true(parse_fields(&p, conv_fields, "ic1ih1oc1kh1ph1"));
    assert_false(problem_complete_transposed_windows(&p, "deconv"));
}

static void bad_windows_are_refused(void **state)
{
    (void)state;
    static const char *const unparsed[] = {
            "ic", "icx", "ic-3", "ic3zz4", "ic3.5", "3ic", "+", "ic 3"};
    static const char *const incomplete[] = {"ic3oc5", "ih4oc5kh3", "ic3ih4oc5", "ic3kh3oc5",
            "ic3ih2oc5kh4", "ic3ih4oc5kh3sh0", "ic3id4ih4oc5kd3kh3", "ic3ih9oc5kh3dh1dw2",
            "ic3ih9oc5kh3sh2sw3", "ic3ih9oc5kh3ph1pw2", "ic3iw9oc5kw3sh2", "ic3iw9oc5kw3ph1",
            "ic3ih9oc5kh3iw9", "ic3ih9oc5kh3kw3", "ic3ih9oc5kh3ow9",
            "ic3ih4oc5kh9007199254740991dh9007199254740991", "ic3ih1oc5oh4503599627370497kh1sh9"};
    problem_t problem;
    for (size_t i = 0; i < COUNT_OF(unparsed); ++i)
        assert_false(parse_fields(&problem, conv_fields, unparsed[i]));
    for (size_t i = 0; i < COUNT_OF(incomplete); ++i) {
        assert_true(parse_fields(&problem, conv_fields, incomplete[i]));
        assert_false(problem_complete_windows(&problem, "conv"));
    }
}

static void inputs_and_resizes(void **state)
{
    (void)state;
    problem_t p;
    text_t printed = {0};
    assert_true(parse_fields(&p, norm_fields, "mb2ic17iw30eps0.25n\"own\""));
    assert_true(problem_complete_input(&p));
    assert_true(p.eps == 0.25);
    assert_int_equal(p.ndims, 3);
    assert_string_equal(p.name, "\"own\"");
    problem_print_fields(&printed, norm_fields, &p, false);
    assert_string_equal(text_string(&printed), "ic17iw30eps0.25");
    text_clear(&printed);
    print_field_values(&printed, norm_fields, &p);
    assert_string_equal(text_string(&printed), "2,17,1,1,30,0.25");
    text_free(&printed);

    assert_true(parse_fields(&p, norm_fields, "ic3"));
    assert_true(problem_complete_input(&p));
    assert_int_equal(p.ndims, 2);

    assert_true(parse_fields(&p, resize_fields, "ic4ih5oh9"));
    assert_true(problem_complete_resize(&p));
    assert_int_equal(p.out[AXIS_W], 9);
    assert_true(parse_fields(&p, resize_fields, "ic4ih5"));
    assert_false(problem_complete_resize(&p));
}

static void tensors_are_parsed(void **state)
{
    (void)state;
    problem_t p;
    text_t printed = {0};
    assert_true(parse_tensors(&p, 1, 3, "2x3x4:2:1x3_n\"a*2\""));
    assert_int_equal(p.ntensors, 3);
    print_tensors(&printed, &p);
    assert_string_equal(text_string(&printed), "2x3x4:2x1x1:1x3x1");
    assert_string_equal(p.name, "\"a*2\"");
    assert_int_equal(p.dst_dims[1], 3);
    problem_set_mb(&p, true, 7);
    assert_int_equal(p.dims[2][0], 7);
    assert_int_equal(p.dst_dims[0], 7);
    assert_true(parse_tensors(&p, 2, 2, "1x0x4:3x1x4"));
    assert_int_equal(p.dst_dims[0], 3);
    assert_int_equal(p.dst_dims[1], 0); // zero wins
    text_free(&printed);

    static const char *const bad[] = {"", "x3", "2x", "2x3:", "2xx3", "2x3:4x5x6", "2x-3", "a",
            "n3", "02x3", "2x3:4x5:6x7", "1x1x1x1x1x1x1x1x1x1x1x1x1"};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) assert_false(parse_tensors(&p, 1, 2, bad[i]));
    assert_false(parse_tensors(&p, 2, 2, "2x3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(windows_are_inferred),
            cmocka_unit_test(derived_values),
            cmocka_unit_test(transposed_windows),
            cmocka_unit_test(bad_windows_are_refused),
            cmocka_unit_test(inputs_and_resizes),
            cmocka_unit_test(tensors_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
