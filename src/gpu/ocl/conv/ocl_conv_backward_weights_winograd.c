// SPDX-License-Identifier: Apache-2.0
// The gradient of 3×3 weights of stride 1 by Winograd's algorithm: transforms of src patches and of
// tiles of diff_dst, a batch of matrix products over the tiles, which a matmul computes, and the
// transform of its sums to weights.
#include "common/int_math.h"
#include "common/nested.h"
#include "gpu/ocl/clh/shared/conv_backward_weights_winograd_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_conv_backward_weights.h"
#include "ocl_conv_backward_weights_tiled.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_pipeline.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_winograd.h"

extern const op_schema_t prim__matmul_schema;
extern const ocl_source_t prim__ocl_conv_backward_weights_winograd_cl;
extern const impl_t prim__ocl_conv_backward_weights_winograd;

enum { PRODUCTS };       ///< the slot
enum { SRC, DST, SUMS }; ///< kernels

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    int tile;                              ///< pixels of diff_dst of a tile in a dimension: 2 or 4
    prim_dim_t ntiles_h, ntiles_w, ntiles; ///< of an image; of all
    bool src_channels_run, dst_channels_run;
    size_t v_offset, w_offset, p_offset; ///< of the scratchpad: src, diff_dst, products
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Scratch memory that the transformed tensors may take.
static const double max_bytes = (double)((int64_t)1 << 30);

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    TRY(prim__ocl_winograd_require_window(pd, s));
    REQUIRE(pd, !prim__pd_has(pd, PRIM_ARG_DIFF_BIAS), "diff_bias is asked for");
    return PRIM_SUCCESS;
}

static double transformed_bytes(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    return 4. * prim__ocl_winograd_npoints(pd->tile) *
           ((double)pd->ntiles * (double)(s->ic + s->oc) + (double)(s->ic * s->oc));
}

/// Cuts diff_dst into tiles; returns the expected cycles of a compute unit, 0 if the device cannot.
static double cut(conv_pd_t *pd, int tile)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    pd->tile = tile;
    pd->ntiles_h = prim__ceil_div(s->out[CONV_H], tile);
    pd->ntiles_w = prim__ceil_div(s->out[CONV_W], tile);
    pd->ntiles = s->mb * pd->ntiles_h * pd->ntiles_w;
    const bool is_async = prim__ocl_device_trusts(pd->base.engine, OCL_FEATURE_ASYNC_COPY);
    const ocl_conv_product_t product = {.g = prim__ocl_winograd_npoints(tile),
            .m = s->oc,
            .n = s->ic,
            .ntaps = 1,
            .channels = pd->ntiles,
            .may_split = true,
            .longest = OCL_LONGEST_SUM,
            .pipeline_bytes = is_async ? prim__ocl_conv_pipeline_bytes(pd->base.engine) : 0};
    ocl_conv_plan_t plan;
    if (!prim__ocl_conv_plan(&plan, NULL, device, &product)) return 0;
    // Transformed tensors are written and read; patches of src overlap, in the cache.
    const double bytes =
            2 * transformed_bytes(pd) + 4. * (double)s->mb *
                                                (double)(s->ic * s->in[CONV_H] * s->in[CONV_W] +
                                                         s->oc * s->out[CONV_H] * s->out[CONV_W]);
    return plan.cycles + prim__ocl_conv_move_cycles(device, bytes, 3);
}

static prim_status_t choose_tiles(conv_pd_t *pd, double *cycles)
{
    conv_pd_t other = *pd;
    const double cycles_4 = cut(pd, 4), cycles_2 = cut(&other, 2);
    REQUIRE(&pd->base, cycles_4 > 0 && cycles_2 > 0,
            "no tile fits the work-groups and the local memory of the device");
    if (cycles_2 < cycles_4) (void)cut(pd, 2);
    *cycles = cycles_2 < cycles_4 ? cycles_2 : cycles_4;
    REQUIRE(&pd->base, transformed_bytes(pd) <= max_bytes,
            "the transformed tensors take %.0f MiB, more than 1024",
            transformed_bytes(pd) / (1 << 20));
    return PRIM_SUCCESS;
}

/// A matrix of f32 for each point, one behind the other: `rows_run` if neighbours of a column are
/// adjacent.
static prim_memory_desc_t batch_md(int npoints, prim_dim_t rows, prim_dim_t columns, bool rows_run)
{
    prim_memory_desc_t md = {.ndims = 3,
            .data_type = PRIM_F32,
            .format_kind = PRIM_FORMAT_KIND_BLOCKED,
            .dims = {npoints, rows, columns},
            .strides = {rows * columns, rows_run ? 1 : columns, rows_run ? rows : 1}};
    for (int d = 0; d < md.ndims; ++d) md.padded_dims[d] = md.dims[d];
    return md;
}

