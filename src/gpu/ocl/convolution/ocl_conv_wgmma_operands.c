// SPDX-License-Identifier: Apache-2.0
// Operands of convolutions on matrix units: which are packed, as rows that are gathered, as boxes.
#include "ocl_conv_wgmma.h"

enum { SRC = OCL_CONV_WGMMA_SRC, WEI = OCL_CONV_WGMMA_WEI };
enum { CHUNK = OCL_CONV_WGMMA_CHUNK, ELEM_BYTES = OCL_CONV_WGMMA_BYTES };
enum { MAX_ELEMENT_STEP = 8 }; ///< of maps

typedef ocl_conv_boxes_t boxes_t;

/// Whether chunks start at multiples of 16 bytes from the first element on.
static bool are_chunks(const prim_dim_t *strides, int n)
{
    for (int i = 0; i < n; ++i) {
        if (strides[i] % CHUNK != 0) return false;
    }
    return true;
}

/// Whether the elements of a filter lie side by side, channels innermost.
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

/// Pixels of a window's row: such that it ends with a chunk.
static prim_dim_t window_width(const ocl_conv_wgmma_pd_t *pd)
{
    const prim_dim_t pixels = CHUNK / pd->channels;
    return (pd->shape.kernel[CONV_W] + pixels - 1) / pixels * pixels;
}

/// Height and width of packed src with windows.
static prim_dim_t packed_size(const ocl_conv_wgmma_pd_t *pd, int dim)
{
    const conv_shape_t *s = &pd->shape;
    const prim_dim_t window = dim == CONV_W ? window_width(pd) : s->kernel[dim];
    const prim_dim_t size = (s->out[dim] - 1) * s->stride[dim] + window;
    return dim == CONV_W ? (size + 1) / 2 * 2 : size;
}

/// Few channels would leave a slice of one tap empty: where src is copied anyway, a row of a filter
/// is taken for channels of a window. Windows overlap in memory, so src gets its padding with the
/// copy.
static bool wants_windows(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    const prim_dim_t max_elems = 1 << 30;
    return pd->channels == CHUNK && pd->is_packed[SRC] && s->nspatial == 2 && s->g == 1 &&
           s->kernel[CONV_W] > 1 && s->dilation[CONV_W] == 1 && s->dilation[CONV_H] == 1 &&
           packed_size(pd, CONV_H) < max_elems / CHUNK / s->mb / packed_size(pd, CONV_W);
}

