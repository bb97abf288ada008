// SPDX-License-Identifier: Apache-2.0
// Operands of convolutions by WGMMA: packed weights, gathered rows, boxes of tensor maps (TMA).
#include "ocl_conv_wgmma_operands.h"
#include "ocl_conv_wgmma_common.h"

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

/// Whether pixels of src are multiples of chunks long and apart, as far as the descriptor tells.
static bool reads_src(const ocl_conv_wgmma_pd_t *pd)
{
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_dim_t *const src = pd->src_strides;
    return pd->shape.ic % CHUNK == 0 && src[1] == 1 && are_chunks(src, 1) &&
           are_chunks(src + 2, 3) && md->offset0 % CHUNK == 0;
}

static void weights_strides(prim_dim_t strides[6], const ocl_conv_wgmma_pd_t *pd)
{
    prim__conv_weights_strides(
            strides, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), pd->shape.has_groups);
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

/// `src`: strides of src or of its copy.
static void set_src_strides(boxes_t *b, const prim_dim_t src[5])
{
    const prim_dim_t strides[] = {src[2 + CONV_W], src[2 + CONV_H], src[0]};
    for (int d = 0; d < 3; ++d) {
        // Dimensions of one element have any stride: one that tensor maps can hold.
        const prim_dim_t dense =
                d == 0 ? b->channels * ELEM_BYTES : b->src_s[d - 1] * b->src_size[d - 1];
        b->src_s[d] = b->src_size[d] == 1 ? dense : strides[d] * ELEM_BYTES;
    }
}

ocl_conv_boxes_t prim__ocl_conv_wgmma_boxes(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5], dst[5];
    prim__conv_data_strides(src, prim__conv_md(pd, PRIM_ARG_SRC));
    prim__conv_data_strides(dst, prim__conv_md(pd, PRIM_ARG_DST));
    boxes_t b = {.dst_s = {dst[2 + CONV_W], dst[2 + CONV_H], dst[0]},
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
    set_src_strides(&b, src);
    return b;
}

/// From one filter to the next, of the weights or their copy.
static prim_dim_t filter_stride(const ocl_conv_wgmma_pd_t *pd, const prim_dim_t wei[6])
{
    const conv_shape_t *const s = &pd->shape;
    return pd->packs.wei.nitems > 0 || s->oc == 1 ? s->ic * prim__conv_taps(s) : wei[1];
}

/// Whether tensor maps, whose strides are positive, can hold src and weights.
static bool may_box(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const boxes_t *const b = &pd->boxes;
    const prim_dim_t max_stride = (prim_dim_t)1 << 40;
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    bool fits = s->nspatial <= 2 && b->element_step[0] <= MAX_ELEMENT_STEP &&
                b->element_step[1] <= MAX_ELEMENT_STEP;
    fits = fits && (s->g == 1 || s->ic % OCL_CONV_WGMMA_DEPTH == 0);
    const bool is_packed = pd->packs.wei.nitems > 0;
    const prim_dim_t filter = filter_stride(pd, wei);
    fits = fits && (s->g == 1 || is_packed || wei[0] == s->oc * filter) && filter > 0;
    for (int d = 0; d < 3; ++d) fits = fits && b->src_s[d] > 0 && b->src_s[d] < max_stride;
    return fits;
}

/// Rows of a box that fill whole lines of the cache, or at least sectors, come faster: padded so
/// where the copy grows by no more than 3/5.
static prim_dim_t box_channels(prim_dim_t channels)
{
    static const prim_dim_t steps[] = {64, 32, 16};
    const prim_dim_t least = (channels + CHUNK - 1) / CHUNK * CHUNK;
    for (int i = 0; i < 3; ++i) {
        const prim_dim_t padded = (channels + steps[i] - 1) / steps[i] * steps[i];
        if (5 * padded <= 8 * least) return padded;
    }
    return least;
}

