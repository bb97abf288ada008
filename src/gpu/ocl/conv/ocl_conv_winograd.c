// SPDX-License-Identifier: Apache-2.0
// 3×3 convolution of stride 1 by Winograd's algorithm: transforms of weights and src patches, a
// batch of matrix products by the kernel of ocl_conv_igemm, the transform back. Weights are
// transformed at each execution: doc/decisions/0005 says why.
#include "ocl_conv_winograd.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_winograd_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_pipeline.h"

extern const ocl_source_t prim__ocl_conv_winograd_cl;
extern const impl_t prim__ocl_conv_winograd;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    int tile;                      ///< outputs of a tile in a dimension: 2 or 4
    prim_dim_t ntiles_h, ntiles_w; ///< of an image
    prim_dim_t nimages, ntiles;    ///< of a pass
    ocl_conv_plan_t plan;          ///< of the products of a pass
    bool src_channels_run, dst_channels_run;
    size_t pipeline_bytes;               ///< as in ocl_conv_product_t
    size_t u_offset, v_offset, m_offset; ///< of the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

enum { WEIGHTS, SRC, PRODUCTS, DST }; ///< the kernels

/// Scratch memory that the transforms of a pass may take, unless one image takes more.
static const double max_pass_bytes = 512 << 20;

int prim__ocl_winograd_npoints(int tile)
{
    return (tile + 2) * (tile + 2);
}

prim_status_t prim__ocl_winograd_require_window(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->nspatial == 2 && s->g == 1 && !s->has_groups,
            "not a 2-D convolution without groups");
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d) {
        REQUIRE(pd, s->kernel[d] == 3, "the kernel is %lld along a dimension, not 3",
                (long long)s->kernel[d]);
        REQUIRE(pd, s->stride[d] == 1 && s->dilation[d] == 1,
                "stride %lld and dilation %lld along a dimension are not both 1",
                (long long)s->stride[d], (long long)s->dilation[d]);
    }
    return PRIM_SUCCESS;
}

bool prim__ocl_winograd_suits(const conv_shape_t *s)
{
    bool suits = s->nspatial == 2 && s->g == 1 && !s->has_groups;
    for (int d = CONV_H; d < CONV_NSPATIAL; ++d)
        suits = suits && s->kernel[d] == 3 && s->stride[d] == 1 && s->dilation[d] == 1;
    return suits;
}

static prim_status_t require_layouts(prim_desc_t *pd)
{
    REQUIRE(pd,
            !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_SRC)) &&
                    !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DST)),
            "a tensor has no elements");
    return prim__ocl_conv_require_plain(pd);
}

/// Images of a pass: the largest divisor of the batch whose transforms fit.
static prim_dim_t choose_pass(const conv_shape_t *s, double image_bytes)
{
    prim_dim_t nimages = s->mb;
    while (nimages > 1 && (s->mb % nimages != 0 || (double)nimages * image_bytes > max_pass_bytes))
        --nimages;
    return nimages;
}

static ocl_conv_product_t product_of(const conv_pd_t *pd)
{
    return (ocl_conv_product_t){.g = prim__ocl_winograd_npoints(pd->tile),
            .m = pd->shape.oc,
            .n = pd->ntiles,
            .ntaps = 1,
            .channels = pd->shape.ic,
            .pipeline_bytes = pd->pipeline_bytes};
}

/// Cuts the image into tiles of `tile` and fixes the passes; returns the expected cycles of a
/// compute unit, 0 if the device cannot.
static double cut(conv_pd_t *pd, int tile, const ocl_device_t *device)
{
    const conv_shape_t *const s = &pd->shape;
    pd->tile = tile;
    pd->ntiles_h = prim__ceil_div(s->out[CONV_H], tile);
    pd->ntiles_w = prim__ceil_div(s->out[CONV_W], tile);
    const double image_tiles = (double)(pd->ntiles_h * pd->ntiles_w);
    const double image_bytes =
            4. * prim__ocl_winograd_npoints(tile) * image_tiles * (double)(s->ic + s->oc);
    pd->nimages = choose_pass(s, image_bytes);
    pd->ntiles = pd->nimages * pd->ntiles_h * pd->ntiles_w;
    const ocl_conv_product_t product = product_of(pd);
    if (!prim__ocl_conv_plan(&pd->plan, NULL, device, &product)) return 0;
    const double npasses = (double)(s->mb / pd->nimages);
    // Patches and products are written and read, weights read and written.
    const double bytes =
            2 * image_bytes * (double)s->mb +
            4. * (9 + prim__ocl_winograd_npoints(tile)) * (double)(s->ic * s->oc) +
            4. * (double)(s->mb * (s->ic + s->oc)) * (double)(s->out[CONV_H] * s->out[CONV_W]);
    return npasses * pd->plan.cycles +
           prim__ocl_conv_move_cycles(device, bytes, 1 + 2 * (int)npasses);
}

