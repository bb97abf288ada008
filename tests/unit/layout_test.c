// SPDX-License-Identifier: Apache-2.0
// Layout names: what is one and what is not, the strides each stands for, and the way back.
#include <string.h>

#include "common/memory_desc.h"
#include "common/memory_desc_tag.h"
#include "prim/prim.h"
#include "support/unit_test.h"

typedef struct {
    const char *spelling, *canonical;
} spelling_t;

static const spelling_t spellings[] = {
        {"a", "a"},
        {"x", "a"},
        {"ab", "ab"},
        {"ba", "ba"},
        {"nc", "ab"},
        {"cn", "ba"},
        {"tn", "ab"},
        {"nt", "ba"},
        {"nchwd", "abdec"},
        {"ncw", "abc"},
        {"nwc", "acb"},
        {"nchw", "abcd"},
        {"nhwc", "acdb"},
        {"chwn", "bcda"},
        {"ncdhw", "abcde"},
        {"ndhwc", "acdeb"},
        {"oi", "ab"},
        {"io", "ba"},
        {"oiw", "abc"},
        {"owi", "acb"},
        {"wio", "cba"},
        {"woi", "cab"},
        {"iwo", "bca"},
        {"oihw", "abcd"},
        {"hwio", "cdba"},
        {"ohwi", "acdb"},
        {"ihwo", "bcda"},
        {"iohw", "bacd"},
        {"oidhw", "abcde"},
        {"iodhw", "bacde"},
        {"dhwio", "cdeba"},
        {"odhwi", "acdeb"},
        {"idhwo", "bcdea"},
        {"goiw", "abcd"},
        {"gowi", "abdc"},
        {"wigo", "dcab"},
        {"goihw", "abcde"},
        {"gohwi", "abdec"},
        {"hwigo", "decab"},
        {"giohw", "acbde"},
        {"goidhw", "abcdef"},
        {"giodhw", "acbdef"},
        {"dhwigo", "defcab"},
        {"tnc", "abc"},
        {"ntc", "bac"},
        {"ldnc", "abcd"},
        {"ldigo", "abcde"},
        {"ldgoi", "abdec"},
        {"ldio", "abcd"},
        {"ldoi", "abdc"},
        {"ldgo", "abcd"},
        {"nCw32c", "aBc32b"},
        {"nChw16c", "aBcd16b"},
        {"nCdhw4c", "aBcde4b"},
        {"OIhw16i16o", "ABcd16b16a"},
        {"OIhw4i4o", "ABcd4b4a"},
        {"OIw8o8i", "ABc8a8b"},
        {"Ohwi16o", "Acdb16a"},
        {"gOIhw8i8o", "aBCde8c8b"},
        {"Goihw16g", "Abcde16a"},
        {"Goidhw16g", "Abcdef16a"},
        {"ABcd4b16a4b", "ABcd4b16a4b"},
        {"BA16a16b4a", "BA16a16b4a"},
        {"aB2b3b5b", "aB2b3b5b"},
        {"lkjihgfedcba", "lkjihgfedcba"},
        {"abcdefghijkl", "abcdefghijkl"},
        {"abcdefghijkL999999l", "abcdefghijkL999999l"},
        {"A2a2a2a2a2a2a2a2a2a2a2a2a", "A2a2a2a2a2a2a2a2a2a2a2a2a"},
};

static void spellings_have_canonical_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(spellings); ++i) {
        layout_t layout;
        char text[64];
        if (!prim__layout_parse(&layout, spellings[i].spelling))
            fail_msg("%s is refused", spellings[i].spelling);
        prim__layout_text(&layout, text);
        assert_string_equal(text, spellings[i].canonical);
    }
}

static const char *const bad_texts[] = {"", " ", "any", "undef", "b", "ac", "aa", "abca", "abB",
        "abcdefghijklm", "bcd", "NCHW", "Nchw", "nhw", "nch", "ncwh1", "nx", "xx", "oihwn", "goi",
        "tc", "ldc", "ab16", "ab16b", "aB16", "aB", "aB16c", "aB16a", "aB0b", "aB1b", "aB-4b",
        "aB4B", "aB4b4", "aB4b ", "aB4b,", "AB4b", "aB1000000b", "aB4b4x", "16b", "a b", "nChw16",
        "nchw16c", "nChw16C", "nChw16w", "aB99999999999999999999b", "A2a2a2a2a2a2a2a2a2a2a2a2a2a",
        "abc!", "\xff", "a\xff"};

static void other_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_texts); ++i) {
        layout_t layout;
        if (prim__layout_parse(&layout, bad_texts[i])) fail_msg("\"%s\" is taken", bad_texts[i]);
    }
}

