// SPDX-License-Identifier: Apache-2.0
// Self-test of non-temporal stores.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { N = 1024, VEC = 16, NROWS = 5, NITEMS = N / VEC, NWORDS = NROWS * N + 3 * N / 2 };

static float x_at(int i)
{
    return (float)(i * 37 % 101);
}

/// Element i of the rows of f32.
static float expected(int row, int i)
{
    const int item = i / VEC;
    if (row == 3) return i == 0 || i > N - VEC ? 0.0f : x_at(i - 1);
    return row == 4 ? x_at(i) + x_at((NITEMS - 1 - item) * VEC + i % VEC) : x_at(i);
}

static bool is_right(ocl_selftest_t *test, const float *got)
{
    static const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16, PRIM_S8, PRIM_U8};
    const char *narrow = (const char *)(got + NROWS * N);
    for (int i = 0; i < NROWS * N; ++i) {
        const float value = expected(i / N, i % N);
        if (got[i] != value) {
            return prim__ocl_selftest_say(test, "element %d of row %d is %g instead of %g", i % N,
                    i / N, (double)got[i], (double)value);
        }
    }
    for (int t = 0; t < 4; narrow += N * prim__dt_bytes(types[t++])) {
        for (int i = 0; i < N; ++i) {
            const double value = prim__load(narrow, types[t], i);
            if (value != (double)x_at(i)) {
                return prim__ocl_selftest_say(test, "element %d of %s is %g instead of %g", i,
                        prim_data_type_name(types[t]), value, (double)x_at(i));
            }
        }
    }
    return true;
}

bool prim__ocl_selftest_nontemporal(ocl_selftest_t *test)
{
    float x[N], got[NWORDS];
    for (int i = 0; i < N; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DNONTEMPORAL=1") &&
           prim__ocl_selftest_run(test, "nontemporal_stores", NITEMS, NITEMS, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