static void choose_packing(ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t src[5], wei[6];
    prim__conv_data_strides(src, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    pd->channels = (s->ic + CHUNK - 1) / CHUNK * CHUNK;
    const bool is_padded = pd->channels != s->ic;
    pd->is_packed[SRC] = is_padded || src[1] != 1 || !are_chunks(src, 1) || !are_chunks(src + 2, 3);
    pd->is_packed[WEI] = is_padded || !are_chunks(wei, 2) || !are_filters_dense(s, wei);
    pd->has_windows = wants_windows(pd);
    // Rows of dst are multiples of 16 bytes apart then.
    if (pd->has_windows && s->ic <= CHUNK / 2 && s->stride[CONV_W] % 2 == 0)
        pd->channels = CHUNK / 2;
}

/// The shape of src as it is packed.
static void pack_src(ocl_conv_pack_t *pack, const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t src[5];
    prim__conv_data_strides(src, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    const prim_dim_t sizes[] = {s->mb, s->in[CONV_D], s->in[CONV_H], s->in[CONV_W], s->g};
    const prim_dim_t strides[] = {src[0], src[2], src[3], src[4], s->ic * src[1]};
    const prim_dim_t windows[] = {
            s->mb, 1, 1, packed_size(pd, CONV_H), packed_size(pd, CONV_W) / pack->pixels};
    const prim_dim_t window_strides[] = {src[0], 0, 0, src[3], src[4]};
    pack->from_c = src[1];
    for (int d = 0; d < 5; ++d) {
        pack->size[d] = (int32_t)(pd->has_windows ? windows[d] : sizes[d]);
        pack->from_s[d] = pd->has_windows ? window_strides[d] : strides[d];
    }
    for (int d = 0; d < 2; ++d) {
        pack->shift[d] = pd->has_windows ? (int32_t)s->pad[CONV_H + d] : 0;
        pack->limit[d] = pd->has_windows ? (int32_t)s->in[CONV_H + d] : pack->size[3 + d];
    }
}

static void pack_weights(ocl_conv_pack_t *pack, const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t wei[6];
    prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    const prim_dim_t width = pd->has_windows ? window_width(pd) : s->kernel[CONV_W];
    const prim_dim_t sizes[] = {
            s->g, s->oc, s->kernel[CONV_D], s->kernel[CONV_H], width / pack->pixels};
    const prim_dim_t strides[] = {wei[0], wei[1], wei[3], wei[4], wei[5]};
    pack->from_c = wei[2];
    for (int d = 0; d < 5; ++d) {
        pack->size[d] = (int32_t)sizes[d];
        pack->from_s[d] = strides[d];
    }
    for (int d = 0; d < 2; ++d) pack->limit[d] = (int32_t)s->kernel[CONV_H + d];
}

ocl_conv_pack_t prim__ocl_conv_wgmma_packing(const ocl_conv_wgmma_pd_t *pd, int operand)
{
    ocl_conv_pack_t pack = {.nchannels = (int32_t)pd->shape.ic,
            .nchunks = (int32_t)((pd->channels + CHUNK - 1) / CHUNK),
            .pixels = pd->channels < CHUNK ? (int32_t)(CHUNK / pd->channels) : 1};
    if (!pd->is_packed[operand]) return pack;
    if (operand == SRC)
        pack_src(&pack, pd);
    else
        pack_weights(&pack, pd);
    pack.nitems = pack.nchunks;
    for (int d = 0; d < 5; ++d) pack.nitems *= pack.size[d];
    return pack;
}

/// Strides of src as the kernel reads it: images, then depth, height, width.
static void src_strides(prim_dim_t strides[1 + CONV_NSPATIAL], const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t src[5];
    prim__conv_data_strides(src, prim__pd_md(&pd->base, PRIM_ARG_SRC));
    strides[0] = src[0];
    for (int d = 0; d < CONV_NSPATIAL; ++d) strides[1 + d] = src[2 + d];
    if (!pd->is_packed[SRC]) return;
    prim_dim_t next = pd->channels * s->g;
    for (int d = CONV_W; d >= CONV_D; --d) {
        strides[1 + d] = next;
        next *= pd->has_windows && d != CONV_D ? packed_size(pd, d) : s->in[d];
    }
    strides[0] = next;
}

/// A window of one tap without padding: strides of src take the steps, and where these are 1 and
/// pixels lie evenly, all of them are one row.
static void simplify_boxes(boxes_t *b, const conv_shape_t *s)
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
    for (int d = 1; d < 3; ++d) {
        if (b->src_s[d] != b->src_s[d - 1] * b->src_size[d - 1]) return;
        if (b->dst_s[d] != b->dst_s[d - 1] * b->dst_size[d - 1]) return;
    }
    b->src_size[0] *= b->src_size[1] * b->src_size[2];
    b->src_size[1] = b->src_size[2] = 1;
    for (int d = 0; d < 3; ++d) b->dst_size[d] = b->src_size[d];
}

/// A row of a filter as channels, a window of src as a pixel.
static void take_windows(boxes_t *b, const ocl_conv_wgmma_pd_t *pd)
{
    const prim_dim_t window = pd->shape.kernel[CONV_W] * pd->channels;
    b->window_s = b->src_s[1];
    for (int d = 0; d < 2; ++d) {
        b->src_s[d] *= b->step[d];
        b->src_size[d] = b->dst_size[d];
        b->step[d] = b->element_step[d] = 1;
        b->pad[d] = b->tap_step[d] = 0;
    }
    b->taps_x = 1;
    b->ntaps = (int32_t)pd->shape.kernel[CONV_H];
    b->channels = (int32_t)window;
    b->filter_channels = (int32_t)(window_width(pd) * pd->channels);
}

static boxes_t boxes_of(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    prim_dim_t src[1 + CONV_NSPATIAL], dst[5];
    src_strides(src, pd);
    prim__conv_data_strides(dst, prim__pd_md(&pd->base, PRIM_ARG_DST));
    boxes_t b = {.src_s = {src[1 + CONV_W], src[1 + CONV_H], src[0]},
            .dst_s = {dst[2 + CONV_W], dst[2 + CONV_H], dst[0]},
            .src_size = {(int32_t)s->in[CONV_W], (int32_t)s->in[CONV_H], (int32_t)s->mb},
            .dst_size = {(int32_t)s->out[CONV_W], (int32_t)s->out[CONV_H], (int32_t)s->mb},
            .taps_x = (int32_t)s->kernel[CONV_W],
            .ntaps = (int32_t)prim__conv_taps(s),
            .channels = (int32_t)(s->g * pd->channels),
            .filter_channels = (int32_t)pd->channels};
    for (int d = 0; d < 2; ++d) {
        const int spatial = CONV_W - d;
        b.step[d] = b.element_step[d] = (int32_t)s->stride[spatial];
        b.pad[d] = (int32_t)s->pad[spatial];
        b.tap_step[d] = (int32_t)s->dilation[spatial];
    }
    // Dimensions of one element have any stride: one that maps can hold.
    for (int d = 0; d < 3 && !pd->has_windows; ++d) {
        if (b.src_size[d] != 1) continue;
        b.src_s[d] = d == 0 ? b.channels : b.src_s[d - 1] * b.src_size[d - 1];
    }
    if (pd->has_windows)
        take_windows(&b, pd);
    else
        simplify_boxes(&b, s);
    for (int d = 0; d < 3; ++d) b.src_s[d] *= ELEM_BYTES;
    b.window_s *= ELEM_BYTES;
    return b;
}

/// Whether maps can hold src and weights.
static bool may_box(const ocl_conv_wgmma_pd_t *pd)
{
    const conv_shape_t *s = &pd->shape;
    const boxes_t *b = &pd->boxes;
    const prim_dim_t max_stride = (prim_dim_t)1 << 40;
    prim_dim_t wei[6];
    prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    bool fits = s->nspatial <= 2 && b->element_step[0] <= MAX_ELEMENT_STEP &&
                b->element_step[1] <= MAX_ELEMENT_STEP;
    fits = fits && (s->g == 1 || pd->channels % OCL_CONV_WGMMA_DEPTH == 0);
    fits = fits && (s->g == 1 || pd->is_packed[WEI] || wei[0] == s->oc * wei[1]);
    fits = fits && (s->oc == 1 || pd->is_packed[WEI] || wei[1] > 0);
    for (int d = 0; d < 3; ++d) fits = fits && b->src_s[d] > 0 && b->src_s[d] < max_stride;
    return fits;
}

void prim__ocl_conv_wgmma_set_operands(ocl_conv_wgmma_pd_t *pd)
{
    choose_packing(pd);
    pd->boxes = boxes_of(pd);
    if (!pd->has_windows || may_box(pd)) return;
    pd->has_windows = false;
    pd->channels = CHUNK;
    pd->boxes = boxes_of(pd);
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
            .may_gather = !pd->has_windows,
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
    prim_dim_t src[1 + CONV_NSPATIAL], wei[6];
    src_strides(src, pd);
    data->geo.src_n = src[0];
    for (int d = 0; d < CONV_NSPATIAL; ++d) data->geo.src_s[d] = src[1 + d];
    data->src_g = pd->channels;
    prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    const int64_t filter = pd->has_windows ? (int64_t)pd->boxes.filter_channels * pd->boxes.ntaps
                                           : pd->channels * prim__conv_taps(s);
    data->wei_o = pd->is_packed[WEI] || s->oc == 1 ? filter : wei[1];
    data->wei_g = pd->is_packed[WEI] ? filter * s->oc : wei[0];
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
            .slice_taps = (int32_t)(OCL_CONV_WGMMA_DEPTH / pd->channels),
            .slice_rest = (int32_t)(OCL_CONV_WGMMA_DEPTH % pd->channels),
            .ndepth = (int32_t)(pd->channels * prim__conv_taps(s)),
            .boxes = pd->boxes};
    data.geo.ic = (int32_t)pd->channels;
    set_strides(&data, pd);
    set_plan(&data, &pd->plan);
    return data;
}