void prim__ocl_conv_wgmma_set_operands(ocl_conv_wgmma_pd_t *pd, bool has_boxes)
{
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, &pd->base);
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    prim__conv_data_strides(pd->src_strides, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    const bool is_src_packed = !reads_src(pd);
    const bool is_wei_packed =
            s->ic % CHUNK != 0 || !are_chunks(wei, 2) || !are_filters_dense(s, wei);
    const prim_dim_t channels = s->ic;
    s->ic = has_boxes && is_src_packed ? box_channels(s->ic) : (s->ic + CHUNK - 1) / CHUNK * CHUNK;
    if (is_src_packed) {
        prim__ocl_conv_pack_skip(s);
        prim__ocl_conv_pack_src(&pd->packs.src, &pd->base, s);
        prim__ocl_conv_packed_strides(pd->src_strides, s);
    }
    if (is_wei_packed || s->ic != channels)
        prim__ocl_conv_pack_weights_chunks(&pd->packs.wei, &pd->base, s);
    pd->boxes = prim__ocl_conv_wgmma_boxes(&pd->base, s);
    set_src_strides(&pd->boxes, pd->src_strides);
    prim__ocl_conv_wgmma_simplify(&pd->boxes, s);
}

double prim__ocl_conv_wgmma_copied_bytes(const ocl_conv_wgmma_pd_t *pd)
{
    return 2. * ((double)pd->packs.src.nitems + pd->packs.wei.nitems) * CHUNK * ELEM_BYTES;
}

ocl_conv_wgmma_product_t prim__ocl_conv_wgmma_product(const ocl_conv_wgmma_pd_t *pd, bool is_short)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_data_type_t dst = prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type;
    ocl_conv_wgmma_product_t product = {.g = s->g,
            .pixels = s->mb * prim__conv_out_elems(s),
            .outputs = s->oc,
            .ntaps = pd->boxes.ntaps,
            .channels = pd->boxes.filter_channels,
            .may_box = may_box(pd),
            .may_gather = true,
            .dst_bytes = (int)prim_data_type_size(dst),
            .beside_bytes = prim__ocl_conv_wgmma_reads_beside(&pd->base)
                                    ? (int)prim_data_type_size(dst)
                                    : 0,
            .is_short = is_short,
            .has_words = dst != PRIM_F32 && !prim__ocl_conv_wgmma_has_dst_chunks(&pd->base)};
    for (int d = 0; d < 3; ++d) product.size[d] = pd->boxes.dst_size[d];
    for (int d = 0; d < 2; ++d) product.element_step[d] = pd->boxes.element_step[d];
    return product;
}

/// Strides of operands as the kernel reads them.
static void set_strides(ocl_conv_wgmma_data_t *data, const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    prim_dim_t wei[6];
    weights_strides(wei, pd);
    data->src_g = s->ic;
    data->wei_o = filter_stride(pd, wei);
    data->wei_g = pd->packs.wei.nitems > 0 ? data->wei_o * s->oc : wei[0];
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
    const conv_shape_t *const s = &pd->shape;
    ocl_conv_wgmma_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .npixels = (int32_t)(s->mb * prim__conv_out_elems(s)),
            .ngroups = (int32_t)s->g,
            .slice_taps = (int32_t)(OCL_CONV_WGMMA_DEPTH / s->ic),
            .slice_rest = (int32_t)(OCL_CONV_WGMMA_DEPTH % s->ic),
            .ndepth = (int32_t)(s->ic * prim__conv_taps(s)),
            .boxes = pd->boxes};
    data.geo.ic = (int32_t)s->ic;
    data.geo.src_n = pd->src_strides[0];
    data.geo.src_c = pd->src_strides[1];
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        data.geo.src_s[d] = pd->src_strides[2 + d];
        data.geo.in[d] = (int32_t)s->in[d];
        data.geo.stride[d] = (int32_t)s->stride[d];
    }
    set_strides(&data, pd);
    set_plan(&data, &pd->plan);
    return data;
}
