// SPDX-License-Identifier: Apache-2.0
// Divisors of indices: the device's arithmetic with the host's numbers gives the quotient.
#include "gpu/ocl/kit/ocl_channels.h"

#include "support/unit_test.h"

/// What split_digit() of clh/channels.h computes.
static uint32_t quotient(const ocl_divisor_t *by, uint32_t x)
{
    const uint32_t high = (uint32_t)((uint64_t)x * by->factor >> 32);
    return (high + (x & by->own)) >> by->shift;
}

static void check(int32_t n, int64_t x)
{
    if (x < 0 || x > INT32_MAX) return;
    const ocl_divisor_t by = prim__ocl_divisor(n);
    assert_int_equal(by.n, n);
    assert_int_equal(quotient(&by, (uint32_t)x), x / n);
}

/// Where a quotient steps is where a rounding shows.
static void check_steps(int32_t n)
{
    const int64_t last = INT32_MAX / n;
    const int64_t steps[] = {0, 1, 2, 3, last / 3, last / 2, last - 1, last};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        for (int64_t d = -1; d <= 1; ++d) check(n, steps[i] * n + d);
    }
    check(n, INT32_MAX);
}

static void test_small_divisors(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 3000; ++n) check_steps(n);
}

static void test_powers_of_two(void **state)
{
    (void)state;
    for (int bit = 2; bit <= 30; ++bit) {
        for (int32_t d = -1; d <= 1; ++d) check_steps((INT32_C(1) << bit) + d);
    }
    for (int32_t d = 0; d < 3; ++d) check_steps(INT32_MAX - d);
}

static void test_every_index(void **state)
{
    (void)state;
    const int32_t divisors[] = {1, 3, 7, 14, 28, 56, 641};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; ++i) {
        for (int64_t x = 0; x < 100000; ++x) check(divisors[i], x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_small_divisors),
            cmocka_unit_test(test_powers_of_two),
            cmocka_unit_test(test_every_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
