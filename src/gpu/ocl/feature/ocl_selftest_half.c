// SPDX-License-Identifier: Apache-2.0
// Self-test of arithmetic on half. Every result is a small multiple of a power of two, so that
// neither the device's rounding nor its denormals count.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { NITEMS = 64, NRESULTS = 8 };

static double x_at(int i)
{
    return i * 7 % 31 - 15;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool is_right(ocl_selftest_t *test, const uint16_t *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        const double a = x_at(i), b = x_at(i + 1);
        const double expected[NRESULTS] = {a + b, a * b, 2 * a + b, a / 2, larger(a, b), 0.25 * b,
                a * b + 2, larger(a * b, b)};
        for (int k = 0; k < NRESULTS; ++k) {
            const double value = prim__load(got, PRIM_F16, i * NRESULTS + k);
            if (value != expected[k]) {
                return prim__ocl_selftest_say(test,
                        "operation %d on %g and %g gives %g instead of %g", k, a, b, value,
                        expected[k]);
            }
        }
    }
    return true;
}

bool prim__ocl_selftest_half(ocl_selftest_t *test)
{
    uint16_t x[NITEMS + 1], got[NITEMS * NRESULTS];
    for (int i = 0; i <= NITEMS; ++i) prim__store(x, PRIM_F16, i, x_at(i));
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2") &&
           prim__ocl_selftest_run(test, "half_ops", NITEMS, NITEMS, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
