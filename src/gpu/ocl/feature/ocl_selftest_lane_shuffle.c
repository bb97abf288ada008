// SPDX-License-Identifier: Apache-2.0
// Self-test of exchanges between neighbouring work-items.
#include "ocl_selftest.h"

enum { NITEMS = 256, NSIZES = 8, NRESULTS = 2 * NSIZES };

static float x_at(int i)
{
    return (float)(i * 37 % 101 - 50);
}

static bool is_right(ocl_selftest_t *test, const float *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        for (int k = 0; k < NSIZES; ++k) {
            const int row_items = 2 << k, first = i / row_items * row_items;
            float sum = 0.0f, top = x_at(first);
            for (int j = first; j < first + row_items; ++j) {
                sum += x_at(j);
                top = x_at(j) > top ? x_at(j) : top;
            }
            const float *const r = got + i * NRESULTS;
            if (r[k] != sum || r[NSIZES + k] != top) {
                return prim__ocl_selftest_say(test,
                        "item %d of rows of %d has sum %g, maximum %g instead of %g, %g", i,
                        row_items, (double)r[k], (double)r[NSIZES + k], (double)sum, (double)top);
            }
        }
    }
    return true;
}

bool prim__ocl_selftest_lane_shuffle(ocl_selftest_t *test)
{
    float x[NITEMS], got[NITEMS * NRESULTS];
    for (int i = 0; i < NITEMS; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DLANE_SHUFFLE=1") &&
           prim__ocl_selftest_run(test, "lane_ops", NITEMS, NITEMS, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
