// SPDX-License-Identifier: Apache-2.0
// What the OpenCL convolutions share: layouts, requirements, arguments, quantisation.
#include "ocl_conv.h"

#include "common/data_type.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

prim_status_t prim__ocl_conv_set_outputs_last(prim_desc_t *pd, const conv_shape_t *shape)
{
    static const char *const tags[2][3] = {{"cba", "cdba", "cdeba"}, {"adcb", "adecb", "adefcb"}};
    const char *const tag = tags[shape->has_groups][shape->nspatial - 1];
    TRY(prim__md_set_tag_if_any(prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tag));
    return prim__conv_set_row_major(pd);
}

prim_status_t prim__ocl_conv_require_origin(prim_desc_t *pd, const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d)
        REQUIRE(pd, md->padded_offsets[d] == 0,
                "a tensor is a view whose first element lies behind padding");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_require_plain(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__md_is_plain(md), "src, dst or weights have a blocked layout");
        TRY(prim__ocl_conv_require_origin(pd, md));
    }
    REQUIRE(pd, prim__ocl_fits_i32(pd),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_require_plain_gradient(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC};
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__md_is_plain(md), "diff_dst, weights or diff_src have a blocked layout");
        TRY(prim__ocl_conv_require_origin(pd, md));
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor is empty");
    }
    REQUIRE(pd,
            !prim__pd_has(pd, PRIM_ARG_BIAS) || prim__md_is_dense(prim__pd_md(pd, PRIM_ARG_BIAS)),
            "bias is not contiguous");
    REQUIRE(pd, prim__ocl_fits_i32(pd),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    return PRIM_SUCCESS;
}

static prim_data_type_t type_of(const prim_desc_t *pd, int arg)
{
    return prim__pd_md(pd, arg)->data_type;
}

static bool has_quant(const prim_desc_t *pd)
{
    return pd->attr.nscales > 0 || pd->attr.nzero_points > 0;
}

// One factor of IC·KD·KH·KW after the other: their product may exceed 64 bits.
static bool is_deeper(const prim_desc_t *pd, int64_t most)
{
    conv_shape_t shape;
    prim__conv_shape(&shape, pd);
    const prim_dim_t factors[] = {shape.ic, shape.kernel[0], shape.kernel[1], shape.kernel[2]};
    for (int i = 0; i < 4; ++i) {
        if (factors[i] > most) return true;
        if (factors[i] > 0) most /= factors[i];
    }
    return false;
}

prim_status_t prim__ocl_conv_require_short_sums(prim_desc_t *pd)
{
    int64_t longest = OCL_LONGEST_SUM;
    if (prim__ocl_conv_sums_integers(pd)) {
        longest = prim__ocl_longest_s32(
                type_of(pd, PRIM_ARG_SRC), false, type_of(pd, PRIM_ARG_WEIGHTS), false);
    }
    REQUIRE(pd, !is_deeper(pd, longest),
            "IC·KD·KH·KW is more products than one sum of f32 or s32 holds without loss");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_require_split_sums(prim_desc_t *pd)
{
    const int64_t most = 1 << 28;
    REQUIRE(pd, !is_deeper(pd, most), "IC·KD·KH·KW is more than 2^28");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_require_floats(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    REQUIRE(pd, type_of(pd, PRIM_ARG_SRC) != PRIM_S32 && type_of(pd, PRIM_ARG_WEIGHTS) != PRIM_S32,
            "src or weights are s32, which f32 does not hold exactly");
    REQUIRE(pd,
            !prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC) &&
                    !prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS),
            "src or weights have zero points");
    // The kernels read the bias of channel c at element c.
    const prim_memory_desc_t *const bia = prim__pd_md(pd, PRIM_ARG_BIAS);
    REQUIRE(pd, !prim__pd_has(pd, PRIM_ARG_BIAS) || prim__md_is_any(bia) || prim__md_is_dense(bia),
            "bias is not contiguous");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_require_typed(prim_desc_t *pd)
{
    TRY(prim__ocl_conv_require_floats(pd));
    return prim__ocl_conv_require_short_sums(pd);
}

prim_status_t prim__ocl_conv_require_sizes(prim_desc_t *pd, const conv_shape_t *shape)
{
    const prim_dim_t limit = 1 << 30;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        const prim_dim_t reach =
                shape->out[i] * shape->stride[i] + shape->kernel[i] * shape->dilation[i];
        REQUIRE(pd, reach < limit && shape->in[i] < limit && shape->pad[i] < limit,
                "a size, a padding or the reach of a window is 2^30 or more");
    }
    REQUIRE(pd, shape->g * shape->oc < limit && shape->g * shape->ic < limit && shape->mb < limit,
            "a size, a padding or the reach of a window is 2^30 or more");
    return PRIM_SUCCESS;
}

static bool is_blocked(const prim_memory_desc_t *md)
{
    return md->inner_nblks == 1 && md->inner_blks[0] == OCL_CONV_BLOCK && md->inner_idxs[0] == 1;
}

