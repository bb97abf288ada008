// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis: one work-group, or a part of one, per row.
#include <math.h>

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_row_per_group_cl;
extern const impl_t prim__ocl_softmax_row_per_group;

enum {
    MAX_GROUP = 1024,
    MIN_ROW_ITEMS = 4, ///< reductions by local memory, and rows of so few vectors
    MIN_ROW_LANES = 8, ///< reductions by exchange: whole lines of the cache
    MAX_ELEMS = 32,    ///< that a work-item keeps in registers
    MAX_ROWS = 4,      ///< of a work-item
};

typedef struct {
    softmax_pd_t softmax;
    bool shuffles;
    bool is_raw; ///< work-items keep elements as they are stored
    bool peels;  ///< rows begin and end within a vector
    int rows;    ///< of a work-item
} row_pd_t;

_Static_assert(offsetof(row_pd_t, softmax) == 0, "the base comes first");

/// Aligned vectors that hold a row.
static int64_t row_vectors(const row_pd_t *pd)
{
    const int64_t n = pd->softmax.axis_elems, vec = pd->softmax.vec;
    return pd->peels ? (n + 2 * vec - 2) / vec : prim__ceil_div(n, vec);
}

static int fewest_items(const row_pd_t *pd)
{
    return pd->shuffles && row_vectors(pd) > MIN_ROW_ITEMS ? MIN_ROW_LANES : MIN_ROW_ITEMS;
}

static int most_items(const ocl_device_t *device)
{
    return (int)(device->max_group_items < MAX_GROUP ? device->max_group_items : MAX_GROUP);
}

/// Vectors of a row that each of so many work-items keeps; 0: the row does not fit.
static int per_item(const row_pd_t *pd, int row_items)
{
    const softmax_pd_t *const softmax = &pd->softmax;
    const int64_t nvectors = row_vectors(pd);
    const int64_t n = prim__ceil_div(nvectors, row_items);
    return n * softmax->vec > MAX_ELEMS ? 0 : (int)n;
}

/// As many vectors a work-item as it may keep, so that few work-items take part in a row's
/// reductions, unless there are too few rows to fill the device; 0 vectors: the row does not fit.
static void estimate_items(row_pd_t *pd, const ocl_device_t *device)
{
    softmax_pd_t *const softmax = &pd->softmax;
    // Work-items of a unit, four of each lane, that hide the latency of loads.
    const int64_t wanted = (int64_t)device->compute_units *
                           prim__ocl_measured_int(device, MEASURED_SOFTMAX_UNIT_ITEMS,
                                   4 * prim__ocl_estimate_lanes(device));
    const int64_t nvectors = row_vectors(pd);
    const int max_per_item = MAX_ELEMS / softmax->vec;
    softmax->row_items = fewest_items(pd);
    while (softmax->row_items * 2 <= most_items(device) &&
            ((int64_t)softmax->row_items * max_per_item < nvectors ||
                    (softmax->row_items < nvectors &&
                            softmax->nitems * softmax->row_items < wanted)))
        softmax->row_items *= 2;
    softmax->per_item = per_item(pd, softmax->row_items);
}

/// Groups of several short rows: eight warps.
static int group_of(int row_items, const ocl_device_t *device)
{
    const int wanted = prim__ocl_measured_int(device, MEASURED_SOFTMAX_GROUP_ITEMS, 8 * 32);
    int items = row_items;
    while (items < wanted && (size_t)items * 2 <= device->max_group_items) items *= 2;
    return items;
}

/// A work-item takes several rows where reductions need no barrier (lane shuffles), and enough
/// work-items remain.
static void estimate_rows(row_pd_t *pd, const ocl_device_t *device)
{
    const softmax_pd_t *const softmax = &pd->softmax;
    // As many as a unit holds at a time: 16 for each lane.
    const int64_t busy = (int64_t)device->compute_units *
                         prim__ocl_measured_int(device, MEASURED_SOFTMAX_BUSY_ITEMS,
                                 16 * prim__ocl_estimate_lanes(device));
    pd->rows = 1;
    while (pd->shuffles && softmax->per_item > 0 && pd->rows < MAX_ROWS &&
            softmax->per_item * pd->rows * 2 * softmax->vec <= MAX_ELEMS &&
            softmax->nitems * softmax->row_items >= 2 * pd->rows * busy)
        pd->rows *= 2;
}

