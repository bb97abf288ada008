// SPDX-License-Identifier: Apache-2.0
// Names of the enumerations: every value has one, no two share one, and strangers are "undef".
#include <string.h>

#include "prim/prim.h"
#include "support/unit_test.h"

typedef const char *(*name_of_t)(int value);

static const char *status_name(int value)
{
    return prim_status_name((prim_status_t)value);
}

static const char *data_type_name(int value)
{
    return prim_data_type_name((prim_data_type_t)value);
}

static const char *tag_name(int value)
{
    return prim_format_tag_name((prim_format_tag_t)value);
}

static const char *kind_name(int value)
{
    return prim_primitive_kind_name((prim_primitive_kind_t)value);
}

static const char *prop_name(int value)
{
    return prim_prop_kind_name((prim_prop_kind_t)value);
}

static const char *alg_name(int value)
{
    return prim_alg_kind_name((prim_alg_kind_t)value);
}

static const char *engine_name(int value)
{
    return prim_engine_kind_name((prim_engine_kind_t)value);
}

typedef struct {
    name_of_t name_of;
    int value;
    const char *name;
} name_case_t;

static const name_case_t cases[] = {
        {status_name, PRIM_SUCCESS, "success"},
        {status_name, PRIM_INVALID_ARGUMENTS, "invalid_arguments"},
        {status_name, PRIM_NOT_REQUIRED, "not_required"},
        {status_name, -1, "undef"},
        {data_type_name, PRIM_F32, "f32"},
        {data_type_name, PRIM_F8_E4M3, "f8_e4m3"},
        {data_type_name, PRIM_F4_E3M0, "f4_e3m0"},
        {data_type_name, PRIM_DATA_TYPE_UNDEF, "undef"},
        {data_type_name, 16, "undef"},
        {tag_name, PRIM_FORMAT_TAG_UNDEF, "undef"},
        {tag_name, PRIM_FORMAT_ANY, "any"},
        {tag_name, PRIM_NCHW, "abcd"},
        {tag_name, PRIM_NHWC, "acdb"},
        {tag_name, PRIM_nChw16c, "aBcd16b"},
        {tag_name, PRIM_gOIhw4i4o, "aBCde4c4b"},
        {tag_name, 100000, "undef"},
        {kind_name, PRIM_PRIMITIVE_UNDEF, "undef"},
        {kind_name, PRIM_REORDER, "reorder"},
        {kind_name, PRIM_BATCH_NORMALIZATION, "batch_normalization"},
        {kind_name, PRIM_GROUP_NORMALIZATION, "group_normalization"},
        {kind_name, 12, "undef"},
        {prop_name, PRIM_PROP_KIND_UNDEF, "undef"},
        {prop_name, PRIM_FORWARD, "forward_training"},
        {prop_name, PRIM_FORWARD_SCORING, "forward_inference"},
        {prop_name, PRIM_BACKWARD_BIAS, "backward_bias"},
        {alg_name, PRIM_ALG_UNDEF, "undef"},
        {alg_name, PRIM_CONVOLUTION_DIRECT, "convolution_direct"},
        {alg_name, PRIM_DECONVOLUTION_WINOGRAD, "deconvolution_winograd"},
        {alg_name, PRIM_ELTWISE_GELU_ERF, "eltwise_gelu_erf"},
        {alg_name, PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, "eltwise_clip_v2_use_dst_for_bwd"},
        {alg_name, PRIM_POOLING_AVG_EXCLUDE_PADDING, "pooling_avg_exclude_padding"},
        {alg_name, PRIM_BINARY_SELECT, "binary_select"},
        {alg_name, PRIM_SOFTMAX_LOG, "softmax_log"},
        {engine_name, PRIM_ANY_ENGINE, "any"},
        {engine_name, PRIM_CPU, "cpu"},
        {engine_name, PRIM_GPU, "gpu"},
        {engine_name, 3, "undef"},
};

static void names_by_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        assert_string_equal(cases[i].name_of(cases[i].value), cases[i].name);
}

typedef struct {
    name_of_t name_of;
    int first, last;
    int nnamed; ///< how many values in first..last have a name
} range_t;

static const range_t ranges[] = {
        {status_name, -10, 100, 7},
        {data_type_name, -10, 100, 15},
        {kind_name, -10, 100, 20},
        {prop_name, -10, 1000, 6},
        {alg_name, -10, 0x40000, 3 + 2 + 21 + 7 + 3 + 13 + 2 + 2 + 9 + 2},
        {engine_name, -10, 100, 3},
};

static void every_value_has_its_own_name(void **state)
{
    (void)state;
    enum { MAX_NAMES = 64 };
    for (size_t i = 0; i < COUNT_OF(ranges); ++i) {
        const char *names[MAX_NAMES];
        int n = 0;
        for (int value = ranges[i].first; value <= ranges[i].last; ++value) {
            const char *const name = ranges[i].name_of(value);
            if (strcmp(name, "undef") == 0) continue;
            for (int other = 0; other < n; ++other) assert_string_not_equal(names[other], name);
            assert_true(n < MAX_NAMES);
            names[n++] = name;
        }
        assert_int_equal(n, ranges[i].nnamed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(names_by_value),
            cmocka_unit_test(every_value_has_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