/// For each point: [OC, tiles] × [tiles, IC].
static prim_status_t nest(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const int n = prim__ocl_winograd_npoints(pd->tile);
    const prim_memory_desc_t w = batch_md(n, s->oc, pd->ntiles, pd->dst_channels_run);
    const prim_memory_desc_t v = batch_md(n, pd->ntiles, s->ic, !pd->src_channels_run);
    const prim_memory_desc_t p = batch_md(n, s->oc, s->ic, false);
    const prim_memory_desc_t *const mds[] = {&w, &v, NULL, &p};
    const op_desc_t op = {.kind = PRIM_MATMUL};
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, base));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(base, PRODUCTS, &prim__matmul_schema, &op, &request));
    pd->v_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&v));
    pd->w_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&w));
    pd->p_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&p));

done:
    prim__attr_fini(&attr);
    return st;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    REQUIRE(base, base->op.alg_kind != PRIM_CONVOLUTION_DIRECT,
            "the algorithm is direct; this variant is Winograd's");
    prim__conv_shape(&pd->shape, base);
    TRY(require_shape(base, &pd->shape));
    TRY(prim__conv_set_row_major(base));
    TRY(prim__ocl_conv_backward_weights_check_tensors(base, &pd->shape));
    pd->src_channels_run = prim__pd_md(base, PRIM_ARG_SRC)->strides[1] == 1 && pd->shape.ic > 1;
    pd->dst_channels_run =
            prim__pd_md(base, PRIM_ARG_DIFF_DST)->strides[1] == 1 && pd->shape.oc > 1;
    double cycles;
    TRY(choose_tiles(pd, &cycles));
    if (base->op.alg_kind == PRIM_CONVOLUTION_AUTO) {
        const double tiled = prim__ocl_conv_weights_tiled_cycles(base);
        PREFER_OTHER_UNLESS(base,
                prim__ocl_device(base->engine)->has_dedicated_local && cycles < tiled,
                "%.0f cycles; `backward_weights_tiled` is expected to take %.0f", cycles, tiled);
    }
    base->op.alg_kind = PRIM_CONVOLUTION_WINOGRAD;
    return nest(pd);
}

static ocl_conv_backward_weights_winograd_data_t data_of(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_splits_t whole = {.nsplits = 1, .ntiles_m = 1, .ntiles_n = 1};
    return (ocl_conv_backward_weights_winograd_data_t){
            .sizes = prim__ocl_conv_backward_weights_data(&pd->base, &whole),
            .ic = (int32_t)s->ic,
            .oc = (int32_t)s->oc,
            .height = (int32_t)s->out[CONV_H],
            .width = (int32_t)s->out[CONV_W],
            .ntiles_h = (int32_t)pd->ntiles_h,
            .ntiles_w = (int32_t)pd->ntiles_w,
            .ntiles = (int32_t)pd->ntiles};
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    static const char *const names[] = {[SRC] = "conv_backward_weights_winograd_src",
            [DST] = "conv_backward_weights_winograd_dst",
            [SUMS] = "conv_backward_weights_winograd_sums"};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(
            &options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS)->data_type);
    prim__ocl_options_int(&options, "TILE", pd->tile);
    prim__ocl_options_int(&options, "SRC_CHANNELS_RUN", pd->src_channels_run);
    prim__ocl_options_int(&options, "DST_CHANNELS_RUN", pd->dst_channels_run);
    for (int i = SRC; i <= SUMS; ++i)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_conv_backward_weights_winograd_cl, &options, names[i]));
    const ocl_conv_backward_weights_winograd_data_t data = data_of(pd);
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

/// A tensor, and its transform in the scratchpad at `offset`: in the order of the kernel's
/// parameters, one work-item for each of `nitems`.
static prim_status_t transform(const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel,
        int tensor, size_t offset, int64_t nitems)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    if (kernel == SUMS) prim__ocl_args_scratchpad(&args, ctx, offset, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, tensor);
    if (kernel != SUMS) prim__ocl_args_scratchpad(&args, ctx, offset, sizeof(float));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[kernel], nitems);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, &args);
}

static prim_status_t multiply(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, PRODUCTS);
    prim__nested_pass_view(&run, PRIM_ARG_SRC, PRIM_ARG_SCRATCHPAD, pd->w_offset);
    prim__nested_pass_view(&run, PRIM_ARG_WEIGHTS, PRIM_ARG_SCRATCHPAD, pd->v_offset);
    prim__nested_pass_view(&run, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD, pd->p_offset);
    return prim__nested_execute(&run);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    TRY(transform(p, ctx, SRC, PRIM_ARG_SRC, pd->v_offset, s->ic * pd->ntiles));
    TRY(transform(p, ctx, DST, PRIM_ARG_DIFF_DST, pd->w_offset, s->oc * pd->ntiles));
    TRY(multiply(primitive, ctx));
    return transform(p, ctx, SUMS, PRIM_ARG_DIFF_WEIGHTS, pd->p_offset, s->oc * s->ic);
}

const impl_t prim__ocl_conv_backward_weights_winograd = {
        .name = "ocl:conv:backward_weights_winograd",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