/// The estimate, and what is near it.
static void choose(row_pd_t *pd, const ocl_device_t *device)
{
    softmax_pd_t *const softmax = &pd->softmax;
    estimate_items(pd, device);
    estimate_rows(pd, device);
    const double items0 = softmax->row_items, rows0 = pd->rows;
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &softmax->base, "items rows");
    for (int items = fewest_items(pd); items <= most_items(device); items *= 2) {
        for (int rows = 1; rows <= MAX_ROWS; rows *= 2) {
            const int kept = per_item(pd, items) * rows * softmax->vec;
            if (rows > 1 && (!pd->shuffles || kept == 0 || kept > MAX_ELEMS)) continue;
            const double distance = fabs(log2(items / items0)) + fabs(log2(rows / rows0));
            if (!prim__ocl_tune_offer(&tune, distance, (ocl_tune_params_t){{items, rows}}))
                continue;
            softmax->row_items = items;
            pd->rows = rows;
        }
    }
    softmax->per_item = per_item(pd, softmax->row_items);
    softmax->group_items = group_of(softmax->row_items, device);
}

/// Whether rows are not all whole aligned vectors, and are kept as they are stored.
static bool peels(const row_pd_t *pd)
{
    const softmax_pd_t *const softmax = &pd->softmax;
    bool are_whole = softmax->axis_elems % softmax->vec == 0;
    for (int t = 0; t < 2; ++t)
        for (int l = softmax->nest.first_loop; l < NEST_ROW; ++l)
            are_whole = are_whole && softmax->nest.strides[t][l] % softmax->vec == 0;
    return pd->is_raw && !are_whole;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    row_pd_t *const wg = (row_pd_t *)pd;
    softmax_pd_t *const softmax = &wg->softmax;
    TRY(prim__ocl_softmax_init_rows(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = softmax->axis_elems;
    softmax->vec = prim__ocl_raw_vec(pd);
    REQUIRE(pd, device->max_group_items >= MIN_ROW_LANES,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, MIN_ROW_LANES);
    REQUIRE(pd, device->local_bytes >= MAX_GROUP * sizeof(float),
            "the device has less than %zu bytes of local memory", MAX_GROUP * sizeof(float));
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is CPU-type: `softmax:row_per_item` gives a work-item whole rows");
    const int short_elems = prim__ocl_measured_int(device, MEASURED_SOFTMAX_SHORT_ELEMS, 4 * 4);
    wg->is_raw = prim__ocl_is_raw(pd);
    wg->peels = peels(wg);
    PREFER_OTHER_UNLESS(pd, n > short_elems || (wg->is_raw && !wg->peels),
            "rows of %lld elements: up to %d, a work-item per row is faster", (long long)n,
            short_elems);
    wg->shuffles = prim__ocl_device_trusts(pd->engine, OCL_FEATURE_LANE_SHUFFLE);
    choose(wg, device);
    REQUIRE(pd, n / (softmax->row_items * softmax->vec) <= OCL_LONGEST_SUM,
            "rows of %lld elements: f32 loses precision in the sum of a work-item", (long long)n);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const row_pd_t *const wg = (const row_pd_t *)primitive->pd;
    const softmax_pd_t *const pd = &wg->softmax;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "ONE_LOOP", pd->nest.first_loop >= NEST_ROW - 1);
    prim__ocl_options_int(&options, "PER_ITEM", pd->per_item);
    prim__ocl_options_int(&options, "ROWS", wg->rows);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(&options, "ROW_ITEMS", pd->row_items);
    prim__ocl_options_int(&options, "LANE_SHUFFLE", wg->shuffles);
    prim__ocl_softmax_row_options(&options, primitive->pd, wg->is_raw, wg->peels);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_softmax_row_per_group_cl,
            "softmax_row_per_group", &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const row_pd_t *const wg = (const row_pd_t *)primitive->pd;
    const softmax_pd_t *const pd = &wg->softmax;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i64(&args, pd->axis_elems);
    prim__ocl_args_i64(&args, pd->nitems);
    prim__ocl_args_i64(&args, pd->nest.strides[1][NEST_ROW - 1]);
    prim__ocl_args_i64(&args, pd->nest.strides[0][NEST_ROW - 1]);
    const prim_memory_desc_t *const src = prim__pd_md(primitive->pd, PRIM_ARG_SRC);
    prim__ocl_args_i64(&args, prim__md_span_elems(src) - src->offset0);
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t rows = (int64_t)pd->group_items / pd->row_items * wg->rows;
    const ocl_range_t range =
            prim__ocl_range_groups(prim__ceil_div(pd->nitems, rows), (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_row_per_group = {
        .name = "ocl:softmax:row_per_group",
        .pd_size = sizeof(row_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
