// SPDX-License-Identifier: Apache-2.0
// Self-test of asynchronous copies to local memory.
#include "ocl_selftest.h"

enum { NITEMS = 64, WIDTH = 4, NBATCHES = 3 };

static uint32_t x_at(int i, int k)
{
    return 0x9e3779b9u * (uint32_t)(1 + i * WIDTH + k);
}

static uint32_t expected(int batch, int i, int k)
{
    const int from = NITEMS - 1 - i;
    if (batch == 0) return x_at(from, k);
    if (batch == 1) return x_at(from, WIDTH - 1 - k);
    const bool is_there = from & 4 ? (k & 1) != 0 : k < (from & 3);
    return is_there ? x_at(from, k) : 0;
}

static bool is_right(ocl_selftest_t *test, const uint32_t *got)
{
    for (int i = 0; i < NBATCHES * NITEMS * WIDTH; ++i) {
        const uint32_t value = expected(i / (NITEMS * WIDTH), i / WIDTH % NITEMS, i % WIDTH);
        if (got[i] != value) {
            return prim__ocl_selftest_say(
                    test, "word %d is %08x instead of %08x", i, (unsigned)got[i], (unsigned)value);
        }
    }
    return true;
}

bool prim__ocl_selftest_async_copy(ocl_selftest_t *test)
{
    uint32_t x[NITEMS * WIDTH], got[NBATCHES * NITEMS * WIDTH];
    for (int i = 0; i < NITEMS * WIDTH; ++i) x[i] = x_at(i / WIDTH, i % WIDTH);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DASYNC_COPY=1 -DCOPY_16_KEEPS=0") &&
           prim__ocl_selftest_run(test, "async_copies", NITEMS, NITEMS, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
