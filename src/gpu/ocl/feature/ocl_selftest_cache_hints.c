// SPDX-License-Identifier: Apache-2.0
// Self-test of loads and stores with hints for the caches.
#include "ocl_selftest.h"

enum { NITEMS = 256, NWORDS = 4 * NITEMS, SUBSTITUTE = 7 };

static uint32_t x_at(int i)
{
    return (uint32_t)i * 2654435761u + 12345u;
}

static bool is_right(ocl_selftest_t *test, const uint32_t *got)
{
    for (int i = 0; i < 2 * NWORDS; ++i) {
        const bool is_there = i < NWORDS || i / 4 % 2 == 1;
        const uint32_t expected = is_there ? x_at(i % NWORDS) : SUBSTITUTE;
        if (got[i] != expected) {
            return prim__ocl_selftest_say(test, "word %d of the %s copy is %#x, not %#x",
                    i % NWORDS, i < NWORDS ? "plain" : "predicated", got[i], expected);
        }
    }
    return true;
}

bool prim__ocl_selftest_cache_hints(ocl_selftest_t *test)
{
    uint32_t x[NWORDS], got[2 * NWORDS];
    for (int i = 0; i < NWORDS; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DCACHE_HINTS=1") &&
           prim__ocl_selftest_run(test, "hinted_copies", NITEMS, 64, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
