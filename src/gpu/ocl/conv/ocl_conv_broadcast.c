// SPDX-License-Identifier: Apache-2.0
// Convolution on CPU-type OpenCL devices: register tiles of pixels × output channels, src values
// broadcast against vectors of weights.
#include <stdio.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_broadcast_data.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_broadcast_cl;
extern const impl_t prim__ocl_conv_broadcast;

enum { BLOCK = OCL_CONV_BLOCK };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool src_is_last, dst_is_last;        ///< 16 consecutive channels are contiguous
    bool packs;                           ///< weights are put into blocks at each execution
    size_t packed_offset;                 ///< of the scratchpad
    int vl, tp, tv;                       ///< the register tile: vector length, pixels, vectors
    int kproducts;                        ///< thousand products of a work-item, at least
    int64_t nocs, ntiles, tiles_per_item; ///< nocs: tiles of output channels in a group
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// "Acdb16a", "aBdec16b": taps, then input channels, then a block of 16 output channels.
static void weights_tag(char *tag, const conv_shape_t *s)
{
    const char *const spatial = s->has_groups ? "def" : "cde";
    if (s->has_groups)
        (void)sprintf(tag, "aB%.*sc16b", s->nspatial, spatial);
    else
        (void)sprintf(tag, "A%.*sb16a", s->nspatial, spatial);
}

static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    char tag[16];
    weights_tag(tag, s);
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__md_set_tag_if_any(prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tag));
    if (!prim__pd_has(pd, PRIM_ARG_BIAS)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS));
}

/// Decides whether the weights can be read as they are.
static prim_status_t choose_packing(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    const int o_dim = s->has_groups;
    for (int d = 0; d < wei->ndims; ++d)
        REQUIRE(&pd->base, wei->padded_offsets[d] == 0,
                "weights are a view whose first element lies behind padding");
    const bool is_blocked =
            wei->inner_nblks == 1 && wei->inner_blks[0] == BLOCK && wei->inner_idxs[0] == o_dim;
    if (is_blocked) return PRIM_SUCCESS;
    REQUIRE(&pd->base, prim__md_is_plain(wei),
            "weights are blocked other than by 16 output channels");
    if (wei->strides[o_dim] == 1 && s->oc % BLOCK == 0) return PRIM_SUCCESS;
    pd->packs = true;
    const prim_dim_t nelems =
            s->g * prim__ceil_div(s->oc, BLOCK) * BLOCK * s->ic * prim__conv_taps(s);
    pd->packed_offset =
            prim__pd_book_scratchpad(&pd->base, (size_t)nelems * prim__dt_bytes(wei->data_type));
    return PRIM_SUCCESS;
}

/// The register tile: as many sums as registers hold beside the weights and one source value; and
/// how many thousand products are worth the start of a work-item.
static void choose_tile(conv_pd_t *pd, const ocl_device_t *device)
{
    static const int tile_of_16[][2] = {{6, 4}, {12, 2}, {14, 1}}; // 24 or 14 of 32 registers
    static const int tile_of_less[] = {6, 2};                      // 12 of 16 registers
    static const int tile_of_gpu[] = {2, 2};                       // 16 scalars: few are left
    // What takes a core some 20 µs, so that its start does not count; a fifth, and four times that.
    const int estimated =
            prim__ocl_measured_int(device, MEASURED_CONV_BROADCAST_ITEM_KPRODUCTS, 500);
    const int kproducts[] = {estimated, 100, 2000};
    ocl_tune_t tune;
    pd->vl = device->vector_width_f32 >= 16 ? 16 : device->vector_width_f32 >= 8 ? 8 : 4;
    const int ntiles = pd->vl == 16 ? 3 : 1;
    prim__ocl_tune_start(&tune, &pd->base, "pixels vectors kproducts");
    for (int i = 0; i < 3 * ntiles; ++i) {
        const int *const tile = pd->vl == 16     ? tile_of_16[i % ntiles]
                                : device->is_cpu ? tile_of_less
                                                 : tile_of_gpu;
        const int noutputs = 16 * tile[1];
        const prim_dim_t nocs = prim__ceil_div(pd->shape.oc, noutputs);
        const double slower = i < ntiles ? 1 : 1.5 + 0.01 * i; // than with what mostly is best
        const double cost = (double)(nocs * noutputs) *
                            prim__ocl_register_tile_cost(device, pd->vl == 16 ? tile[1] : 4) *
                            slower;
        const ocl_tune_params_t params = {{tile[0], tile[1], kproducts[i / ntiles]}};
        if (!prim__ocl_tune_offer(&tune, cost, params)) continue;
        pd->tp = tile[0];
        pd->tv = tile[1];
        pd->kproducts = kproducts[i / ntiles];
    }
}

