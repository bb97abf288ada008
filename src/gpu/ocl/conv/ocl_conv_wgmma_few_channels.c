// SPDX-License-Identifier: Apache-2.0
// Convolution of f16 and bf16 with few input channels, NHWC, by WGMMA: rows of the window go
// from src to registers.
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include <math.h>

#include "ocl_conv_igemm.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_wgmma_few_channels.h"
#include "ocl_conv_wgmma_operands.h"

extern const ocl_source_t prim__ocl_conv_wgmma_few_channels_cl;
extern const impl_t prim__ocl_conv_wgmma_few_channels;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_pairs;
    bool has_unit; ///< else plain C: RETARGET=0
    ocl_conv_rows_plan_t plan;
    ocl_conv_rows_data_t data; ///< goes by value
} ocl_conv_wgmma_few_channels_pd_t;

_Static_assert(offsetof(ocl_conv_wgmma_few_channels_pd_t, base) == 0, "the base comes first");

/// Whether rows of the window are contiguous runs of src.
static bool has_rows(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5];
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    return s->g == 1 && s->nspatial <= 2 && (src[2 + CONV_W] == s->ic || s->in[CONV_W] == 1) &&
           (s->dilation[CONV_W] == 1 || s->kernel[CONV_W] == 1);
}

static prim_status_t require_rows(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->g == 1, "%lld groups; this variant takes one", (long long)s->g);
    REQUIRE(pd, s->nspatial <= 2, "three spatial dimensions; this variant takes one or two");
    REQUIRE(pd, s->dilation[CONV_W] == 1 || s->kernel[CONV_W] == 1,
            "the kernel is dilated along the width");
    REQUIRE(pd, has_rows(pd, s), "pixels of a row of src are not contiguous");
    return PRIM_SUCCESS;
}

/// Whether all rows of windows start at even distances from each other.
static bool has_pairs(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5];
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    return (s->in[CONV_H] == 1 || src[2 + CONV_H] % 2 == 0) && (s->mb == 1 || src[0] % 2 == 0) &&
           (s->out[CONV_W] == 1 || s->stride[CONV_W] * s->ic % 2 == 0);
}

static ocl_conv_rows_product_t product_of(const prim_desc_t *pd, const conv_shape_t *s)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return (ocl_conv_rows_product_t){.pixels = s->mb * prim__conv_out_elems(s),
            .outputs = s->oc,
            .nrows = s->kernel[CONV_H],
            .row_elems = s->kernel[CONV_W] * s->ic,
            .has_pairs = has_pairs(pd, s),
            .dst_bytes = (int)prim_data_type_size(dst),
            .is_short = prim__ocl_conv_wgmma_leaves_registers(pd),
            .has_words = dst != PRIM_F32 && !prim__ocl_conv_wgmma_has_dst_chunks(pd),
            .step_bytes = s->stride[CONV_W] * s->ic * OCL_CONV_WGMMA_BYTES};
}

double prim__ocl_conv_few_channels_cycles(const prim_desc_t *pd)
{
    conv_shape_t s;
    ocl_conv_rows_plan_t plan;
    prim__conv_shape(&s, pd);
    if (!has_rows(pd, &s)) return INFINITY;
    const ocl_conv_rows_product_t product = product_of(pd, &s);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    return prim__ocl_conv_few_channels_plan(&plan, device, &product) ? plan.cycles : INFINITY;
}

