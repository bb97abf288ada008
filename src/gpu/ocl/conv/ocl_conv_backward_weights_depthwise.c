// SPDX-License-Identifier: Apache-2.0
// Gradients of a depthwise convolution's weights and bias: a window slides down strips of diff_dst.
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_backward_weights_depthwise_data.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_conv_backward_weights.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_depthwise_cl;
extern const impl_t prim__ocl_conv_backward_weights_depthwise;

/// Rows of a strip: 7, 14, 28 … rows have no rest. Sums and strips that registers hold.
enum { ROWS = 7, ITEMS = 128, MOST_SUMS = 64, MOST_ITEMS_OF_LANE = 16 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool channels_run;
    int vec, clanes;
    int rows, parts; ///< of the window, of a work-group; work-groups for all rows
    int32_t bands;   ///< strips of a column of an image
    ocl_conv_splits_t splits;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static bool are_multiples(const prim_memory_desc_t *md, prim_dim_t vec)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    bool are = strides[0] % vec == 0;
    for (int d = 2; d < 5; ++d) are = are && strides[d] % vec == 0;
    return are;
}

/// Windows of more taps than registers hold sums are cut into parts of nearly as many rows each.
static void choose_parts(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t height = s->kernel[CONV_H], most = MOST_SUMS / s->kernel[CONV_W];
    pd->rows = (int)prim__ceil_div(height, prim__ceil_div(height, most));
    pd->parts = (int)prim__ceil_div(height, pd->rows);
}

static void choose_vector(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t taps = pd->rows * s->kernel[CONV_W];
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    pd->channels_run = src->strides[1] == 1 && dst->strides[1] == 1 && s->g > 1;
    pd->vec = pd->channels_run ? 4 : 1;
    while (pd->vec > 1 && (s->g % pd->vec != 0 || !are_multiples(src, pd->vec) ||
                                  !are_multiples(dst, pd->vec) || taps * pd->vec > MOST_SUMS))
        pd->vec /= 2;
    pd->clanes = 1;
    while (pd->channels_run && pd->clanes < 32 && pd->clanes * pd->vec < s->g) pd->clanes *= 2;
}

/// Enough work-items for all compute units, and strips for each of them.
static void choose_splits(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    pd->bands = (int32_t)prim__ceil_div(s->out[CONV_H], ROWS);
    const int64_t nstrips = s->mb * pd->bands * s->out[CONV_W];
    const int64_t ngroups = prim__ceil_div(s->g, pd->vec * pd->clanes), planes = ITEMS / pd->clanes;
    const int64_t items = (int64_t)MOST_ITEMS_OF_LANE * prim__ocl_estimate_lanes(device) *
                          prim__ocl_estimate_units(device);
    const int64_t wanted = prim__ceil_div(items, ngroups * pd->parts * ITEMS);
    const int64_t strips = prim__round_up(prim__ceil_div(nstrips, wanted), planes);
    pd->splits.ntiles_m = pd->splits.ntiles_n = 1;
    prim__ocl_conv_splits_book(&pd->splits, &pd->base, s, nstrips, strips);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    // Compilers for CPUs make vectors of channels alone.
    if (prim__ocl_device(base->engine)->is_cpu) TRY(prim__conv_set_channels_last(base));
    TRY(prim__conv_set_row_major(base));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    REQUIRE(base, s->ic == 1 && s->oc == 1,
            "groups have %lld input and %lld output channels, not one", (long long)s->ic,
            (long long)s->oc);
    REQUIRE(base, s->nspatial < 3, "three spatial dimensions; this variant slides in two");
    REQUIRE(base, s->kernel[CONV_W] <= MOST_SUMS,
            "a row of the window has %lld taps; registers hold the sums of %d",
            (long long)s->kernel[CONV_W], MOST_SUMS);
    choose_parts(pd);
    choose_vector(pd);
    choose_splits(pd);
    REQUIRE(base, ITEMS <= prim__ocl_device(base->engine)->max_group_items,
            "work-groups of the device have less than %d work-items", ITEMS);
    return PRIM_SUCCESS;
}

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    prim__ocl_options_int(options, "WINDOW_H", s->kernel[CONV_H]);
    prim__ocl_options_int(options, "KH", pd->rows);
    prim__ocl_options_int(options, "KW", s->kernel[CONV_W]);
    prim__ocl_options_int(options, "SH", s->stride[CONV_H]);
    prim__ocl_options_int(options, "SW", s->stride[CONV_W]);
    prim__ocl_options_int(options, "DH", s->dilation[CONV_H]);
    prim__ocl_options_int(options, "DW", s->dilation[CONV_W]);
    prim__ocl_options_int(options, "TH", ROWS);
    prim__ocl_options_int(options, "CHANNELS_RUN", pd->channels_run);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "ITEMS", ITEMS);
    prim__ocl_options_int(options, "CLANES", pd->clanes);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options, own;
    prim__ocl_options_init(&options);
    prim__ocl_conv_backward_weights_options(&options, &pd->base, false);
    own = options;
    add_options(&own, pd);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_backward_weights_depthwise_cl, &own,
            "conv_backward_weights_depthwise"));
    ocl_conv_backward_weights_depthwise_data_t data = {
            .sizes = prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits),
            .bands = prim__ocl_divisor(pd->bands),
            .height = (int32_t)pd->shape.out[CONV_H]};
    data.sizes.npixels = (int32_t)(pd->shape.mb * pd->bands * pd->shape.out[CONV_W]);
    return prim__ocl_conv_backward_weights_add(p, &data.sizes, sizeof data, &pd->splits, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_conv_backward_weights_args(&args, ctx, p, &pd->splits);
    const int64_t ngroups = prim__ceil_div(pd->shape.g, pd->vec * pd->clanes);
    const ocl_range_t range =
            prim__ocl_range_3d(ngroups * ITEMS, pd->splits.nsplits, pd->parts, ITEMS, 1, 1);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_conv_backward_weights_sum(p, ctx, &pd->splits);
}

const impl_t prim__ocl_conv_backward_weights_depthwise = {
        .name = "ocl:conv:backward_weights_depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