/// Enough tiles for a work-item to be worth its start, and enough work-items for every core.
static void choose_items(conv_pd_t *pd, const ocl_device_t *device)
{
    const double min_products = 1e3 * pd->kproducts;
    const conv_shape_t *const s = &pd->shape;
    const int noutputs = pd->tv * pd->vl;
    const prim_dim_t npixels = s->mb * prim__conv_out_elems(s);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    const prim_dim_t oc_padded = s->oc + dst->padded_dims[1] - dst->dims[1];
    pd->nocs = prim__ceil_div(oc_padded, noutputs);
    pd->ntiles = prim__ceil_div(npixels, pd->tp);
    const double products = (double)(s->ic * prim__conv_taps(s) * pd->tp * noutputs);
    const prim_dim_t wanted = (prim_dim_t)(min_products / products) + 1;
    const prim_dim_t most = s->g * pd->nocs * pd->ntiles / (8 * (prim_dim_t)device->compute_units);
    pd->tiles_per_item = wanted < most ? wanted : most > 1 ? most : 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__ocl_conv_require_typed(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, s));
    TRY(set_layouts(base, s));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    TRY(prim__ocl_conv_require_data(base, src, s->g == 1 ? BLOCK : s->ic));
    TRY(prim__ocl_conv_require_data(base, dst, s->g == 1 ? BLOCK : s->oc));
    REQUIRE(base, !prim__md_is_empty(src) && !prim__md_is_empty(dst), "a tensor has no elements");
    pd->src_is_last = prim__ocl_conv_is_last(src);
    pd->dst_is_last = prim__ocl_conv_is_last(dst);
    TRY(choose_packing(pd));
    choose_tile(pd, device);
    choose_items(pd, device);
    PREFER_OTHER_UNLESS(
            base, device->is_cpu, "the device is a GPU: its work-items have no vector registers");
    return PRIM_SUCCESS;
}

/// Distances in the weights that the main kernel reads: as they are, or dense after packing.
static void fill_weights_strides(ocl_conv_broadcast_data_t *data, const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    prim_dim_t strides[6];
    prim__conv_weights_strides(strides, wei, s->has_groups);
    data->pack_g = strides[0];
    data->pack_o = strides[1];
    data->pack_i = strides[2];
    for (int i = 0; i < CONV_NSPATIAL; ++i) data->pack_s[i] = strides[3 + i];
    if (!pd->packs) {
        data->wei_g = strides[0];
        data->wei_o = wei->inner_nblks ? strides[1] : BLOCK;
        data->wei_i = strides[2];
        for (int i = 0; i < CONV_NSPATIAL; ++i) data->wei_s[i] = strides[3 + i];
        return;
    }
    data->wei_i = BLOCK;
    data->wei_s[CONV_W] = s->ic * data->wei_i;
    data->wei_s[CONV_H] = s->kernel[CONV_W] * data->wei_s[CONV_W];
    data->wei_s[CONV_D] = s->kernel[CONV_H] * data->wei_s[CONV_H];
    data->wei_o = s->kernel[CONV_D] * data->wei_s[CONV_D];
    data->wei_g = data->nblocks_o * data->wei_o;
}

/// Whether the taps of a row, with all their channels, are contiguous in src and in the weights,
/// and a tap is worth little alone.
static bool goes_by_rows(const conv_pd_t *pd, const ocl_conv_broadcast_data_t *data)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    return pd->src_is_last && src->inner_nblks == 0 && s->g == 1 && s->dilation[CONV_W] == 1 &&
           s->ic < BLOCK && s->kernel[CONV_W] > 1 && data->geo.src_s[CONV_W] == s->ic &&
           data->wei_s[CONV_W] == s->ic * data->wei_i;
}

static void set_options(ocl_options_t *options, const conv_pd_t *pd, bool by_rows)
{
    prim__ocl_options_init(options);
    prim__ocl_conv_options(options, &pd->base);
    prim__ocl_options_int(options, "VL", pd->vl);
    prim__ocl_options_int(options, "TP", pd->tp);
    prim__ocl_options_int(options, "TV", pd->tv);
    prim__ocl_options_int(options, "SRC_IS_LAST", pd->src_is_last);
    prim__ocl_options_int(options, "DST_IS_LAST", pd->dst_is_last);
    prim__ocl_options_int(options, "BY_ROWS", by_rows);
    prim__ocl_options_int(options, "SUM_INT", prim__ocl_conv_sums_integers(&pd->base));
    prim__ocl_options_int(options, "IS_EXACT", prim__ocl_conv_is_exact(&pd->base));
    prim__ocl_post_ops_options(options, &pd->base, true);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_conv_broadcast_cl;
    const conv_shape_t *const s = &pd->shape;
    ocl_conv_broadcast_data_t data = {
            .geo = prim__ocl_conv_geo(&pd->base, pd->src_is_last, pd->dst_is_last),
            .npixels = s->mb * prim__conv_out_elems(s),
            .ntiles = pd->ntiles,
            .nblocks_o = (int32_t)prim__ceil_div(s->oc, BLOCK),
            .nocs = (int32_t)pd->nocs,
            .tiles_per_item = (int32_t)pd->tiles_per_item,
            .quant = prim__ocl_conv_quant(&pd->base)};
    fill_weights_strides(&data, pd);
    const bool by_rows = goes_by_rows(pd, &data);
    data.depth = (int32_t)(by_rows ? s->ic * s->kernel[CONV_W] : s->ic);
    data.nacross = by_rows ? 1 : (int32_t)s->kernel[CONV_W];
    ocl_options_t options;
    set_options(&options, pd, by_rows);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_broadcast"));
    if (pd->packs) TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_broadcast_pack"));
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t pack_weights(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const conv_shape_t *const s = &pd->shape;
    const ocl_range_t range =
            prim__ocl_range_3d(s->ic, prim__ceil_div(s->oc, BLOCK), s->g, 1, 1, 1);
    return prim__ocl_conv_pack_weights(p, ctx, pd->packed_offset, &range);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    if (pd->packs) TRY(pack_weights(p, ctx));
    ocl_args_t args;
    prim__ocl_conv_args(&args, p, ctx, pd->packs ? &pd->packed_offset : NULL);
    prim__ocl_conv_args_quant(&args, ctx, &pd->base);
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t nitems = prim__ceil_div(pd->ntiles, pd->tiles_per_item);
    const ocl_range_t range = prim__ocl_range_3d(nitems, pd->shape.g * pd->nocs, 1, 1, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_broadcast = {
        .name = "ocl:conv:broadcast",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
