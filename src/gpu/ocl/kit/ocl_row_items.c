// SPDX-License-Identifier: Apache-2.0
#include "ocl_row_items.h"

#include <math.h>

#include "common/impl.h"
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_tune.h"

enum {
    GROUP = 256,           ///< work-items of a group, as long as rows need no more
    ITEMS_OF_A_UNIT = 512, ///< work-items that keep a compute unit's loads in flight
};

/// Vectors of a row that each of `row_items` work-items keeps, a power of two; 0: too many.
static int vectors_per_item(int64_t nvectors, int row_items, int most)
{
    int n = 1;
    while (n <= most && (int64_t)n * row_items < nvectors) n *= 2;
    return n <= most ? n : 0;
}

static int most_items(const ocl_device_t *device)
{
    return device->max_group_items < OCL_ROW_MAX_GROUP ? (int)device->max_group_items
                                                       : OCL_ROW_MAX_GROUP;
}

static int estimate(const ocl_device_t *device, int64_t nrows, int64_t nvectors, int max_vectors)
{
    const int64_t wanted = ITEMS_OF_A_UNIT * (int64_t)device->compute_units;
    int items = OCL_ROW_MIN_ITEMS;
    while (items * 2 <= most_items(device) && ((int64_t)items * max_vectors < nvectors ||
                                                      (items < nvectors && nrows * items < wanted)))
        items *= 2;
    return items;
}

ocl_row_items_t prim__ocl_row_items(
        prim_desc_t *pd, int64_t nrows, int64_t elems, int vec, int max_elems)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t nvectors = prim__ceil_div(elems, vec);
    const int max_vectors = max_elems / vec, most = most_items(device);
    const int items0 = estimate(device, nrows, nvectors, max_vectors);
    ocl_row_items_t n = {.row_items = items0};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, pd, "items");
    for (int items = OCL_ROW_MIN_ITEMS; items <= most; items *= 2)
        if (prim__ocl_tune_offer(
                    &tune, fabs(log2((double)items / items0)), (ocl_tune_params_t){{items}}))
            n.row_items = items;
    n.group_items = n.row_items;
    while (n.group_items < GROUP && n.group_items * 2 <= most) n.group_items *= 2;
    n.per_item = vectors_per_item(nvectors, n.row_items, max_vectors);
    return n;
}
