// SPDX-License-Identifier: Apache-2.0
// Self-tests of sub-groups. Which item is in which sub-group is the device's choice; given it,
// every result follows.
#include "ocl_selftest.h"

enum { NITEMS = 64, NRESULTS = 8 };
// The places of a work-item's results.
enum { ID, LOCAL_ID, SIZE, MAX_SIZE, SUM, FIRST, SCAN, CROSSED };
// What crosses work-items.
typedef enum { NOTHING, SHUFFLE, BLOCK } with_t;

typedef struct {
    int item[NITEMS][NRESULTS];
} results_t;

static int x_at(int i)
{
    return 3 * i * i + 1;
}

// The work-item with this id in this sub-group, or -1.
static int find(const results_t *got, int id, int local_id)
{
    for (int i = 0; i < NITEMS; ++i) {
        if (got->item[i][ID] == id && got->item[i][LOCAL_ID] == local_id) return i;
    }
    return -1;
}

// Ids are those of some distribution: each sub-group has its work-items 0 … size-1.
static bool has_places(ocl_selftest_t *test, const results_t *got)
{
    for (int i = 0; i < NITEMS; ++i) {
        const int *const r = got->item[i];
        const bool is_inside = r[ID] >= 0 && r[SIZE] > 0 && r[SIZE] <= r[MAX_SIZE] &&
                               r[MAX_SIZE] == got->item[0][MAX_SIZE] && r[LOCAL_ID] >= 0 &&
                               r[LOCAL_ID] < r[SIZE];
        bool is_whole = is_inside && r[SIZE] <= NITEMS && find(got, r[ID], r[LOCAL_ID]) == i;
        for (int k = 0; is_whole && k < r[SIZE]; ++k) is_whole = find(got, r[ID], k) >= 0;
        if (!is_whole) {
            return prim__ocl_selftest_say(test,
                    "item %d is number %d of sub-group %d, which has %d of at most %d items", i,
                    r[LOCAL_ID], r[ID], r[SIZE], r[MAX_SIZE]);
        }
    }
    return true;
}

static bool has_crossed(const results_t *got, const int *r, with_t with)
{
    if (with == BLOCK) return r[CROSSED] == x_at(1 + r[ID] * r[MAX_SIZE] + r[LOCAL_ID]);
    const int other = with == SHUFFLE ? find(got, r[ID], r[LOCAL_ID] ^ 1) : -1;
    return other < 0 || r[CROSSED] == x_at(other);
}

static bool is_right(ocl_selftest_t *test, const results_t *got, with_t with)
{
    for (int i = 0; i < NITEMS; ++i) {
        const int *const r = got->item[i];
        int sum = 0, scan = 0;
        for (int k = 0; k < r[SIZE]; ++k) {
            sum += x_at(find(got, r[ID], k));
            if (k == r[LOCAL_ID]) scan = sum;
        }
        if (r[SUM] != sum || r[FIRST] != x_at(find(got, r[ID], 0)) || r[SCAN] != scan ||
                !has_crossed(got, r, with)) {
            return prim__ocl_selftest_say(test,
                    "item %d has sum %d, first %d, scan %d, crossed %d; the sum is %d", i, r[SUM],
                    r[FIRST], r[SCAN], r[CROSSED], sum);
        }
    }
    return true;
}

static bool check(ocl_selftest_t *test, with_t with)
{
    results_t got;
    int x[NITEMS + 1];
    for (int i = 0; i <= NITEMS; ++i) x[i] = x_at(i);
    const bool has_cl3 = test->engine->device.opencl_major >= 3;
    static const char *const options[][2] = {
            {"-cl-std=CL2.0 -DWITH=0", "-cl-std=CL3.0 -DWITH=0"},
            {"-cl-std=CL2.0 -DWITH=1", "-cl-std=CL3.0 -DWITH=1"},
            {"-cl-std=CL2.0 -DWITH=2", "-cl-std=CL3.0 -DWITH=2"},
    };
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    if (!prim__ocl_selftest_build(test, options[with][has_cl3]) ||
            !prim__ocl_selftest_run(test, "subgroup_ops", NITEMS, NITEMS, mems, 2) ||
            !prim__ocl_selftest_read(test, mems[0], &got, sizeof got) || !has_places(test, &got)) {
        return false;
    }
    test->value = got.item[0][MAX_SIZE];
    return is_right(test, &got, with);
}

bool prim__ocl_selftest_subgroups(ocl_selftest_t *test)
{
    return check(test, NOTHING);
}

bool prim__ocl_selftest_subgroup_shuffle(ocl_selftest_t *test)
{
    return check(test, SHUFFLE);
}

bool prim__ocl_selftest_subgroup_block(ocl_selftest_t *test)
{
    return check(test, BLOCK);
}
