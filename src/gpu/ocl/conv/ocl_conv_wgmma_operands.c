// SPDX-License-Identifier: Apache-2.0
// Operands of convolutions by WGMMA: packed weights, gathered rows, boxes of tensor maps (TMA).
#include "ocl_conv_wgmma.h"

enum { CHUNK = OCL_CONV_WGMMA_CHUNK, ELEM_BYTES = OCL_CONV_WGMMA_BYTES };
enum { MAX_ELEMENT_STEP = 8 }; ///< of tensor maps

typedef ocl_conv_boxes_t boxes_t;

/// Whether chunks start at multiples of 16 bytes from the first element on.
static bool are_chunks(const prim_dim_t *strides, int n)
{
    for (int i = 0; i < n; ++i) {
        if (strides[i] % CHUNK != 0) return false;
    }
    return true;
}

/// Whether the elements of a filter are contiguous, channels innermost.
static bool are_filters_dense(const conv_shape_t *s, const prim_dim_t strides[6])
{
    prim_dim_t next = s->ic;
    bool is_dense = strides[2] == 1 || s->ic == 1;
    for (int d = CONV_W; d >= CONV_D; --d) {
        is_dense = is_dense && (strides[3 + d] == next || s->kernel[d] == 1);
        next *= s->kernel[d];
    }
    return is_dense;
}

bool prim__ocl_conv_wgmma_takes_src(const ocl_conv_wgmma_pd_t *pd)
{
    prim_dim_t src[5];
    prim__conv_data_strides(src, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    return pd->shape.ic % CHUNK == 0 && src[1] == 1 && are_chunks(src, 1) && are_chunks(src + 2, 3);
}

static void weights_strides(prim_dim_t strides[6], const ocl_conv_wgmma_pd_t *pd)
{
    prim__conv_weights_strides(
            strides, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), pd->shape.has_groups);
}

ocl_conv_pack_t prim__ocl_conv_wgmma_packing(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    const prim_dim_t sizes[] = {
            s->g, s->oc, s->kernel[CONV_D], s->kernel[CONV_H], s->kernel[CONV_W]};
    const prim_dim_t strides[] = {wei[0], wei[1], wei[3], wei[4], wei[5]};
    ocl_conv_pack_t pack = {.from_c = wei[2], .nchunks = (int32_t)(s->ic / CHUNK)};
    pack.nitems = pack.nchunks;
    for (int d = 0; d < 5; ++d) {
        pack.size[d] = (int32_t)sizes[d];
        pack.from_s[d] = strides[d];
        pack.nitems *= pack.size[d];
    }
    return pack;
}

void prim__ocl_conv_wgmma_merge_boxes(boxes_t *b)
{
    for (int d = 1; d < 3; ++d) {
        if (b->src_s[d] != b->src_s[d - 1] * b->src_size[d - 1]) return;
        if (b->dst_s[d] != b->dst_s[d - 1] * b->dst_size[d - 1]) return;
    }
    b->src_size[0] *= b->src_size[1] * b->src_size[2];
    b->src_size[1] = b->src_size[2] = 1;
    for (int d = 0; d < 3; ++d) b->dst_size[d] = b->src_size[d];
}

void prim__ocl_conv_wgmma_simplify(boxes_t *b, const conv_shape_t *s)
{
    bool is_plain = prim__conv_taps(s) == 1;
    for (int d = 0; d < 2; ++d)
        is_plain = is_plain && b->pad[d] == 0 && (b->dst_size[d] - 1) * b->step[d] < b->src_size[d];
    if (!is_plain) return;
    for (int d = 0; d < 2; ++d) {
        b->src_s[d] *= b->step[d];
        b->src_size[d] = b->dst_size[d];
        b->step[d] = b->element_step[d] = 1;
    }
    prim__ocl_conv_wgmma_merge_boxes(b);
}

ocl_conv_boxes_t prim__ocl_conv_wgmma_boxes(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5], dst[5];
    prim__conv_data_strides(src, prim__conv_md(pd, PRIM_ARG_SRC));
    prim__conv_data_strides(dst, prim__conv_md(pd, PRIM_ARG_DST));
    boxes_t b = {.src_s = {src[2 + CONV_W], src[2 + CONV_H], src[0]},
            .dst_s = {dst[2 + CONV_W], dst[2 + CONV_H], dst[0]},
            .src_size = {(int32_t)s->in[CONV_W], (int32_t)s->in[CONV_H], (int32_t)s->mb},
            .dst_size = {(int32_t)s->out[CONV_W], (int32_t)s->out[CONV_H], (int32_t)s->mb},
            .taps_x = (int32_t)s->kernel[CONV_W],
            .ntaps = (int32_t)prim__conv_taps(s),
            .channels = (int32_t)(s->g * s->ic),
            .filter_channels = (int32_t)s->ic};
    for (int d = 0; d < 2; ++d) {
        const int spatial = CONV_W - d;
        b.step[d] = b.element_step[d] = (int32_t)s->stride[spatial];
        b.pad[d] = (int32_t)s->pad[spatial];
        b.tap_step[d] = (int32_t)s->dilation[spatial];
    }
    // Dimensions of one element have any stride: one that tensor maps can hold.
    for (int d = 0; d < 3; ++d) {
        if (b.src_size[d] != 1) continue;
        b.src_s[d] = d == 0 ? b.channels : b.src_s[d - 1] * b.src_size[d - 1];
    }
    for (int d = 0; d < 3; ++d) b.src_s[d] *= ELEM_BYTES;
    return b;
}

