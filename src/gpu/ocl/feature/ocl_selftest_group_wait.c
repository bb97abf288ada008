// SPDX-License-Identifier: Apache-2.0
// Self-test of groups that wait for each other.
#include "ocl_selftest.h"

enum { ITEMS = 64, TEAM = 16, NTEAMS = 2, ROUNDS = 4, NWORDS = ROUNDS * NTEAMS * TEAM };

typedef struct {
    uint32_t y[NWORDS][ITEMS];
} data_t;

static void fill(data_t *data)
{
    uint32_t seed = 1;
    for (int i = 0; i < NWORDS * ITEMS; ++i) {
        seed = seed * 1664525u + 1013904223u;
        data->y[i / ITEMS][i % ITEMS] = (seed >> 8) % 97u;
    }
}

// What the groups of a team collect.
static uint32_t collected(const data_t *data, int team)
{
    uint32_t all = 0;
    for (int p = team * TEAM; p < (team + 1) * TEAM; ++p) {
        uint32_t sum = 0;
        for (int i = 0; i < ITEMS; ++i) sum += data->y[p][i];
        all = all * 31u + sum;
    }
    return all;
}

static bool is_right(ocl_selftest_t *test, const data_t *from, const data_t *got)
{
    for (int p = 0; p < NWORDS; ++p) {
        const uint32_t all = collected(from, p / TEAM);
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t y = all + from->y[p][i];
            if (got->y[p][i] != y) {
                return prim__ocl_selftest_say(test, "item %d of group %d collected %08x, not %08x",
                        i, p, (unsigned)got->y[p][i], (unsigned)y);
            }
        }
    }
    return true;
}

// Local memory is an argument: PoCL 3.1 gives arrays of a kernel to two groups at once, now and
// then.
static bool set_args(ocl_selftest_t *test, cl_kernel kernel, const cl_mem *mems)
{
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < 4 && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 4, ITEMS * sizeof(cl_float), NULL);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 5, 2 * sizeof(cl_int), NULL);
    return code == CL_SUCCESS || prim__ocl_selftest_say_code(test, "clSetKernelArg", code);
}

static bool run(ocl_selftest_t *test, const char *name, const cl_mem *mems)
{
    if (test->why[0]) return false;
    cl_int code = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(test->program, name, &code);
    if (code != CL_SUCCESS) return prim__ocl_selftest_say_code(test, "clCreateKernel", code);
    const bool is_done = set_args(test, kernel, mems) &&
                         prim__ocl_selftest_enqueue(test, kernel, NTEAMS * TEAM * ITEMS, ITEMS);
    clReleaseKernel(kernel);
    return is_done;
}

static bool check(ocl_selftest_t *test, const char *kernel, uint32_t *nalone)
{
    data_t from, got;
    fill(&from);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, &from, sizeof from),
            prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, NULL, NWORDS * sizeof(uint32_t)),
            prim__ocl_selftest_buffer(test, NULL, sizeof *nalone)};
    return run(test, kernel, mems) && prim__ocl_selftest_read(test, mems[1], &got, sizeof got) &&
           prim__ocl_selftest_read(test, mems[3], nalone, sizeof *nalone) &&
           is_right(test, &from, &got);
}

bool prim__ocl_selftest_group_wait(ocl_selftest_t *test)
{
    const bool goes_alone = test->engine->device.waits_hold_cores;
    uint32_t nalone = 0;
    if (!prim__ocl_selftest_build(
                test, goes_alone ? "-cl-std=CL1.2 -DRELAXED_ATOMICS=0 -DLANE_SHUFFLE=0"
                                 : "-cl-std=CL1.2 -DRELAXED_ATOMICS=1 -DLANE_SHUFFLE=0") ||
            !check(test, "group_alone", &nalone)) {
        return false;
    }
    // Its groups may run one after the other.
    if (goes_alone) return true;
    if (!check(test, "group_wait", &nalone)) return false;
    if (nalone > 0)
        return prim__ocl_selftest_say(test, "%u groups waited in vain", (unsigned)nalone);
    return true;
}
