// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16, NHWC, of few pixels and large K by `mma.sync`: the warps of a
// work-group split K among them.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "ocl_conv_mma_split_k_plan.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_window.h"

extern const ocl_source_t prim__ocl_conv_mma_split_k_cl;
extern const impl_t prim__ocl_conv_mma_split_k;

enum { CHUNK = OCL_CONV_WGMMA_CHUNK, BLOCK = OCL_CONV_DEPTH_BLOCK, MAX_TAPS = 32 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_unit;
    ocl_conv_depth_plan_t plan;
    ocl_conv_mma_split_k_data_t data; ///< see WINDOW_PARAMS()
} ocl_conv_mma_split_k_pd_t;

_Static_assert(offsetof(ocl_conv_mma_split_k_pd_t, base) == 0, "the base comes first");

static prim_status_t choose_plan(ocl_conv_mma_split_k_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const size_t along_x = device->max_group_item_sizes[0];
    const size_t max_items =
            along_x && along_x < device->max_group_items ? along_x : device->max_group_items;
    pd->has_unit = prim__ocl_has_mma(base);
    const ocl_conv_depth_product_t product = {.pixels = s->mb * prim__conv_out_elems(s),
            .outputs = s->oc,
            .ntaps = prim__conv_taps(s),
            .channels = s->ic,
            .has_unit = pd->has_unit};
    ocl_tune_t tune;
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    prim__ocl_tune_start(&tune, base, OCL_CONV_DEPTH_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_mma_split_k_plan(
                    &pd->plan, &tune, device, max_items, device->local_bytes, &product),
            "no tile fits the work-groups and the local memory of the device");
    PREFER_OTHER_UNLESS(base, prim__ocl_conv_mma_split_k_pays(device, &product),
            "K = %.0f for %.0f outputs: larger tiles without split-K are faster",
            (double)(product.ntaps * product.channels), (double)(product.pixels * product.outputs));
    return PRIM_SUCCESS;
}

static ocl_conv_mma_split_k_data_t data_of(const ocl_conv_mma_split_k_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const int32_t blocks_c = (int32_t)prim__ceil_div(s->ic, BLOCK);
    const prim_dim_t filter_bytes = s->ic * prim__conv_taps(s) * OCL_CONV_WGMMA_BYTES;
    const bool is_dense = prim__ocl_conv_filters_are_dense(&pd->base);
    return (ocl_conv_mma_split_k_data_t){.window = prim__ocl_conv_window(&pd->base),
            .ntiles_n = prim__ocl_divisor(pd->plan.ntiles_n),
            .blocks_c = prim__ocl_divisor(blocks_c),
            .ntiles_m = pd->plan.ntiles_m,
            .blocks_c_left = pd->plan.warps % blocks_c,
            .taps_left = pd->plan.warps / blocks_c,
            .filter_lines = is_dense ? (int32_t)((filter_bytes + 127) / 128) : 0};
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_mma_split_k_pd_t *const pd = (ocl_conv_mma_split_k_pd_t *)base;
    TRY(prim__ocl_conv_mma_begin(base, &pd->shape, false));
    TRY(prim__ocl_conv_require_short_sums(base));
    REQUIRE(base, pd->shape.g == 1, "%lld groups; this variant takes one", (long long)pd->shape.g);
    TRY(prim__ocl_conv_require_chunks(base, CHUNK, MAX_TAPS));
    TRY(choose_plan(pd));
    pd->data = data_of(pd);
    return PRIM_SUCCESS;
}

static ocl_conv_window_sizes_t sizes_of(
        ocl_conv_mma_split_k_data_t *data, const ocl_conv_mma_split_k_pd_t *pd)
{
    *data = pd->data;
    const bool by_value = prim__ocl_device(pd->base.engine)->keeps_structs;
    return (ocl_conv_window_sizes_t){&data->window, sizeof *data, by_value};
}

static void add_options(ocl_options_t *options, const ocl_conv_mma_split_k_pd_t *pd)
{
    prim__ocl_conv_window_options(options, &pd->base, pd->has_unit, MAX_TAPS);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->has_unit);
    prim__ocl_options_int(options, "TM", pd->plan.tm);
    prim__ocl_options_int(options, "TN", pd->plan.tn);
    prim__ocl_options_int(options, "WARPS", pd->plan.warps);
    prim__ocl_options_int(options, "BATCH", pd->has_unit ? pd->plan.batch : 1);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_mma_split_k_pd_t *const pd = (const ocl_conv_mma_split_k_pd_t *)primitive->pd;
    ocl_options_t options;
    add_options(&options, pd);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_mma_split_k_cl, &options, "conv_mma_split_k"));
    ocl_conv_mma_split_k_data_t data;
    return prim__ocl_conv_window_add_data(p, sizes_of(&data, pd));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_mma_split_k_pd_t *const pd = (const ocl_conv_mma_split_k_pd_t *)primitive->pd;
    const ocl_conv_depth_plan_t *const plan = &pd->plan;
    ocl_args_t args;
    ocl_conv_mma_split_k_data_t data;
    prim__ocl_conv_window_args(&args, ctx, p, sizes_of(&data, pd));
    const int64_t ngroups = (int64_t)plan->ntiles_m * plan->ntiles_n;
    const ocl_range_t range = prim__ocl_range_groups(ngroups, (size_t)plan->warps * 32);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_mma_split_k = {
        .name = "ocl:conv:mma_split_k",
        .pd_size = sizeof(ocl_conv_mma_split_k_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
