// SPDX-License-Identifier: Apache-2.0
// Self-test of integer dot products, by the device's extension or its instruction.
#include "ocl_selftest.h"

enum { NITEMS = 64, NWORDS = 3, NPAIRS = 4 };

// Bytes of all sorts: the first work-items have the extremes, the sum is at most 2^20.
static uint32_t x_at(int i, int word)
{
    static const uint32_t extremes[] = {0x80808080u, 0x7f7f7f7fu, 0xffffffffu, 0x00ff807fu};
    if (word == 2) return (uint32_t)((i - NITEMS / 2) * (1 << 15));
    if (i < 16) return extremes[word == 0 ? i / 4 : i % 4];
    return 0x9e3779b9u * (uint32_t)(1 + NWORDS * i + word);
}

static int byte_at(uint32_t word, int i, bool is_signed)
{
    const int byte = (int)(word >> 8 * i & 0xff);
    return is_signed && byte >= 128 ? byte - 256 : byte;
}

static int expected(int i, int pair)
{
    int sum = (int32_t)x_at(i, 2);
    for (int k = 0; k < 4; ++k)
        sum += byte_at(x_at(i, 0), k, pair < 2) * byte_at(x_at(i, 1), k, pair % 2 == 0);
    return sum;
}

static bool is_right(ocl_selftest_t *test, const int *got)
{
    static const char *const names[] = {"ss", "su", "us", "uu"};
    for (int i = 0; i < NITEMS * NPAIRS; ++i) {
        const int value = expected(i / NPAIRS, i % NPAIRS);
        if (got[i] != value) {
            return prim__ocl_selftest_say(test, "%s of item %d is %d instead of %d",
                    names[i % NPAIRS], i / NPAIRS, got[i], value);
        }
    }
    return true;
}

bool prim__ocl_selftest_int_dot(ocl_selftest_t *test)
{
    uint32_t x[NITEMS * NWORDS];
    int got[NITEMS * NPAIRS];
    for (int i = 0; i < NITEMS * NWORDS; ++i) x[i] = x_at(i / NWORDS, i % NWORDS);
    const int way = prim__ocl_device_has_packed_dot(&test->engine->device) ? OCL_INT_DOT_EXTENSION
                                                                           : OCL_INT_DOT_PTX;
    const char *const options = way == OCL_INT_DOT_EXTENSION ? "-cl-std=CL3.0 -DINT_DOT=1"
                                                             : "-cl-std=CL1.2 -DINT_DOT=2";
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    test->value = way;
    return prim__ocl_selftest_build(test, options) &&
           prim__ocl_selftest_run(test, "int_dots", NITEMS, NITEMS, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
