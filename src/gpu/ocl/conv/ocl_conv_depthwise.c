// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: vectors of channels (NHWC) or of pixels of a row (NCHW).
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_depthwise_data.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_depthwise_cl;
extern const impl_t prim__ocl_conv_depthwise;

enum { TILE_PIXELS = 4, MAX_EXACT_TAPS = 256 };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool is_last;         ///< vectors are channels, else pixels of a row
    bool packs;           ///< weights are reordered at each execution
    size_t packed_offset; ///< in the scratchpad
    int vec, kw, sw;      ///< -D of the kernel
    int64_t channels_padded, nchannels, ncolumns, nitems;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t require_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    TRY(prim__ocl_conv_require_typed(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, !prim__ocl_conv_sums_integers(pd) || prim__conv_taps(s) <= MAX_EXACT_TAPS,
            "sums of integers may exceed what f32 holds exactly");
    return prim__ocl_conv_require_sizes(pd, s);
}

static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const weights_last[] = {"dbca", "debca", "defbca"};
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    TRY(prim__conv_set_channels_last(pd));
    const bool is_last = prim__ocl_conv_is_last(dst) && prim__ocl_conv_is_last(src);
    if (is_last) TRY(prim__md_set_tag_if_any(wei, weights_last[s->nspatial - 1]));
    TRY(prim__md_set_row_major_if_any(wei));
    if (!prim__pd_has(pd, PRIM_ARG_BIAS)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS));
}

static void choose_vectors(conv_pd_t *pd, const ocl_device_t *device)
{
    const conv_shape_t *const s = &pd->shape;
    const int native = device->vector_width_f32 >= 16 ? 16 : device->vector_width_f32 >= 8 ? 8 : 4;
    const prim_dim_t extent = pd->is_last ? s->g : s->out[CONV_W];
    pd->vec = device->is_cpu ? native : 4;
    while (pd->vec > 4 && extent <= pd->vec / 2) pd->vec /= 2;
    const prim_dim_t kw = s->kernel[CONV_W], sw = s->stride[CONV_W];
    pd->sw = sw <= 2 ? (int)sw : 0;
    const bool slides = pd->is_last && pd->sw > 0 && s->dilation[CONV_W] == 1 &&
                        (kw == 3 || kw == 5 || kw == 7);
    pd->kw = slides ? (int)kw : 0;
    if (pd->is_last && !slides) pd->sw = 0;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_problem(base, s));
    TRY(set_layouts(base, s));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(base, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    TRY(prim__ocl_conv_require_data(base, src, OCL_CONV_BLOCK));
    TRY(prim__ocl_conv_require_data(base, dst, OCL_CONV_BLOCK));
    REQUIRE(base, prim__md_is_plain(wei), "weights have a blocked layout");
    pd->is_last = prim__ocl_conv_is_last(src) && prim__ocl_conv_is_last(dst);
    const bool has_rows = prim__md_is_plain(src) && prim__md_is_plain(dst) &&
                          src->strides[src->ndims - 1] == 1 && dst->strides[dst->ndims - 1] == 1;
    REQUIRE(base, pd->is_last || has_rows,
            "src and dst are contiguous neither along channels (NHWC) nor along rows (NCHW)");
    choose_vectors(pd, prim__ocl_device(base->engine));
    pd->channels_padded = dst->padded_dims[1];
    const prim_dim_t width = pd->is_last ? TILE_PIXELS : pd->vec;
    pd->nchannels = pd->is_last ? prim__ceil_div(pd->channels_padded, pd->vec) : s->g;
    pd->ncolumns = prim__ceil_div(s->out[CONV_W], width);
    pd->nitems = s->mb * pd->nchannels * s->out[CONV_D] * s->out[CONV_H] * pd->ncolumns;
    pd->packs = pd->is_last && wei->strides[0] != 1;
    if (pd->packs)
        pd->packed_offset = prim__pd_book_scratchpad(
                base, (size_t)(s->g * prim__conv_taps(s)) * prim__dt_bytes(wei->data_type));
    return PRIM_SUCCESS;
}

static void fill_weights_strides(ocl_conv_depthwise_data_t *data, const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    prim_dim_t strides[6];
    prim__conv_weights_strides(strides, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), true);
    data->pack_c = data->wei_c = strides[0];
    for (int i = 0; i < CONV_NSPATIAL; ++i) data->pack_s[i] = data->wei_s[i] = strides[3 + i];
    if (!pd->packs) return;
    data->wei_c = 1;
    data->wei_s[CONV_W] = s->g;
    data->wei_s[CONV_H] = s->g * s->kernel[CONV_W];
    data->wei_s[CONV_D] = s->g * s->kernel[CONV_W] * s->kernel[CONV_H];
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_conv_depthwise_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, &pd->base);
    prim__ocl_options_int(&options, "V", pd->vec);
    prim__ocl_options_int(&options, "IS_LAST", pd->is_last);
    prim__ocl_options_int(&options, "TW", TILE_PIXELS);
    prim__ocl_options_int(&options, "KW", pd->kw);
    prim__ocl_options_int(&options, "SW", pd->sw);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_depthwise"));
    if (pd->packs) TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_depthwise_pack"));
    ocl_conv_depthwise_data_t data = {
            .geo = prim__ocl_conv_geo(&pd->base, pd->is_last, pd->is_last),
            .nitems = pd->nitems,
            .channels = (int32_t)pd->shape.g,
            .channels_padded = (int32_t)pd->channels_padded,
            .nchannels = (int32_t)pd->nchannels,
            .ncolumns = (int32_t)pd->ncolumns,
            .quant = prim__ocl_conv_quant(&pd->base)};
    fill_weights_strides(&data, pd);
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t pack_weights(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[1], pd->shape.g);
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
    return prim__ocl_single_run(primitive, ctx, &args, pd->nitems);
}

const impl_t prim__ocl_conv_depthwise = {
        .name = "ocl:conv:depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
