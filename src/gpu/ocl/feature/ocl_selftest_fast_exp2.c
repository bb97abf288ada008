// SPDX-License-Identifier: Apache-2.0
// Self-test of the approximate exponential of base 2.
#include <math.h>

#include "ocl_selftest.h"

enum { NITEMS = 256 };

// From −160 to 95, where 2^x leaves the normal numbers at −126; −∞ and NaN last.
static float x_at(int i)
{
    if (i == NITEMS - 2) return -INFINITY;
    if (i == NITEMS - 1) return NAN;
    return (float)(i - 160) + 0.37f;
}

// Results go to 16 bits: f16 keeps 11 bits of them. PTX ISA promises 2^-22.
static bool is_near(float y, double exact)
{
    if (isnan(exact)) return isnan(y);
    const double smallest = 0x1p-126;
    if (exact < smallest) return y >= 0.0f && (double)y <= smallest;
    return fabs((double)y - exact) <= 0x1p-20 * exact;
}

static bool is_right(ocl_selftest_t *test, const float *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        const double exact = exp2((double)x_at(i));
        if (!is_near(got[i], exact)) {
            return prim__ocl_selftest_say(
                    test, "2^%g is %g, not %g", (double)x_at(i), (double)got[i], exact);
        }
    }
    return true;
}

bool prim__ocl_selftest_fast_exp2(ocl_selftest_t *test)
{
    float x[NITEMS], got[NITEMS];
    for (int i = 0; i < NITEMS; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DFAST_EXP2=1") &&
           prim__ocl_selftest_run(test, "fast_powers", NITEMS, 64, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
