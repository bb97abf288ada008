// SPDX-License-Identifier: Apache-2.0
// What gradients of a convolution's weights as implicit matrix products share.
#include "ocl_conv_backward_weights.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_cl;

/// Short chains of sums are not worth a barrier; long ones are cut. Fours of columns have one
/// output channel.
static ocl_conv_summing_t summing_of(const conv_shape_t *s, int32_t nsplits)
{
    const int vec = s->ic % 4 == 0 && s->oc % 4 == 0 ? 4 : 1;
    if (nsplits <= 4) return (ocl_conv_summing_t){vec, 128, 1};
    if (nsplits <= 16) return (ocl_conv_summing_t){vec, 32, 4};
    return vec == 4 ? (ocl_conv_summing_t){vec, 16, 16} : (ocl_conv_summing_t){vec, 32, 8};
}

prim_status_t prim__ocl_conv_backward_weights_check(prim_desc_t *pd, conv_shape_t *shape)
{
    TRY(prim__conv_take_direct(pd));
    return prim__ocl_conv_backward_weights_check_tensors(pd, shape);
}

prim_status_t prim__ocl_conv_backward_weights_check_tensors(prim_desc_t *pd, conv_shape_t *shape)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_DIFF_WEIGHTS, PRIM_ARG_DIFF_DST};
    prim__conv_shape(shape, pd);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__ocl_conv_require_sizes(pd, shape));
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__md_is_plain(md), "src, diff_dst or diff_weights have a blocked layout");
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor has no elements");
        TRY(prim__ocl_conv_require_origin(pd, md));
    }
    REQUIRE(pd,
            !prim__pd_has(pd, PRIM_ARG_DIFF_BIAS) ||
                    prim__md_is_dense(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS)),
            "diff_bias is not contiguous");
    REQUIRE(pd, prim__ocl_fits_i32(pd),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    REQUIRE(pd, shape->mb * prim__conv_out_elems(shape) < INT32_MAX - 65536,
            "diff_dst has 2^31 pixels or more (N·OD·OH·OW)");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_backward_weights_require_16_bits(prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    REQUIRE(pd, src == dst && (src == PRIM_F16 || src == PRIM_BF16),
            "src and diff_dst are not both f16 or both bf16");
    return PRIM_SUCCESS;
}

void prim__ocl_conv_splits_book(ocl_conv_splits_t *splits, prim_desc_t *pd,
        const conv_shape_t *shape, int64_t npixels, int64_t split_pixels)
{
    const prim_dim_t outputs = shape->g * shape->oc;
    splits->split_pixels = (int32_t)split_pixels;
    splits->nsplits = (int32_t)prim__ceil_div(npixels, split_pixels);
    // Fours of sums are aligned in all splits.
    splits->npartial = prim__round_up(outputs * (shape->ic * prim__conv_taps(shape) + 1), 4);
    splits->summing = summing_of(shape, splits->nsplits);
    if (splits->nsplits > 1)
        splits->partial_offset = prim__pd_book_scratchpad(
                pd, sizeof(float) * (size_t)(splits->nsplits * splits->npartial));
}

/// Whether no tap of any pixel lies outside src.
static bool is_inside(const conv_shape_t *s)
{
    bool is = true;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const prim_dim_t last =
                (s->out[d] - 1) * s->stride[d] + (s->kernel[d] - 1) * s->dilation[d];
        is = is && s->pad[d] == 0 && last < s->in[d];
    }
    return is;
}

/// Whether pixel k of all images lies k strides of the last dimension behind the first.
static bool is_row(const prim_memory_desc_t *md, const prim_dim_t *sizes, prim_dim_t images)
{
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    prim_dim_t next = strides[4];
    bool is = true;
    for (int d = CONV_W; d >= CONV_D; --d) {
        is = is && (sizes[d] == 1 || strides[2 + d] == next);
        next *= sizes[d];
    }
    return is && (images == 1 || strides[0] == next);
}

void prim__ocl_conv_backward_weights_options(
        ocl_options_t *options, const prim_desc_t *pd, bool by_tap)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_DIFF_BIAS);
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    prim__ocl_options_type(options, "SRC", src->data_type);
    prim__ocl_options_type(options, "DST", dst->data_type);
    prim__ocl_options_type(options, "WEI", prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS)->data_type);
    prim__ocl_options_type(
            options, "BIA", has_bias ? prim__pd_md(pd, PRIM_ARG_DIFF_BIAS)->data_type : PRIM_F32);
    prim__ocl_options_int(options, "HAS_BIAS", has_bias);
    prim__ocl_options_int(options, "BY_TAP", by_tap);
    prim__ocl_options_int(options, "HAS_DEPTH", s.nspatial == 3);
    prim__ocl_options_int(options, "INSIDE", is_inside(&s));
    prim__ocl_options_int(options, "LINEAR",
            prim__conv_is_pointwise(&s) && is_row(src, s.in, s.mb) && is_row(dst, s.out, s.mb));
}