static prim_status_t choose_tiles(conv_pd_t *pd, const ocl_device_t *device, double *cycles)
{
    conv_pd_t other = *pd;
    const double cycles_4 = cut(pd, 4, device), cycles_2 = cut(&other, 2, device);
    REQUIRE(&pd->base, cycles_4 > 0 && cycles_2 > 0,
            "no tile fits the work-groups and the local memory of the device");
    if (cycles_2 < cycles_4) (void)cut(pd, 2, device);
    *cycles = cycles_2 < cycles_4 ? cycles_2 : cycles_4;
    REQUIRE(&pd->base,
            (double)prim__ocl_winograd_npoints(pd->tile) * (double)pd->ntiles *
                            (double)(pd->shape.ic > pd->shape.oc ? pd->shape.ic : pd->shape.oc) <
                    INT32_MAX,
            "the transformed tensors span 2^31 elements");
    return PRIM_SUCCESS;
}

static bool is_cheaper(const conv_pd_t *pd, const ocl_device_t *device, double cycles)
{
    const conv_shape_t *const s = &pd->shape;
    const bool is_f32 = prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type == PRIM_F32 &&
                        prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type == PRIM_F32;
    const ocl_conv_product_t direct = {.g = 1,
            .m = s->oc,
            .n = s->mb * prim__conv_out_elems(s),
            .ntaps = 9,
            .channels = s->ic,
            .may_split = true,
            .pipeline_bytes = is_f32 ? pd->pipeline_bytes : 0};
    ocl_conv_plan_t plan;
    return device->has_dedicated_local && prim__ocl_conv_plan(&plan, NULL, device, &direct) &&
           cycles < plan.cycles;
}

static void book(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const size_t n = sizeof(float) * (size_t)prim__ocl_winograd_npoints(pd->tile);
    pd->u_offset = prim__pd_book_scratchpad(&pd->base, n * (size_t)(s->ic * s->oc));
    pd->v_offset = prim__pd_book_scratchpad(&pd->base, n * (size_t)(s->ic * pd->ntiles));
    pd->m_offset = prim__pd_book_scratchpad(&pd->base, n * (size_t)(s->oc * pd->ntiles));
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    prim__conv_shape(&pd->shape, base);
    REQUIRE(base, base->op.alg_kind != PRIM_CONVOLUTION_DIRECT,
            "the algorithm is direct; this variant is Winograd's");
    TRY(prim__ocl_winograd_require_window(base, &pd->shape));
    TRY(prim__ocl_conv_require_typed(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, &pd->shape));
    REQUIRE(base, !prim__ocl_conv_sums_integers(base),
            "integers must be summed exactly; this variant accumulates in f32");
    TRY(prim__ocl_conv_set_outputs_last(base, &pd->shape));
    TRY(require_layouts(base));
    pd->src_channels_run = prim__pd_md(base, PRIM_ARG_SRC)->strides[1] == 1 && pd->shape.ic > 1;
    pd->dst_channels_run = prim__pd_md(base, PRIM_ARG_DST)->strides[1] == 1 && pd->shape.oc > 1;
    if (!pd->src_channels_run && prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY))
        pd->pipeline_bytes = prim__ocl_conv_pipeline_bytes(base->engine);
    double cycles;
    TRY(choose_tiles(pd, device, &cycles));
    if (base->op.alg_kind == PRIM_CONVOLUTION_AUTO)
        PREFER_OTHER_UNLESS(base, is_cheaper(pd, device, cycles),
                "direct convolution is estimated to be faster");
    base->op.alg_kind = PRIM_CONVOLUTION_WINOGRAD;
    book(pd);
    return PRIM_SUCCESS;
}

static prim_status_t add_transforms(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const ocl_source_t *const source = &prim__ocl_conv_winograd_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, &pd->base);
    prim__ocl_options_int(&options, "TILE", pd->tile);
    prim__ocl_options_int(&options, "SRC_CHANNELS_RUN", pd->src_channels_run);
    prim__ocl_options_int(&options, "DST_CHANNELS_RUN", pd->dst_channels_run);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_winograd_weights"));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_winograd_src"));
    ocl_options_t products;
    prim__ocl_options_init(&products);
    static const char *const types[] = {"SRC", "WEI", "BIA", "DST"};
    for (int i = 0; i < 4; ++i) prim__ocl_options_type(&products, types[i], PRIM_F32);
    prim__ocl_options_int(&products, "HAS_BIAS", 0);
    prim__ocl_options_int(&products, "HAS_QUANT", 0);
    const ocl_conv_igemm_code_t code = {.src_depth_runs = pd->src_channels_run,
            .dst_channels_run = pd->dst_channels_run,
            .src_quads = pd->src_channels_run && pd->shape.ic % 4 == 0,
            .wei_quads = pd->shape.oc % 4 == 0,
            .has_short_epilogue = true,
            .pixel_quads = pd->ntiles % 4 == 0,
            .whole_depth = pd->shape.ic % pd->plan.bk == 0,
            .copies_async = true};
    prim__ocl_conv_igemm_options(&products, &pd->plan, &code, prim__ocl_device(pd->base.engine));
    prim__ocl_options_int(&products, "WITH_POST_OPS", 0);
    TRY(prim__ocl_conv_igemm_add(p, &products, &pd->plan));
    return prim__ocl_primitive_add_kernel(p, source, &options, "conv_winograd_dst");
}

