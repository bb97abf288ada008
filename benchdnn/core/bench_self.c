// SPDX-License-Identifier: Apache-2.0
// Tables of expectations worked out by hand: data types, layouts, attributes. tests/unit has many
// more; these run wherever the program runs, with its compiler, its libc and its rounding.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_attr_text.h"
#include "bench_layout.h"
#include "bench_numeric.h"
#include "bench_report.h"
#include "bench_self.h"
#include "bench_tag.h"
#include "bench_text.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/// Rounds to nearest, ties to even; integers saturate, f16 overflows to infinity.
static bool types_round(void)
{
    static const struct {
        prim_data_type_t dt;
        double x, rounded;
    } rows[] = {
            {PRIM_F32, 1 + 0x1p-24, 1},
            {PRIM_F32, 1 + 0x1.8p-23, 1 + 0x1p-22},
            {PRIM_F16, 2049, 2048},
            {PRIM_F16, 2051, 2052},
            {PRIM_F16, 65520, INFINITY},
            {PRIM_F16, 0x1p-25, 0},
            {PRIM_BF16, 257, 256},
            {PRIM_BF16, 259, 260},
            {PRIM_S8, 2.5, 2},
            {PRIM_S8, -200, -128},
            {PRIM_U8, -1, 0},
            {PRIM_U8, 300, 255},
            {PRIM_S32, -0.5, 0},
    };
    for (size_t i = 0; i < COUNT(rows); ++i)
        if (dt_round(rows[i].dt, rows[i].x) != rows[i].rounded) return false;
    return true;
}

/// Encoding and decoding are inverse for every pattern of 16 bits that is a number.
static bool types_encode(void)
{
    static const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16};
    for (size_t t = 0; t < COUNT(types); ++t)
        for (uint64_t bits = 0; bits < 1 << 16; ++bits) {
            const double x = dt_decode(types[t], bits);
            if (!isnan(x) && dt_encode(types[t], x) != bits) return false;
        }
    return dt_encode(PRIM_F32, 1) == 0x3f800000 && dt_encode(PRIM_BF16, -2) == 0xc000;
}

static bool tags_expand(void)
{
    static const struct {
        const char *tag;
        int ndims;
        const char *abc;
    } rows[] = {
            {"nhwc", 4, "acdb"},
            {"nChw16c", 4, "aBcd16b"},
            {"OIhw4i16o4i", 4, "ABcd4b16a4b"},
            {"axb", 5, "acdeb"},
            {"aBx16b", 2, "aB16b"},
            {"abx", 12, "abcdefghijkl"},
    };
    char abc[BENCH_MAX_TAG];
    for (size_t i = 0; i < COUNT(rows); ++i)
        if (!tag_normalise(rows[i].tag, rows[i].ndims, abc) || strcmp(abc, rows[i].abc) != 0)
            return false;
    return !tag_is_valid("a?b", false) && !tag_is_valid("", false);
}

/// 3 channels in blocks of 4: where an element lies, and that padding is seen and cleared.
static bool layouts_place(void)
{
    static const prim_dims_t dims = {2, 3, 2};
    static const double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    unsigned char bytes[16];
    double back[12];
    prim_memory_desc_t md;
    if (prim_memory_desc_init_by_tag(&md, 3, dims, PRIM_U8, PRIM_aBc4b) != PRIM_SUCCESS)
        return false;
    memset(bytes, 0xff, sizeof bytes);
    layout_store(&md, PRIM_U8, bytes, values);
    // [mb 1][w 1][channel 2] lies at 8 + 4 + 2; behind it is the padding.
    if (bytes[14] != 12 || layout_count_dirty_padding(&md, bytes) != 4) return false;
    layout_clear_padding(&md, bytes);
    layout_load(&md, PRIM_U8, bytes, back);
    return bytes[15] == 0 && layout_count_dirty_padding(&md, bytes) == 0 &&
           memcmp(back, values, sizeof values) == 0;
}

static bool attributes_parse(void)
{
    quant_spec_t scales;
    post_ops_spec_t chain;
    if (!parse_scales("src:common:0.25+wei:per_oc:f16", &scales) || scales.count != 2) return false;
    if (scales.entries[0].value != 0.25 || scales.entries[1].policy != POLICY_PER_OC) return false;
    if (!parse_post_ops("sum:2+relu:0.5+add:f32:per_oc", &chain) || chain.count != 3) return false;
    return !parse_scales("src:sometimes", &scales) && !parse_post_ops("sum:2+nothing", &chain);
}

static bool numbers_parse(void)
{
    int64_t n = 0;
    double x = 0;
    return parse_int("-12", 3, &n) && n == -12 && !parse_int("12x", 3, &n) &&
           !parse_int("", 0, &n) && parse_float("0x1p-3", 6, &x) && x == 0.125 &&
           !parse_float("1,5", 3, &x);
}

/// e^x − 1 and the rest of the functions at points where their values are known.
static bool functions_compute(void)
{
    return ref_eltwise(PRIM_ELTWISE_RELU, -2, 0.5, 0) == -1 &&
           ref_eltwise(PRIM_ELTWISE_LOGISTIC, 0, 0, 0) == 0.5 &&
           ref_eltwise(PRIM_ELTWISE_CLIP, 7, -1, 3) == 3 &&
           fabs(ref_eltwise(PRIM_ELTWISE_GELU_ERF, 1, 0, 0) - 0.8413447460685429) < 1e-15 &&
           ref_binary(PRIM_BINARY_DIV, 1, 4, 0) == 0.25 &&
           ref_binary(PRIM_BINARY_SELECT, 1, 2, 0) == 2;
}

static const struct {
    const char *name;
    bool (*holds)(void);
} checks[] = {
        {"types_round", types_round},
        {"types_encode", types_encode},
        {"tags_expand", tags_expand},
        {"layouts_place", layouts_place},
        {"attributes_parse", attributes_parse},
        {"numbers_parse", numbers_parse},
        {"functions_compute", functions_compute},
};

bool self_is_meant(const char *token)
{
    return strcmp(token, "--self") == 0;
}

int self_run(void)
{
    int nfailed = 0;
    for (size_t i = 0; i < COUNT(checks); ++i) {
        const bool holds = checks[i].holds();
        printf("%zu:%s (%s) __REPRO: --self\n", i, holds ? "PASSED" : "FAILED", checks[i].name);
        nfailed += !holds;
    }
    printf("tests:%zu passed:%d skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 "
           "failed:%d listed:0\n",
            COUNT(checks), (int)COUNT(checks) - nfailed, nfailed);
    return nfailed ? EXIT_CODE_FAILED : 0;
}
