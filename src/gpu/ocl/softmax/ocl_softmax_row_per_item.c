// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis, whole rows per work-item.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_row_per_item_cl;
extern const impl_t prim__ocl_softmax_row_per_item;

enum { RUN = 64 }; // as in the .cl
/// Elements of a row that a work-item of a CPU-type device keeps at hand. Above CPU_KEPT_LESS the
/// kernel guesses the maximum: 0.74 → 0.88 of memcpy, of 64 elements 0.85 → 0.75.
enum { CPU_KEPT_LESS = 2048, CPU_KEPT = 16384, CPU_KEPT_MORE = 65536 };

/// Whole rows a work-item of a CPU-type device takes: no less than are worth its start, no more
/// than stay in a second-level cache, unless those are few rows, and several work-items for each
/// core.
static void choose_rows(softmax_pd_t *softmax, const ocl_device_t *device)
{
    const int64_t n = softmax->axis_elems;
    const int item_rows = prim__ocl_measured_int(device, MEASURED_SOFTMAX_ITEM_ROWS, 8);
    const int item_elems = prim__ocl_measured_int(device, MEASURED_SOFTMAX_ITEM_ELEMS, 32768);
    const int least = prim__ocl_measured_int(device, MEASURED_SOFTMAX_LEAST_ELEMS, 2048);
    const int core_items = prim__ocl_measured_int(device, MEASURED_SOFTMAX_CORE_ITEMS, 8);
    int64_t share = n * softmax->nitems / (core_items * device->compute_units);
    const int64_t kept = (n < CPU_KEPT_MORE ? n : CPU_KEPT_MORE) * item_rows;
    const int64_t most = kept > item_elems ? kept : item_elems;
    if (share > most) share = most;
    if (share < least) share = least;
    const int elems[] = {(int)share, 512, 8192, 32768};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &softmax->base, "elems");
    for (int i = 0; i < 4; ++i) {
        if (i > 0 && (n >= elems[i] || elems[i] == elems[0])) continue;
        if (prim__ocl_tune_offer(&tune, i, (ocl_tune_params_t){{elems[i]}}))
            softmax->per_item = n < elems[i] ? (int)(elems[i] / n) : 1;
    }
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    softmax_pd_t *const softmax = (softmax_pd_t *)pd;
    TRY(prim__ocl_softmax_init_rows(pd));
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int64_t n = softmax->axis_elems;
    // Four vectors.
    const int short_elems = prim__ocl_measured_int(device, MEASURED_SOFTMAX_SHORT_ELEMS, 4 * 4);
    PREFER_OTHER_UNLESS(pd, device->is_cpu || n <= short_elems,
            "rows of %lld elements: above %d, a work-group per row is faster on a GPU",
            (long long)n, short_elems);
    softmax->vec = device->is_cpu && device->vector_width_f32 >= 8 ? 16 : 4;
    REQUIRE(pd, n / (RUN * softmax->vec) <= OCL_LONGEST_SUM,
            "the axis has %lld elements: f32 loses precision in the sum of their partial sums",
            (long long)softmax->axis_elems);
    softmax->per_item = 1;
    if (device->is_cpu) choose_rows(softmax, device);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    const bool is_cpu = prim__ocl_device(pd->base.engine)->is_cpu;
    const int64_t n = pd->axis_elems;
    const int kept = n <= CPU_KEPT_LESS ? CPU_KEPT_LESS : n <= CPU_KEPT ? CPU_KEPT : CPU_KEPT_MORE;
    prim__ocl_options_int(&options, "KEPT", is_cpu ? kept : 0);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->axis_elems);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_softmax_row_per_item_cl,
            "softmax_row_per_item", &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    const int64_t nitems = prim__ceil_div(pd->nitems, pd->per_item);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i64(&args, pd->axis_elems);
    prim__ocl_args_i64(&args, pd->per_item);
    prim__ocl_args_i64(&args, pd->nitems);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_device(primitive->pd->engine)->is_cpu
                                      ? prim__ocl_range_groups(nitems, 1)
                                      : prim__ocl_range_1d(p->kernels[0], nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_softmax_row_per_item = {
        .name = "ocl:softmax:row_per_item",
        .pd_size = sizeof(softmax_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