static prim_status_t add_sizes(ocl_primitive_t *p, const conv_pd_t *pd)
{
    prim_dim_t weights[6];
    prim__conv_weights_strides(weights, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), false);
    ocl_conv_winograd_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .wei_o = weights[1],
            .wei_i = weights[2],
            .wei_h = weights[3 + CONV_H],
            .wei_w = weights[3 + CONV_W],
            .ntiles_h = (int32_t)pd->ntiles_h,
            .ntiles_w = (int32_t)pd->ntiles_w,
            .quant = prim__ocl_conv_quant(&pd->base)};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

/// The products as a convolution: points of the patch are groups, tiles a row of pixels.
static prim_status_t add_products(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const prim_dim_t ic = pd->shape.ic, oc = pd->shape.oc, n = pd->ntiles;
    const bool src_runs = pd->src_channels_run, dst_runs = pd->dst_channels_run;
    const int32_t row = (int32_t)n;
    ocl_conv_igemm_data_t data = {.geo = {.src_c = src_runs ? 1 : n,
                                          .src_s = {0, 0, src_runs ? ic : 1},
                                          .dst_c = dst_runs ? 1 : n,
                                          .dst_s = {0, 0, dst_runs ? oc : 1},
                                          .in = {1, 1, row},
                                          .out = {1, 1, row},
                                          .taps = {1, 1, 1},
                                          .stride = {1, 1, 1},
                                          .dilation = {1, 1, 1},
                                          .ic = (int32_t)ic,
                                          .oc = (int32_t)oc,
                                          .oc_padded = (int32_t)oc,
                                          .nspatial = 2},
            .src_g = ic * n,
            .wei_g = ic * oc,
            .dst_g = oc * n,
            .wei_i = oc,
            .npixels = row,
            .ndepth = (int32_t)ic,
            .ngroups = prim__ocl_winograd_npoints(pd->tile)};
    data.npartial = data.ngroups * data.dst_g;
    prim__ocl_conv_igemm_set_plan(&data, &pd->plan);
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    TRY(add_transforms(p, pd));
    TRY(add_sizes(p, pd));
    TRY(add_products(p, pd));
    return prim__ocl_primitive_add_post_ops(p);
}

static void args_scratch(ocl_args_t *args, const exec_ctx_t *ctx, size_t offset)
{
    prim__ocl_args_scratchpad(args, ctx, offset, sizeof(float));
}

static prim_status_t transform_weights(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    args_scratch(&args, ctx, pd->u_offset);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[WEIGHTS], pd->shape.oc * pd->shape.ic);
    return prim__ocl_launch(ctx, p->kernels[WEIGHTS], &range, &args);
}

static prim_status_t transform_src(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, prim_dim_t first)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    args_scratch(&args, ctx, pd->v_offset);
    prim__ocl_args_i32(&args, (int32_t)first);
    prim__ocl_args_i32(&args, (int32_t)pd->ntiles);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[SRC], pd->shape.ic * pd->ntiles);
    return prim__ocl_launch(ctx, p->kernels[SRC], &range, &args);
}

static prim_status_t multiply(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[1]);
    prim__ocl_args_buffer(&args, NULL);
    args_scratch(&args, ctx, pd->v_offset);
    args_scratch(&args, ctx, pd->u_offset);
    prim__ocl_args_nothing(&args);
    args_scratch(&args, ctx, pd->m_offset);
    prim__ocl_args_nothing(&args);
    const ocl_range_t range =
            prim__ocl_conv_igemm_range(&pd->plan, prim__ocl_winograd_npoints(pd->tile));
    return prim__ocl_launch(ctx, p->kernels[PRODUCTS], &range, &args);
}

static prim_status_t transform_dst(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, prim_dim_t first)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    args_scratch(&args, ctx, pd->m_offset);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_BIAS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(&args, (int32_t)first);
    prim__ocl_args_i32(&args, (int32_t)pd->ntiles);
    prim__ocl_conv_args_quant(&args, ctx, &pd->base);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[DST], pd->shape.oc * pd->ntiles);
    return prim__ocl_launch(ctx, p->kernels[DST], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    TRY(transform_weights(p, ctx));
    for (prim_dim_t first = 0; first < pd->shape.mb; first += pd->nimages) {
        TRY(transform_src(p, ctx, first));
        TRY(multiply(p, ctx));
        TRY(transform_dst(p, ctx, first));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_winograd = {
        .name = "ocl:conv:winograd",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
