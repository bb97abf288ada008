// SPDX-License-Identifier: Apache-2.0
// Host side of ocl_conv_pack_chunks.cl.
#include "ocl_conv_pack_chunks.h"

#include "gpu/ocl/kit/ocl_channels.h"

extern const ocl_source_t prim__ocl_conv_pack_chunks_cl;

enum { ELEM_BYTES = 2, ALIGNMENT = 128 };

static void set_sizes(ocl_conv_pack_t *pack, const prim_dim_t sizes[PACK_DIMS],
        const prim_dim_t strides[PACK_DIMS], prim_dim_t padded)
{
    const int32_t nchunks = (int32_t)(padded / PACK_CHUNK);
    pack->chunks = prim__ocl_divisor(nchunks);
    pack->nitems = nchunks;
    for (int d = 0; d < PACK_DIMS; ++d) {
        pack->size[d] = prim__ocl_divisor((int32_t)sizes[d]);
        pack->from_s[d] = strides[d];
        pack->nitems *= (int32_t)sizes[d];
    }
}

void prim__ocl_conv_pack_src(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed)
{
    conv_shape_t s;
    prim_dim_t src[5];
    prim__conv_shape(&s, pd);
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    for (int d = 0; d < CONV_NSPATIAL; ++d) src[2 + d] *= s.stride[d] / packed->stride[d];
    const prim_dim_t *const in = packed->in;
    const prim_dim_t sizes[] = {s.mb, in[CONV_D], in[CONV_H], in[CONV_W], s.g};
    const prim_dim_t strides[] = {src[0], src[2], src[3], src[4], s.ic * src[1]};
    *pack = (ocl_conv_pack_t){.from_c = src[1], .channels = (int32_t)s.ic};
    set_sizes(pack, sizes, strides, packed->ic);
}

void prim__ocl_conv_pack_weights_chunks(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed)
{
    conv_shape_t s;
    prim_dim_t wei[6];
    prim__conv_shape(&s, pd);
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_WEIGHTS), s.has_groups);
    const prim_dim_t sizes[] = {s.g, s.oc, s.kernel[CONV_D], s.kernel[CONV_H], s.kernel[CONV_W]};
    const prim_dim_t strides[] = {wei[0], wei[1], wei[3], wei[4], wei[5]};
    *pack = (ocl_conv_pack_t){.from_c = wei[2], .channels = (int32_t)s.ic};
    set_sizes(pack, sizes, strides, packed->ic);
}

void prim__ocl_conv_pack_diff_dst(ocl_conv_pack_t *pack, const prim_desc_t *pd, prim_dim_t channels)
{
    conv_shape_t s;
    prim_dim_t dst[5];
    prim__conv_shape(&s, pd);
    prim__conv_data_strides(dst, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    const prim_dim_t sizes[] = {s.mb, s.out[CONV_D], s.out[CONV_H], s.out[CONV_W], s.g};
    const prim_dim_t strides[] = {dst[0], dst[2], dst[3], dst[4], s.oc * dst[1]};
    *pack = (ocl_conv_pack_t){.from_c = dst[1], .channels = (int32_t)s.oc};
    set_sizes(pack, sizes, strides, channels);
}

void prim__ocl_conv_pack_rows(
        ocl_conv_pack_t *pack, const prim_desc_t *pd, const conv_shape_t *packed)
{
    conv_shape_t s;
    prim_dim_t src[5];
    prim__conv_shape(&s, pd);
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    const prim_dim_t *const in = packed->in;
    const prim_dim_t sizes[] = {s.mb, in[CONV_D], in[CONV_H], in[CONV_W], 1};
    const prim_dim_t strides[] = {src[0], src[2], src[3], s.stride[CONV_W] * s.ic, 0};
    *pack = (ocl_conv_pack_t){.from_c = 1,
            .channels = (int32_t)(s.kernel[CONV_W] * s.ic),
            .row_first = (int32_t)(-s.pad[CONV_W] * s.ic),
            .row_elems = (int32_t)(s.in[CONV_W] * s.ic)};
    set_sizes(pack, sizes, strides, packed->ic);
}

void prim__ocl_conv_pack_skip(conv_shape_t *packed)
{
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const bool is_inside = (packed->out[d] - 1) * packed->stride[d] < packed->in[d];
        if (packed->kernel[d] != 1 || packed->pad[d] != 0 || !is_inside) continue;
        packed->in[d] = packed->out[d];
        packed->stride[d] = 1;
    }
}

void prim__ocl_conv_packed_strides(prim_dim_t strides[5], const conv_shape_t *packed)
{
    strides[1] = 1;
    strides[2 + CONV_W] = packed->g * packed->ic;
    strides[2 + CONV_H] = strides[2 + CONV_W] * packed->in[CONV_W];
    strides[2 + CONV_D] = strides[2 + CONV_H] * packed->in[CONV_H];
    strides[0] = strides[2 + CONV_D] * packed->in[CONV_D];
}

size_t prim__ocl_conv_pack_book(prim_desc_t *pd, const ocl_conv_pack_t *pack)
{
    if (pack->nitems == 0) return 0;
    return prim__pd_book_scratchpad(
            pd, (size_t)pack->nitems * PACK_CHUNK * ELEM_BYTES + ALIGNMENT - 1);
}

prim_status_t prim__ocl_conv_pack_init(ocl_primitive_t *p, const ocl_conv_packs_t *sizes)
{
    if (sizes->src.nitems > 0 || sizes->wei.nitems > 0) {
        ocl_options_t options;
        prim__ocl_options_init(&options);
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_conv_pack_chunks_cl, &options, "conv_pack_chunks"));
    }
    return prim__ocl_primitive_add_data(p, sizes, sizeof *sizes);
}

static void args_copy(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_pack_t *pack,
        int tensor, size_t offset)
{
    if (pack->nitems == 0) {
        prim__ocl_args_nothing(args);
        prim__ocl_args_nothing(args);
        return;
    }
    prim__ocl_args_tensor(args, ctx, tensor);
    prim__ocl_args_scratchpad(args, ctx, offset, ELEM_BYTES);
}

prim_status_t prim__ocl_conv_pack_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_packs_run_t *run)
{
    const ocl_conv_packs_t *const sizes = run->sizes;
    const int64_t nitems = (int64_t)sizes->src.nitems + sizes->wei.nitems;
    if (nitems == 0) return PRIM_SUCCESS;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[run->data]);
    args_copy(&args, ctx, &sizes->src, run->src, run->src_offset);
    args_copy(&args, ctx, &sizes->wei, run->wei, run->wei_offset);
    const ocl_kernel_t *const kernel = p->kernels[run->kernel];
    const ocl_range_t range = prim__ocl_range_1d(kernel, nitems);
    return prim__ocl_launch(ctx, p->kernels[run->kernel], &range, &args);
}