static void fill_strides(
        ocl_conv_backward_weights_data_t *data, const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5], dst[5], wei[6];
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__conv_data_strides(dst, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS), s->has_groups);
    data->wei_g = wei[0];
    data->wei_o = wei[1];
    data->wei_i = wei[2];
    data->src_n = (int32_t)src[0];
    data->src_c = (int32_t)src[1];
    data->src_g = (int32_t)(s->g > 1 ? s->ic * src[1] : 0);
    data->dst_n = (int32_t)dst[0];
    data->dst_c = (int32_t)dst[1];
    data->dst_g = (int32_t)(s->g > 1 ? s->oc * dst[1] : 0);
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        data->wei_s[d] = wei[3 + d];
        data->src_s[d] = (int32_t)src[2 + d];
        data->dst_s[d] = (int32_t)dst[2 + d];
    }
}

static void fill_sizes(ocl_conv_backward_weights_data_t *data, const conv_shape_t *s)
{
    const prim_dim_t ncolumns = s->ic * prim__conv_taps(s);
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        data->in[d] = (int32_t)s->in[d];
        data->stride[d] = (int32_t)s->stride[d];
        data->pad[d] = (int32_t)s->pad[d];
        data->dilation[d] = (int32_t)s->dilation[d];
        data->out[d] = prim__ocl_divisor((int32_t)s->out[d]);
        data->taps[d] = prim__ocl_divisor((int32_t)s->kernel[d]);
    }
    data->ngroups = (int32_t)s->g;
    data->oc = (int32_t)s->oc;
    data->ncolumns = (int32_t)ncolumns;
    data->npixels = (int32_t)(s->mb * prim__conv_out_elems(s));
    data->ic = prim__ocl_divisor((int32_t)s->ic);
    data->columns = prim__ocl_divisor((int32_t)ncolumns);
}

ocl_conv_backward_weights_data_t prim__ocl_conv_backward_weights_data(
        const prim_desc_t *pd, const ocl_conv_splits_t *splits)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    ocl_conv_backward_weights_data_t data = {.npartial = splits->npartial,
            .split_pixels = splits->split_pixels,
            .nsplits = splits->nsplits,
            .ntiles_m = prim__ocl_divisor(splits->ntiles_m),
            .ntiles_n = prim__ocl_divisor(splits->ntiles_n)};
    fill_strides(&data, pd, &s);
    fill_sizes(&data, &s);
    return data;
}

prim_status_t prim__ocl_conv_backward_weights_add(ocl_primitive_t *p,
        const ocl_conv_backward_weights_data_t *data, size_t bytes, const ocl_conv_splits_t *splits,
        const ocl_options_t *options)
{
    TRY(prim__ocl_primitive_add_data(p, data, bytes));
    if (data->nsplits == 1) return PRIM_SUCCESS;
    ocl_options_t own = *options;
    prim__ocl_options_int(&own, "VEC", splits->summing.vec);
    prim__ocl_options_int(&own, "LANES", splits->summing.lanes);
    prim__ocl_options_int(&own, "PARTS", splits->summing.parts);
    return prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_backward_weights_cl, &own, "conv_backward_weights_sum");
}

void prim__ocl_conv_splits_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_splits_t *splits)
{
    if (splits->nsplits > 1)
        prim__ocl_args_scratchpad(args, ctx, splits->partial_offset, sizeof(float));
    else
        prim__ocl_args_nothing(args);
}

void prim__ocl_conv_backward_weights_args(ocl_args_t *args, const exec_ctx_t *ctx,
        const ocl_primitive_t *p, const ocl_conv_splits_t *splits)
{
    prim__ocl_args_init(args);
    prim__ocl_args_buffer(args, p->data[0]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DIFF_BIAS);
    prim__ocl_conv_splits_args(args, ctx, splits);
}

prim_status_t prim__ocl_conv_backward_weights_sum(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_splits_t *splits)
{
    if (splits->nsplits == 1) return PRIM_SUCCESS;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_conv_splits_args(&args, ctx, splits);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_BIAS);
    const ocl_conv_summing_t *const by = &splits->summing;
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ceil_div(splits->npartial, by->lanes * by->vec), (size_t)(by->lanes * by->parts));
    return prim__ocl_launch(ctx, p->kernels[1], &range, &args);
}
