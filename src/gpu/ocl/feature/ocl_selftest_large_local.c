// SPDX-License-Identifier: Apache-2.0
// Self-test of large arrays in local memory: how large they may be.
#include <stdio.h>

#include "ocl_selftest.h"

enum { ITEMS = 64, GROUPS = 8, LARGEST_KIB = 226, SMALLEST_KIB = 98 };

static bool is_right(ocl_selftest_t *test, const uint32_t *got, uint32_t nwords)
{
    for (uint32_t i = 0; i < ITEMS * GROUPS; ++i) {
        uint32_t sum = 0;
        for (uint32_t w = ITEMS - 1 - i % ITEMS; w < nwords; w += ITEMS)
            sum = sum * 31 + (w * 2654435761u + i / ITEMS);
        if (got[i] != sum) {
            return prim__ocl_selftest_say(test, "item %u reads %08x instead of %08x", (unsigned)i,
                    (unsigned)got[i], (unsigned)sum);
        }
    }
    return true;
}

// The two sizes that kernels are written for.
static bool check(ocl_selftest_t *test, const char *options, int kib)
{
    uint32_t got[ITEMS * GROUPS];
    const cl_mem y = prim__ocl_selftest_buffer(test, NULL, sizeof got);
    if (!prim__ocl_selftest_build(test, options) ||
            !prim__ocl_selftest_run(test, "large_local", ITEMS * GROUPS, ITEMS, &y, 1) ||
            !prim__ocl_selftest_read(test, y, got, sizeof got) ||
            !is_right(test, got, (uint32_t)kib * 256)) {
        return false;
    }
    test->value = kib;
    return true;
}

bool prim__ocl_selftest_large_local(ocl_selftest_t *test)
{
    // Devices of the same instruction set have more or less of it: one that refuses to build or to
    // run the larger is asked for the smaller.
    ocl_selftest_t larger = {.engine = test->engine, .source = test->source};
    const bool has_larger = check(&larger, "-cl-std=CL1.2 -DWORDS=57856", LARGEST_KIB);
    test->is_transient = larger.is_transient;
    prim__ocl_selftest_fini(&larger);
    if (has_larger) {
        test->value = LARGEST_KIB;
        return true;
    }
    return check(test, "-cl-std=CL1.2 -DWORDS=25088", SMALLEST_KIB);
}