typedef struct {
    const char *tag;
    int ndims;
    prim_dims_t dims, padded_dims, strides;
    int inner_nblks;
    prim_dims_t inner_blks, inner_idxs;
} dense_case_t;

static const dense_case_t dense_cases[] = {
        {"a", 1, {7}, {7}, {1}, 0, {0}, {0}},
        {"ab", 2, {3, 5}, {3, 5}, {5, 1}, 0, {0}, {0}},
        {"ba", 2, {3, 5}, {3, 5}, {1, 3}, 0, {0}, {0}},
        {"nchw", 4, {2, 3, 4, 5}, {2, 3, 4, 5}, {60, 20, 5, 1}, 0, {0}, {0}},
        {"nhwc", 4, {2, 3, 4, 5}, {2, 3, 4, 5}, {60, 1, 15, 3}, 0, {0}, {0}},
        {"hwigo", 5, {2, 3, 4, 5, 6}, {2, 3, 4, 5, 6}, {3, 1, 6, 144, 24}, 0, {0}, {0}},
        {"nChw16c", 4, {2, 17, 4, 5}, {2, 32, 4, 5}, {640, 320, 80, 16}, 1, {16}, {1}},
        {"nChw4c", 4, {1, 8, 3, 3}, {1, 8, 3, 3}, {72, 36, 12, 4}, 1, {4}, {1}},
        {"OIhw4i4o", 4, {5, 3, 2, 2}, {8, 4, 2, 2}, {64, 64, 32, 16}, 2, {4, 4}, {1, 0}},
        {"ABcd4b16a4b", 4, {20, 10, 1, 3}, {32, 16, 1, 3}, {768, 768, 768, 256}, 3, {4, 16, 4},
                {1, 0, 1}},
        {"Acdb8a", 4, {9, 2, 3, 1}, {16, 2, 3, 1}, {48, 8, 16, 16}, 1, {8}, {0}},
        {"ab", 2, {0, 5}, {0, 5}, {5, 1}, 0, {0}, {0}},
        {"ab", 2, {5, 0}, {5, 0}, {1, 1}, 0, {0}, {0}},
        {"aB4b", 2, {2, 0}, {2, 0}, {4, 4}, 1, {4}, {1}},
        {"ab", 2, {PRIM_RUNTIME_DIM_VAL, 5}, {PRIM_RUNTIME_DIM_VAL, 5}, {5, 1}, 0, {0}, {0}},
        {"ab", 2, {3, PRIM_RUNTIME_DIM_VAL}, {3, PRIM_RUNTIME_DIM_VAL}, {PRIM_RUNTIME_DIM_VAL, 1},
                0, {0}, {0}},
        {"abc", 3, {2, PRIM_RUNTIME_DIM_VAL, 4}, {2, PRIM_RUNTIME_DIM_VAL, 4},
                {PRIM_RUNTIME_DIM_VAL, 4, 1}, 0, {0}, {0}},
        {"acb", 3, {2, PRIM_RUNTIME_DIM_VAL, 4}, {2, PRIM_RUNTIME_DIM_VAL, 4},
                {PRIM_RUNTIME_DIM_VAL, 1, PRIM_RUNTIME_DIM_VAL}, 0, {0}, {0}},
};

static void assert_dims_equal(const prim_dim_t *got, const prim_dim_t *expected)
{
    assert_memory_equal(got, expected, sizeof(prim_dims_t));
}

static void tags_stand_for_dense_strides(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(dense_cases); ++i) {
        const dense_case_t *const c = &dense_cases[i];
        prim_memory_desc_t md;
        memset(&md, 0x5a, sizeof md);
        assert_int_equal(
                prim_memory_desc_init_by_string_tag(&md, c->ndims, c->dims, PRIM_F32, c->tag),
                PRIM_SUCCESS);
        assert_int_equal(md.ndims, c->ndims);
        assert_int_equal(md.data_type, PRIM_F32);
        assert_int_equal(md.format_kind, PRIM_FORMAT_KIND_BLOCKED);
        assert_int_equal(md.offset0, 0);
        assert_dims_equal(md.dims, c->dims);
        assert_dims_equal(md.padded_dims, c->padded_dims);
        assert_dims_equal(md.strides, c->strides);
        assert_int_equal(md.inner_nblks, c->inner_nblks);
        assert_dims_equal(md.inner_blks, c->inner_blks);
        assert_dims_equal(md.inner_idxs, c->inner_idxs);
        assert_dims_equal(md.padded_offsets, (prim_dims_t){0});
        assert_true(prim__md_matches_tag(&md, c->tag));
        assert_int_equal(prim__md_check(&md, "md"), PRIM_SUCCESS);
    }
}

