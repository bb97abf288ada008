// SPDX-License-Identifier: Apache-2.0
// Self-test of maxima of pairs of 16 bits.
#include "ocl_selftest.h"

enum { NITEMS = 256 };

static uint32_t x_at(int i)
{
    return (uint32_t)i * 2654435761u + 12345u;
}

static uint32_t signed_max(uint32_t a, uint32_t b)
{
    return (int16_t)a > (int16_t)b ? a & 0xffffu : b & 0xffffu;
}

static uint32_t unsigned_max(uint32_t a, uint32_t b)
{
    return (uint16_t)a > (uint16_t)b ? a & 0xffffu : b & 0xffffu;
}

static bool is_right(ocl_selftest_t *test, const uint32_t *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        const uint32_t a = x_at(i), b = x_at(i + 1);
        const uint32_t expected[] = {signed_max(a >> 16, b >> 16) << 16 | signed_max(a, b),
                unsigned_max(a >> 16, b >> 16) << 16 | unsigned_max(a, b)};
        for (int k = 0; k < 2; ++k) {
            if (got[2 * i + k] != expected[k]) {
                return prim__ocl_selftest_say(test, "%s maxima of %#x and %#x are %#x, not %#x",
                        k ? "unsigned" : "signed", a, b, got[2 * i + k], expected[k]);
            }
        }
    }
    return true;
}

bool prim__ocl_selftest_packed_max(ocl_selftest_t *test)
{
    uint32_t x[NITEMS + 1], got[2 * NITEMS];
    for (int i = 0; i <= NITEMS; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DPACKED_MAX=1") &&
           prim__ocl_selftest_run(test, "packed_ops", NITEMS, 64, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
