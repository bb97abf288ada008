// SPDX-License-Identifier: Apache-2.0
// benchdnn's layout names: named letters, abc-notation, meta-tags for every rank, malformed ones.
#include "core/bench_tag.h"
#include "support/unit_test.h"

static void names_become_abc(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        int ndims;
        const char *abc;
    } rows[] = {
            {"nchw", 4, "abcd"},
            {"nhwc", 4, "acdb"},
            {"chwn", 4, "bcda"},
            {"ncw", 3, "abc"},
            {"ndhwc", 5, "acdeb"},
            {"nChw16c", 4, "aBcd16b"},
            {"nCdhw8c", 5, "aBcde8b"},
            {"oihw", 4, "abcd"},
            {"hwio", 4, "cdba"},
            {"goihw", 5, "abcde"},
            {"hwigo", 5, "decab"},
            {"OIhw4i16o4i", 4, "ABcd4b16a4b"},
            {"Goihw8g", 5, "Abcde8a"},
            {"io", 2, "ba"},
            {"tnc", 3, "abc"},
            {"ntc", 3, "bac"},
            {"ldnc", 4, "abcd"},
            {"ldigo", 5, "abcde"},
            {"ldgoi", 5, "abdec"},
            {"nc", 2, "ab"},
            {"abx", 1, "a"},
            {"abx", 2, "ab"},
            {"abx", 5, "abcde"},
            {"axb", 2, "ab"},
            {"axb", 3, "acb"},
            {"axb", 5, "acdeb"},
            {"xba", 4, "cdba"},
            {"xba", 2, "ba"},
            {"aBx16b", 4, "aBcd16b"},
            {"aBx16b", 2, "aB16b"},
            {"aBx16b", 1, "a"},
            {"ABx16a16b", 3, "ABc16a16b"},
            {"ABx16a16b", 1, "A16a"},
            {"abxc", 5, "abdec"},
            {"abxc", 3, "abc"},
            {"x", 1, "a"},
            {"x", 3, "abc"},
            {"any", 4, "any"},
            {"undef", 3, "undef"},
            {"acdb", 4, "acdb"},
            {"aBcd16b", 4, "aBcd16b"},
            {"abcdefghijkl", 12, "abcdefghijkl"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        char abc[BENCH_MAX_TAG];
        assert_true(tag_normalise(rows[i].tag, rows[i].ndims, abc));
        assert_string_equal(abc, rows[i].abc);
        assert_true(tag_is_valid(rows[i].tag, false));
    }
}

static void malformed_names_are_refused(void **state)
{
    (void)state;
    static const char *const tags[] = {"", "nhwq", "abd", "aab", "aB", "ab16b", "aBc16", "16b",
            "aBcd1b", "aBcd16B", "aBcd016b", "nchw16", "a-b", "ABCDEFGHIJKLM", "aBcd16e", "hw",
            "abcdefghijklm", "aBcd12345678b", "abxabxabxabxabx",
            "abxabxabxabxababababababababababababababababababab"};
    for (size_t i = 0; i < COUNT_OF(tags); ++i) assert_false(tag_is_valid(tags[i], false));
}

static void dimensions_behind_a_minus_are_broadcast(void **state)
{
    (void)state;
    static const char *const wrong[] = {
            "abcd-", "abcd-e", "abcd-B", "aBcd4b-b", "any-a", "-a", "a-b", "abcd-a-b", "abcd-1"};
    char abc[BENCH_MAX_TAG];
    assert_true(tag_normalise("axb-ac", 3, abc));
    assert_string_equal(abc, "acb");
    for (int d = 0; d < 3; ++d) assert_int_equal(tag_broadcasts("axb-ac", d), d != 1);
    assert_false(tag_broadcasts("axb", 0) || tag_broadcasts("any", 0));
    assert_true(tag_is_valid("axb-ac", false) && tag_is_valid("aBcd4b-a", false));
    assert_true(tag_is_valid("nchw-ab", true) && tag_is_valid("abx-l", false));
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) assert_false(tag_is_valid(wrong[i], false));
}

static void numbered_names_only(void **state)
{
    (void)state;
    static const char *const numbered[] = {"abcd", "nhwc", "aBcd16b", "axb", "aBx8b", "any"};
    static const char *const others[] = {"aBcd5b", "aBcd16b3b", "dcba"};
    for (size_t i = 0; i < COUNT_OF(numbered); ++i) assert_true(tag_is_valid(numbered[i], true));
    for (size_t i = 0; i < COUNT_OF(others); ++i) {
        assert_true(tag_is_valid(others[i], false));
        assert_false(tag_is_valid(others[i], true));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(names_become_abc),
            cmocka_unit_test(malformed_names_are_refused),
            cmocka_unit_test(dimensions_behind_a_minus_are_broadcast),
            cmocka_unit_test(numbered_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
