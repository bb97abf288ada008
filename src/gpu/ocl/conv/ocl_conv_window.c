// SPDX-License-Identifier: Apache-2.0
// Windows of pixels for `mma.sync`: sizes for the kernels, and what these require of operands.
#include "ocl_conv_window.h"

#include "ocl_conv_wgmma_common.h"

/// What add_data() uploads.
enum { QUANT, SIZES };

ocl_conv_window_t prim__ocl_conv_window(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim_dim_t wei[6];
    prim__conv_shape(&s, pd);
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), s.has_groups);
    ocl_conv_window_t window = {.geo = prim__ocl_conv_geo(pd, false, false),
            .wei_g = wei[0],
            .wei_o = wei[1],
            .npixels = (int32_t)(s.mb * prim__conv_out_elems(&s)),
            .ntaps = (int32_t)prim__conv_taps(&s)};
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        window.wei_s[d] = wei[3 + d];
        window.out[d] = prim__ocl_divisor((int32_t)s.out[d]);
        window.taps[d] = prim__ocl_divisor((int32_t)s.kernel[d]);
    }
    return window;
}

static bool are_chunks(const prim_dim_t *strides, int n, prim_dim_t chunk)
{
    for (int i = 0; i < n; ++i) {
        if (strides[i] % chunk != 0) return false;
    }
    return true;
}

prim_status_t prim__ocl_conv_require_chunks(prim_desc_t *pd, prim_dim_t chunk, prim_dim_t max_taps)
{
    conv_shape_t s;
    prim_dim_t src[5], wei[6];
    prim__conv_shape(&s, pd);
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), s.has_groups);
    REQUIRE(pd, s.ic % chunk == 0, "IC = %lld is not a multiple of 16 bytes", (long long)s.ic);
    REQUIRE(pd, prim__conv_taps(&s) <= max_taps,
            "the window has %lld taps, the mask has bits for %d", (long long)prim__conv_taps(&s),
            (int)max_taps);
    REQUIRE(pd, wei[2] == 1, "weights are not contiguous along input channels");
    REQUIRE(pd,
            are_chunks(src, 1, chunk) && are_chunks(src + 2, 3, chunk) &&
                    are_chunks(wei, 2, chunk) && are_chunks(wei + 3, 3, chunk),
            "pixels of src or taps of the weights are not 16-byte aligned");
    return PRIM_SUCCESS;
}

bool prim__ocl_conv_filters_are_dense(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim_dim_t wei[6];
    prim__conv_shape(&s, pd);
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), s.has_groups);
    prim_dim_t next = s.ic;
    bool is_dense = wei[2] == 1;
    for (int d = CONV_W; d >= CONV_D; --d) {
        is_dense = is_dense && (s.kernel[d] == 1 || wei[3 + d] == next);
        next *= s.kernel[d];
    }
    return is_dense;
}

void prim__ocl_conv_window_options(
        ocl_options_t *options, const prim_desc_t *pd, bool has_unit, int max_taps)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    prim__ocl_options_init(options);
    prim__ocl_options_int(options, "MMA", has_unit);
    prim__ocl_options_int(options, "SIZES_BY_VALUE", prim__ocl_device(pd->engine)->keeps_structs);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "MMA_TYPE", (int)(src == PRIM_U8 ? PRIM_S8 : src));
    prim__ocl_options_int(options, "SRC_IS_U8", src == PRIM_U8);
    prim__ocl_options_int(options, "WEI_IS_U8", wei == PRIM_U8);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", 128);
    prim__ocl_options_int(options, "MAX_TAPS", max_taps);
    prim__ocl_options_int(options, "IS_EXACT", prim__ocl_conv_is_exact(pd));
    prim__ocl_conv_options(options, pd);
    prim__ocl_post_ops_options(options, pd, true);
}

prim_status_t prim__ocl_conv_window_add_data(ocl_primitive_t *p, ocl_conv_window_sizes_t sizes)
{
    const ocl_conv_quant_t quant = prim__ocl_conv_quant(p->base.pd);
    TRY(prim__ocl_primitive_add_data(p, &quant, sizeof quant));
    if (!sizes.by_value) TRY(prim__ocl_primitive_add_data(p, sizes.window, sizes.bytes));
    return prim__ocl_primitive_add_post_ops(p);
}

void prim__ocl_conv_window_args(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *p,
        ocl_conv_window_sizes_t sizes)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    prim__ocl_args_init(args);
    if (sizes.by_value)
        prim__ocl_args_struct(args, sizes.window, sizes.bytes);
    else
        prim__ocl_args_buffer(args, p->data[SIZES]);
    for (int i = 0; i < 3; ++i) {
        prim__ocl_args_tensor(args, ctx, tensors[i]);
        if (sizes.by_value) sizes.window->starts[i] = prim__ocl_args_take_i64(args);
    }
    prim__ocl_conv_wgmma_args_epilogue(args, ctx, p, p->data[QUANT]);
}