/// The way there and back for every numbered layout, at sizes that are no multiple of any block.
static void numbered_layouts_keep_their_names(void **state)
{
    (void)state;
    const prim_dims_t dims = {3, 5, 7, 2, 3, 5, 2, 3, 2, 3, 2, 3};
    int nlayouts = 0;
    for (int tag = 2; tag < 1000; ++tag) {
        const char *const name = prim_format_tag_name((prim_format_tag_t)tag);
        if (strcmp(name, "undef") == 0) continue;
        ++nlayouts;
        layout_t layout;
        assert_true(prim__layout_parse(&layout, name));
        prim_memory_desc_t md, same;
        assert_int_equal(prim_memory_desc_init_by_tag(
                                 &md, layout.ndims, dims, PRIM_S8, (prim_format_tag_t)tag),
                PRIM_SUCCESS);
        char text[64];
        prim__md_tag_text(&md, text);
        assert_string_equal(text, name);
        assert_int_equal(
                prim_memory_desc_init_by_string_tag(&same, layout.ndims, dims, PRIM_S8, text),
                PRIM_SUCCESS);
        assert_memory_equal(&md, &same, sizeof md);
        assert_true(prim__md_is_dense(&md));
    }
    static const int numbers[] = {
#define TAG_NUMBER(name, number) number,
            PRIM_FORMAT_TAG_LIST(TAG_NUMBER)
#undef TAG_NUMBER
    };
    assert_int_equal(nlayouts, COUNT_OF(numbers));
}

typedef struct {
    const char *tag;
    prim_dims_t dims;
    const char *text;
} unit_case_t;

/// Dimensions of 1 have no place in memory: the name is one of those that fit, the plain one first.
static const unit_case_t unit_cases[] = {
        {"abcd", {2, 3, 1, 1}, "abcd"},
        {"abcd", {1, 3, 4, 4}, "abcd"},
        {"abcd", {2, 1, 5, 5}, "abcd"},
        {"acdb", {2, 1, 5, 5}, "acdb"},
        {"acdb", {1, 3, 1, 1}, "acdb"},
        {"acdb", {1, 3, 5, 5}, "acdb"},
        {"aBcd8b", {1, 3, 1, 1}, "aBcd8b"},
};

static void names_of_tensors_with_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unit_cases); ++i) {
        const unit_case_t *const c = &unit_cases[i];
        prim_memory_desc_t md;
        char text[64];
        assert_int_equal(prim_memory_desc_init_by_string_tag(&md, 4, c->dims, PRIM_F32, c->tag),
                PRIM_SUCCESS);
        prim__md_tag_text(&md, text);
        assert_string_equal(text, c->text);
        assert_true(prim__md_matches_tag(&md, c->tag));
    }
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 4, (prim_dims_t){2, 3, 1, 1}, PRIM_F32, PRIM_NCHW),
            PRIM_SUCCESS);
    assert_true(prim__md_matches_tag(&md, "nhwc")); // the same bytes
    assert_true(prim__md_is_row_major(&md));
    assert_false(prim__md_matches_tag(&md, "ba"));
    assert_false(prim__md_matches_tag(&md, "bacd"));
    assert_false(prim__md_matches_tag(&md, "aBcd8b"));
    assert_false(prim__md_matches_tag(&md, "nonsense"));
}

static void strides_without_a_name(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    char text[64] = "x";
    assert_int_equal(prim_memory_desc_init_by_strides(
                             &md, 2, (prim_dims_t){3, 5}, PRIM_F32, (prim_dims_t){8, 1}),
            PRIM_SUCCESS);
    prim__md_tag_text(&md, text);
    assert_string_equal(text, "");
    md = (prim_memory_desc_t){0};
    strcpy(text, "x");
    prim__md_tag_text(&md, text);
    assert_string_equal(text, "");
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 2, (prim_dims_t){3, 5}, PRIM_F32, PRIM_FORMAT_ANY),
            PRIM_SUCCESS);
    prim__md_tag_text(&md, text);
    assert_string_equal(text, "any");
}

static void a_name_that_does_not_fit_is_none(void **state)
{
    (void)state;
    layout_t layout;
    char text[64];
    assert_true(prim__layout_parse(
            &layout, "A999999a999999a999999a999999a999999a999999a999999a999999a999999a"));
    prim__layout_text(&layout, text);
    assert_string_equal(text, "");
    assert_true(prim__layout_parse(
            &layout, "A999999a999999a999999a999999a999999a999999a999999a99999a"));
    prim__layout_text(&layout, text);
    assert_int_equal(strlen(text), 56);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(spellings_have_canonical_names),
            cmocka_unit_test(other_texts_are_refused),
            cmocka_unit_test(tags_stand_for_dense_strides),
            cmocka_unit_test(numbered_layouts_keep_their_names),
            cmocka_unit_test(names_of_tensors_with_ones),
            cmocka_unit_test(strides_without_a_name),
            cmocka_unit_test(a_name_that_does_not_fit_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