static prim_status_t choose_plan(ocl_conv_wgmma_few_channels_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const ocl_conv_rows_product_t product = product_of(base, &pd->shape);
    REQUIRE(base, prim__ocl_conv_few_channels_plan(&pd->plan, device, &product),
            "the window has more than 32 rows, or more than 512 elements with its rows padded");
    pd->has_unit = prim__ocl_conv_wgmma_is_claimed(base) &&
                   prim__ocl_device_trusts_type(base->engine, OCL_FEATURE_WGMMA_F16,
                           prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    const uint64_t lanes_bytes = pd->has_unit ? 0 : OCL_CONV_ROWS_ITEMS * 16;
    const uint64_t bytes = pd->plan.local_bytes + sizeof(ocl_conv_rows_data_t) + lanes_bytes;
    REQUIRE(base,
            bytes <= device->local_bytes || bytes <= prim__ocl_feature_local_bytes(base->engine),
            "the weights do not fit local memory");
    PREFER_OTHER_UNLESS(base, pd->shape.ic > 1 || pd->shape.oc > 1,
            "one input and one output channel: no matrix product");
    const double other = prim__ocl_conv_igemm_cycles(base);
    PREFER_OTHER_UNLESS(base, pd->plan.cycles < other,
            "%.0f cycles of windows padded to tiles; `igemm` is expected to take %.0f",
            pd->plan.cycles, other);
    return PRIM_SUCCESS;
}

static ocl_conv_rows_data_t data_of(const ocl_conv_wgmma_few_channels_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const weights = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    prim_dim_t wei[6];
    prim__conv_weights_strides(wei, weights, s->has_groups);
    ocl_conv_rows_data_t data = {.base = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
                                         .wei_o = wei[1],
                                         .npixels = (int32_t)(s->mb * prim__conv_out_elems(s)),
                                         .ngroups = 1,
                                         .ntiles = pd->plan.ntiles,
                                         .ntiles_n = pd->plan.ntiles_n,
                                         .boxes = prim__ocl_conv_wgmma_boxes(&pd->base, s)},
            .wei_c = wei[2],
            .wei_s = {wei[3 + CONV_W], wei[3 + CONV_H]},
            .row_elems = (int32_t)(s->kernel[CONV_W] * s->ic)};
    for (int d = 0; d < 3; ++d) {
        data.base.boxes.box[d] = data.base.boxes.dst_size[d];
        data.base.boxes.ntiles[d] = 1;
    }
    return data;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_wgmma_few_channels_pd_t *const pd = (ocl_conv_wgmma_few_channels_pd_t *)base;
    TRY(prim__ocl_conv_mma_begin(base, &pd->shape, false));
    TRY(prim__ocl_conv_require_short_sums(base));
    TRY(require_rows(base, &pd->shape));
    pd->has_pairs = has_pairs(base, &pd->shape);
    TRY(choose_plan(pd));
    pd->data = data_of(pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_wgmma_few_channels_pd_t *const pd =
            (const ocl_conv_wgmma_few_channels_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_conv_wgmma_options(&options, &pd->base, pd->has_unit);
    prim__ocl_options_int(&options, "BM", OCL_CONV_ROWS_BM);
    prim__ocl_options_int(&options, "BN", OCL_CONV_ROWS_BN);
    prim__ocl_options_int(&options, "STAGES", 1);
    prim__ocl_options_int(&options, "MAPS", 1);
    prim__ocl_options_int(&options, "PHASES", 0);
    prim__ocl_options_int(&options, "NROWS", (int)pd->shape.kernel[CONV_H]);
    prim__ocl_options_int(&options, "ROW_CHUNKS", pd->plan.row_chunks);
    prim__ocl_options_int(&options, "PAIRS", pd->has_pairs);
    prim__ocl_options_int(&options, "SPREADS", pd->plan.spreads);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_wgmma_few_channels_cl, &options, "conv_wgmma_few_channels"));
    const ocl_conv_quant_t quant = prim__ocl_conv_quant(&pd->base);
    TRY(prim__ocl_primitive_add_data(p, &quant, sizeof quant));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_wgmma_few_channels_pd_t *const pd =
            (const ocl_conv_wgmma_few_channels_pd_t *)primitive->pd;
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    ocl_conv_rows_data_t data = pd->data;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &data, sizeof data);
    for (int i = 0; i < 3; ++i) {
        prim__ocl_args_tensor(&args, ctx, tensors[i]);
        data.starts[i] = prim__ocl_args_take_i64(&args);
    }
    prim__ocl_conv_wgmma_args_epilogue(&args, ctx, p, p->data[0]);
    const ocl_range_t range = prim__ocl_range_groups(pd->plan.ngroups, OCL_CONV_ROWS_ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_wgmma_few_channels = {
        .name = "ocl:conv:wgmma_few_channels",
        .pd_size = sizeof(ocl_conv_wgmma_few_channels_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