/// Whether tensor maps can hold src and weights.
static bool may_box(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    const boxes_t *b = &pd->boxes;
    const prim_dim_t max_stride = (prim_dim_t)1 << 40;
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    bool fits = s->nspatial <= 2 && b->element_step[0] <= MAX_ELEMENT_STEP &&
                b->element_step[1] <= MAX_ELEMENT_STEP;
    fits = fits && (s->g == 1 || s->ic % OCL_CONV_WGMMA_DEPTH == 0);
    fits = fits && (s->g == 1 || pd->is_packed || wei[0] == s->oc * wei[1]);
    fits = fits && (s->oc == 1 || pd->is_packed || wei[1] > 0);
    for (int d = 0; d < 3; ++d) fits = fits && b->src_s[d] > 0 && b->src_s[d] < max_stride;
    return fits;
}

void prim__ocl_conv_wgmma_set_operands(ocl_conv_wgmma_pd_t *pd)
{
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    pd->is_packed = !are_chunks(wei, 2) || !are_filters_dense(&pd->shape, wei);
    pd->boxes = prim__ocl_conv_wgmma_boxes(&pd->base, &pd->shape);
    prim__ocl_conv_wgmma_simplify(&pd->boxes, &pd->shape);
}

ocl_conv_wgmma_product_t prim__ocl_conv_wgmma_product(const ocl_conv_wgmma_pd_t *pd, bool is_short)
{
    const conv_shape_t *s = &pd->shape;
    const prim_data_type_t dst = prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type;
    ocl_conv_wgmma_product_t product = {.g = s->g,
            .pixels = s->mb * prim__conv_out_elems(s),
            .outputs = s->oc,
            .ntaps = pd->boxes.ntaps,
            .channels = pd->boxes.filter_channels,
            .may_box = may_box(pd),
            .may_gather = true,
            .dst_bytes = (int)prim_data_type_size(dst),
            .is_short = is_short};
    for (int d = 0; d < 3; ++d) product.size[d] = pd->boxes.dst_size[d];
    for (int d = 0; d < 2; ++d) product.element_step[d] = pd->boxes.element_step[d];
    return product;
}

/// Strides of operands as the kernel reads them.
static void set_strides(ocl_conv_wgmma_data_t *data, const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    const int64_t filter = s->ic * prim__conv_taps(s);
    data->src_g = s->ic;
    data->wei_o = pd->is_packed || s->oc == 1 ? filter : wei[1];
    data->wei_g = pd->is_packed ? filter * s->oc : wei[0];
    data->dst_g = s->oc;
}

/// What the plan says.
static void set_plan(ocl_conv_wgmma_data_t *data, const ocl_conv_wgmma_plan_t *plan)
{
    data->ntiles = plan->ntiles;
    data->ntiles_n = plan->ntiles_n;
    data->nslices = plan->nslices;
    data->split_slices = plan->split_slices;
    data->nsplits = plan->nsplits;
    for (int d = 0; d < 3; ++d) {
        data->boxes.box[d] = plan->box[d];
        data->boxes.ntiles[d] = plan->box_tiles[d];
    }
    data->boxes.slices_c = plan->slices_c;
}

ocl_conv_wgmma_data_t prim__ocl_conv_wgmma_data(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    ocl_conv_wgmma_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .npixels = (int32_t)(s->mb * prim__conv_out_elems(s)),
            .ngroups = (int32_t)s->g,
            .slice_taps = (int32_t)(OCL_CONV_WGMMA_DEPTH / s->ic),
            .slice_rest = (int32_t)(OCL_CONV_WGMMA_DEPTH % s->ic),
            .ndepth = (int32_t)(s->ic * prim__conv_taps(s)),
            .boxes = pd->boxes};
    data.geo.ic = (int32_t)s->ic;
    set_strides(&data, pd);
    set_plan(&data, &pd->plan);
    return data;
}
