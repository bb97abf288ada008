// SPDX-License-Identifier: Apache-2.0
#include "ocl_row_items.h"

#include <math.h>

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"

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
    // Work-items that keep a compute unit's loads in flight: measured with softmax, whose rows are
    // read alike.
    const int64_t wanted = prim__ocl_estimate_units(device) *
                           (int64_t)prim__ocl_measured_int(device, MEASURED_SOFTMAX_UNIT_ITEMS,
                                   4 * prim__ocl_estimate_lanes(device));
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
    // Eight warps, as long as rows need no more.
    const int wanted = prim__ocl_measured_int(device, MEASURED_SOFTMAX_GROUP_ITEMS, 8 * 32);
    const int items0 = estimate(device, nrows, nvectors, max_vectors);
    ocl_row_items_t n = {.row_items = items0};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, pd, "items");
    for (int items = OCL_ROW_MIN_ITEMS; items <= most; items *= 2)
        if (prim__ocl_tune_offer(
                    &tune, fabs(log2((double)items / items0)), (ocl_tune_params_t){{items}}))
            n.row_items = items;
    n.group_items = n.row_items;
    while (n.group_items < wanted && n.group_items * 2 <= most) n.group_items *= 2;
    n.per_item = vectors_per_item(nvectors, n.row_items, max_vectors);
    return n;
}

prim_status_t prim__ocl_require_row_groups(prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    REQUIRE(pd, device->max_group_items >= OCL_ROW_MIN_ITEMS,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, OCL_ROW_MIN_ITEMS);
    REQUIRE(pd, device->local_bytes >= OCL_ROW_MAX_GROUP * sizeof(float),
            "the device has less than %zu bytes of local memory",
            OCL_ROW_MAX_GROUP * sizeof(float));
    return PRIM_SUCCESS;
}

void prim__ocl_row_items_options(
        ocl_options_t *options, const ocl_row_items_t *items, prim_engine_t *engine)
{
    prim__ocl_options_int(options, "PER_ITEM", items->per_item);
    prim__ocl_options_int(options, "ROW_ITEMS", items->row_items);
    prim__ocl_options_int(options, "GROUP_ITEMS", items->group_items);
    prim__ocl_options_lane_shuffle(options, engine);
}

ocl_range_t prim__ocl_range_row_items(const ocl_row_items_t *items, int64_t nrows)
{
    const int64_t ngroups = prim__ceil_div(nrows, items->group_items / items->row_items);
    return prim__ocl_range_groups(ngroups, (size_t)items->group_items);
}