prim_status_t prim__ocl_conv_require_data(
        prim_desc_t *pd, const prim_memory_desc_t *md, prim_dim_t channels)
{
    REQUIRE(pd, prim__md_is_plain(md) || is_blocked(md),
            "src or dst is blocked other than by 16 channels (nChw16c)");
    REQUIRE(pd, prim__md_is_plain(md) || channels % OCL_CONV_BLOCK == 0,
            "%lld channels per group: a block of 16 would span two groups", (long long)channels);
    for (int d = 0; d < md->ndims; ++d)
        REQUIRE(pd, md->padded_offsets[d] == 0,
                "src or dst is a view whose first element lies behind padding");
    return PRIM_SUCCESS;
}

bool prim__ocl_conv_is_last(const prim_memory_desc_t *md)
{
    return is_blocked(md) || (prim__md_is_plain(md) && md->strides[1] == 1);
}

bool prim__ocl_conv_sums_integers(const prim_desc_t *pd)
{
    return prim__dt_is_integer(type_of(pd, PRIM_ARG_SRC)) &&
           prim__dt_is_integer(type_of(pd, PRIM_ARG_WEIGHTS));
}

bool prim__ocl_conv_is_exact(const prim_desc_t *pd)
{
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    return prim__ocl_conv_sums_integers(pd) && prim__dt_is_integer(type_of(pd, PRIM_ARG_DST)) &&
           (!has_bias || prim__dt_is_integer(type_of(pd, PRIM_ARG_BIAS))) && !has_quant(pd) &&
           pd->attr.post_ops.len == 0;
}

bool prim__ocl_conv_has_short_epilogue(const prim_desc_t *pd)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const step = &chain->entries[i];
        if (step->kind != PRIM_ELTWISE || !prim__ocl_post_op_is_short(step)) return false;
    }
    return chain->len <= 2;
}

void prim__ocl_conv_options(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_src_dst(options, pd);
    prim__ocl_options_weights(options, pd);
    prim__ocl_options_int(options, "HAS_QUANT", has_quant(pd));
}

void prim__ocl_conv_geo_sizes(ocl_conv_geo_t *geo, const conv_shape_t *shape)
{
    geo->ic = (int32_t)shape->ic;
    geo->oc = (int32_t)shape->oc;
    geo->nspatial = shape->nspatial;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        geo->in[i] = (int32_t)shape->in[i];
        geo->out[i] = (int32_t)shape->out[i];
        geo->taps[i] = (int32_t)shape->kernel[i];
        geo->stride[i] = (int32_t)shape->stride[i];
        geo->dilation[i] = (int32_t)shape->dilation[i];
        geo->pad[i] = (int32_t)shape->pad[i];
    }
}

ocl_conv_geo_t prim__ocl_conv_geo(const prim_desc_t *pd, bool src_is_last, bool dst_is_last)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    ocl_conv_geo_t geo = {0};
    conv_shape_t shape;
    prim__conv_shape(&shape, pd);
    prim__ocl_conv_geo_sizes(&geo, &shape);
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, src);
    geo.src_n = strides[0];
    geo.src_c = src_is_last && src->inner_nblks == 0 ? OCL_CONV_BLOCK : strides[1];
    for (int i = 0; i < CONV_NSPATIAL; ++i) geo.src_s[i] = strides[2 + i];
    geo.src_span = prim__md_is_empty(src) ? 0 : prim__md_span_elems(src) - src->offset0;
    prim__conv_data_strides(strides, dst);
    geo.dst_n = strides[0];
    geo.dst_c = dst_is_last && dst->inner_nblks == 0 ? OCL_CONV_BLOCK : strides[1];
    for (int i = 0; i < CONV_NSPATIAL; ++i) geo.dst_s[i] = strides[2 + i];
    geo.oc_padded = geo.oc + (int32_t)(dst->padded_dims[1] - dst->dims[1]);
    return geo;
}

ocl_conv_quant_t prim__ocl_conv_quant(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const quant_t *const wei_scales = prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS);
    return (ocl_conv_quant_t){.dst_scales = prim__ocl_scales(pd, PRIM_ARG_DST, dst),
            .dst_zps = prim__ocl_zero_points(pd, PRIM_ARG_DST, dst),
            .src_scales_dt = prim__ocl_scale_type(pd, PRIM_ARG_SRC),
            .wei_scales_dt = prim__ocl_scale_type(pd, PRIM_ARG_WEIGHTS),
            .wei_scale_step = wei_scales && wei_scales->mask != 0};
}

static void args_packed(ocl_args_t *args, const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        size_t packed_offset)
{
    const prim_data_type_t dt = prim__pd_md(primitive->base.pd, PRIM_ARG_WEIGHTS)->data_type;
    prim__ocl_args_scratchpad(args, ctx, packed_offset, prim__dt_bytes(dt));
}

void prim__ocl_conv_args(ocl_args_t *args, const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        const size_t *packed_offset)
{
    prim__ocl_args_init(args);
    for (int i = 0; i < primitive->ndata; ++i) prim__ocl_args_buffer(args, primitive->data[i]);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    if (packed_offset)
        args_packed(args, primitive, ctx, *packed_offset);
    else
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_BIAS);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
}

prim_status_t prim__ocl_conv_pack_weights(const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        size_t packed_offset, const ocl_range_t *range)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, primitive->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    args_packed(&args, primitive, ctx, packed_offset);
    return prim__ocl_launch(ctx, primitive->kernels[1], range, &args);
}

void prim__ocl_conv_args_quant(ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd)
{
    if (!has_quant(pd)) return;
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(args, ctx, PRIM_ARG_DST);
}
