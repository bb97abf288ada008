// SPDX-License-Identifier: Apache-2.0
// Division and rounding of counts, at multiples and beside them, and beyond 32 bits.
#include "common/int_math.h"
#include "support/unit_test.h"

static void counts_round_up(void **state)
{
    (void)state;
    const int64_t large = INT64_C(1) << 40;
    const struct {
        int64_t a, b, quotient;
    } cases[] = {{0, 1, 0}, {0, 7, 0}, {1, 1, 1}, {1, 7, 1}, {6, 7, 1}, {7, 7, 1}, {8, 7, 2},
            {14, 7, 2}, {15, 7, 3}, {INT32_MAX, 2, 1 << 30}, {INT32_MAX, INT32_MAX, 1},
            {INT32_MAX, INT32_MAX - 1, 2}, {large, 3, large / 3 + 1}, {large, large, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(prim__ceil_div(cases[i].a, cases[i].b), cases[i].quotient);
        assert_int_equal(prim__round_up(cases[i].a, cases[i].b), cases[i].quotient * cases[i].b);
    }
}

static void the_smaller_and_the_larger(void **state)
{
    (void)state;
    const int64_t values[] = {INT64_MIN, -1, 0, 1, INT32_MAX, INT64_MAX};
    const size_t n = sizeof values / sizeof values[0];
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            assert_int_equal(prim__min(values[i], values[j]), values[i < j ? i : j]);
            assert_int_equal(prim__max(values[i], values[j]), values[i < j ? j : i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(counts_round_up),
            cmocka_unit_test(the_smaller_and_the_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
