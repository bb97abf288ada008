// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src, f16 and bf16, NHWC, by WGMMA: ocl_conv_wgmma.cl with PHASES.
// The weights are read as the forward pass has them, and all phases of the strides are one launch.
// diff_dst and weights whose rows are no multiples of 16 bytes are copied first, together, once for
// all phases.
#include <math.h>

#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_wgmma_operands.h"

extern const impl_t prim__ocl_conv_backward_data_wgmma;

/// In the order that init() adds them.
enum { SIZES, PACKS }; ///< data
enum { CHUNK = OCL_CONV_WGMMA_CHUNK, ELEM_BYTES = OCL_CONV_WGMMA_BYTES };

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    ocl_conv_wgmma_plan_t plan;
    bool has_unit; ///< else plain C: RETARGET=0
    ocl_conv_phases_data_t data;
    int64_t ntaps;          ///< of all phases
    ocl_conv_packs_t packs; ///< copies of diff_dst, in the place of src, and of the weights
    size_t dst_offset, wei_offset, partial_offset, maps_offset; ///< of the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

// ---- What it takes -----------------------------------------------------------------------------

static prim_status_t require_types(prim_desc_t *pd)
{
    const prim_data_type_t diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    const prim_data_type_t diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC)->data_type;
    REQUIRE(pd, diff_dst == wei && (wei == PRIM_F16 || wei == PRIM_BF16),
            "diff_dst is %s and weights are %s; this variant takes f16 or bf16 for both",
            prim_data_type_name(diff_dst), prim_data_type_name(wei));
    REQUIRE(pd, diff_src == PRIM_F32 || diff_src == PRIM_F16 || diff_src == PRIM_BF16,
            "diff_src is %s; this variant stores f32, f16 or bf16", prim_data_type_name(diff_src));
    return PRIM_SUCCESS;
}

static prim_status_t require_shape(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->nspatial <= 2, "three spatial dimensions; this variant takes one or two");
    REQUIRE(pd, s->stride[CONV_H] * s->stride[CONV_W] <= CONV_MAX_PHASES,
            "strides %lld×%lld have more than 16 phases", (long long)s->stride[CONV_H],
            (long long)s->stride[CONV_W]);
    const prim_dim_t limit = INT32_MAX / 2, ic = s->g * (s->ic + CHUNK),
                     oc = s->g * (s->oc + CHUNK);
    REQUIRE(pd,
            s->mb * s->in[CONV_H] * s->in[CONV_W] < limit / ic &&
                    s->mb * prim__conv_out_elems(s) < limit / oc &&
                    s->oc * prim__conv_taps(s) < limit / ic,
            "a tensor spans 2^31 elements once channels are padded to tiles");
    return PRIM_SUCCESS;
}

static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const tags[2][2] = {{"acb", "acdb"}, {"abdc", "abdec"}};
    TRY(prim__md_set_tag_if_any(
            prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tags[s->has_groups][s->nspatial - 1]));
    TRY(prim__conv_set_channels_last(pd));
    return prim__conv_set_row_major(pd); // the bias
}

static prim_status_t require_plain(prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    REQUIRE(pd, prim__md_is_plain(md), "diff_dst, weights or diff_src have a blocked layout");
    TRY(prim__ocl_conv_require_origin(pd, md));
    REQUIRE(pd, !prim__md_is_empty(md), "a tensor is empty");
    return PRIM_SUCCESS;
}

static prim_status_t require_channels_last(prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    REQUIRE(pd, md->strides[1] == 1 || md->dims[1] == 1,
            "diff_dst or diff_src is not contiguous along channels (NHWC)");
    return PRIM_SUCCESS;
}

/// Whether channels are contiguous, and all else lies at multiples of 16 bytes.
static bool has_chunks(const prim_memory_desc_t *md, int channels)
{
    bool has = md->strides[channels] == 1;
    for (int d = 0; d < md->ndims; ++d)
        has = has && (d == channels || md->dims[d] == 1 ||
                             (md->strides[d] > 0 && md->strides[d] % CHUNK == 0));
    return has;
}

static prim_status_t require_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__ocl_conv_require_sizes(pd, s));
    TRY(set_layouts(pd, s));
    TRY(require_plain(pd, PRIM_ARG_DIFF_DST));
    TRY(require_plain(pd, PRIM_ARG_DIFF_SRC));
    TRY(require_plain(pd, PRIM_ARG_WEIGHTS));
    TRY(require_channels_last(pd, PRIM_ARG_DIFF_DST));
    TRY(require_channels_last(pd, PRIM_ARG_DIFF_SRC));
    REQUIRE(pd,
            !prim__pd_has(pd, PRIM_ARG_BIAS) || prim__md_is_dense(prim__pd_md(pd, PRIM_ARG_BIAS)),
            "bias is not contiguous");
    REQUIRE(pd, prim__ocl_fits_i32(pd),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    return PRIM_SUCCESS;
}

// ---- What the kernel is told -------------------------------------------------------------------

/// Which operands are copied, their channels padded to chunks.
static void choose_copies(conv_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    conv_shape_t packed = pd->shape;
    packed.ic = prim__round_up(packed.ic, CHUNK);
    const bool reads_wei = has_chunks(prim__pd_md(base, PRIM_ARG_WEIGHTS), packed.has_groups + 1) &&
                           packed.ic == pd->shape.ic;
    if (!reads_wei) prim__ocl_conv_pack_weights_chunks(&pd->packs.wei, base, &packed);
    const bool reads_dst =
            has_chunks(prim__pd_md(base, PRIM_ARG_DIFF_DST), 1) && pd->shape.oc % CHUNK == 0;
    if (!reads_dst)
        prim__ocl_conv_pack_diff_dst(&pd->packs.src, base, prim__round_up(pd->shape.oc, CHUNK));
}

/// Whether pixels of diff_src, and its groups of channels, are multiples of 16 bytes apart.
static bool stores_chunks(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    return s->ic % CHUNK == 0 && has_chunks(prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC), 1);
}

/// Strides of diff_dst or of its copy, and the channels of a group with what pads them.
static prim_dim_t operand_strides(prim_dim_t strides[5], const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t channels = prim__round_up(s->oc, CHUNK);
    prim__conv_data_strides(strides, prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST));
    if (pd->packs.src.nitems == 0) return s->oc;
    strides[2 + CONV_W] = s->g * channels;
    strides[2 + CONV_H] = strides[2 + CONV_W] * s->out[CONV_W];
    strides[0] = strides[2 + CONV_H] * s->out[CONV_H];
    return channels;
}

/// The phase that starts at pixel (h, w) of diff_src.
static void add_phase(conv_pd_t *pd, prim_dim_t h, prim_dim_t w)
{
    const conv_shape_t *const s = &pd->shape;
    ocl_conv_phase_t phase = {.taps_x = 1, .nslices = 1};
    const prim_dim_t starts[] = {w, h};
    for (int i = 0; i < 2; ++i) {
        conv_phase_dim_t dim;
        prim__conv_phase_dim(&dim, s, CONV_W - i, starts[i]);
        phase.dst_off += starts[i] * (pd->data.base.boxes.dst_s[i] / s->stride[CONV_W - i]);
        phase.dst_size[i] = (int32_t)dim.src_elems;
        // What dim calls padding is of taps in reverse order.
        phase.first[i] = (int32_t)((dim.ntaps - 1) * dim.dilation - dim.pad_l + dim.dst_start);
        phase.first_tap[i] = (int32_t)dim.first_tap;
        phase.nslices *= (int32_t)dim.ntaps;
        if (i == 0 && dim.ntaps > 0) phase.taps_x = (int32_t)dim.ntaps;
        pd->data.wei_step[i] = (int32_t)dim.tap_step;
        pd->data.base.boxes.tap_step[i] = (int32_t)dim.dilation;
    }
    pd->ntaps += phase.nslices;
    // Most taps first, so that work-groups end with the shortest tiles.
    int at = pd->data.nphases++;
    for (; at > 0 && pd->data.phases[at - 1].nslices < phase.nslices; --at)
        pd->data.phases[at] = pd->data.phases[at - 1];
    pd->data.phases[at] = phase;
}

static void list_phases(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    for (prim_dim_t h = 0; h < s->stride[CONV_H] && h < s->in[CONV_H]; ++h)
        for (prim_dim_t w = 0; w < s->stride[CONV_W] && w < s->in[CONV_W]; ++w) add_phase(pd, h, w);
}

/// Sizes and strides but for what the plan says. `nslices` of phases counts taps until then.
static void fill_boxes(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    ocl_conv_boxes_t *const b = &pd->data.base.boxes;
    prim_dim_t src[5], dst[5];
    const prim_dim_t group = operand_strides(src, pd);
    prim__conv_data_strides(dst, prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC));
    *b = (ocl_conv_boxes_t){.src_s = {src[2 + CONV_W], src[2 + CONV_H], src[0]},
            .dst_s = {dst[2 + CONV_W] * s->stride[CONV_W], dst[2 + CONV_H] * s->stride[CONV_H],
                    dst[0]},
            .src_size = {(int32_t)s->out[CONV_W], (int32_t)s->out[CONV_H], (int32_t)s->mb},
            .dst_size = {(int32_t)prim__ceil_div(s->in[CONV_W], s->stride[CONV_W]),
                    (int32_t)prim__ceil_div(s->in[CONV_H], s->stride[CONV_H]), (int32_t)s->mb},
            .step = {1, 1},
            .element_step = {1, 1},
            .taps_x = (int32_t)s->kernel[CONV_W],
            .ntaps = (int32_t)prim__conv_taps(s),
            .channels = (int32_t)s->oc,
            .filter_channels = (int32_t)s->oc};
    pd->data.base.src_g = group;
    pd->data.base.dst_g = s->ic;
    list_phases(pd);
    // Dimensions of one element have any stride: one that tensor maps can hold.
    for (int d = 0; d < 3; ++d) {
        if (b->src_size[d] == 1)
            b->src_s[d] = d == 0 ? s->g * group : b->src_s[d - 1] * b->src_size[d - 1];
    }
    for (int d = 0; d < 3; ++d) b->src_s[d] *= ELEM_BYTES;
    bool is_pointwise = prim__conv_is_pointwise(s);
    for (int d = 0; d < 2; ++d) is_pointwise = is_pointwise && b->src_size[d] == b->dst_size[d];
    if (!is_pointwise) return;
    prim__ocl_conv_wgmma_merge_boxes(b);
    for (int d = 0; d < 2; ++d) pd->data.phases[0].dst_size[d] = b->dst_size[d];
}

static void fill_weights(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t channels = prim__round_up(s->ic, CHUNK), row = channels * s->kernel[CONV_W],
                     filter = channels * prim__conv_taps(s);
    prim_dim_t wei[6] = {0}; // of a copy, whose dimensions of one element are dense as well
    if (pd->packs.wei.nitems == 0)
        prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), s->has_groups);
    const bool is_copy = pd->packs.wei.nitems > 0;
    ocl_conv_phases_data_t *const data = &pd->data;
    data->base.wei_o = is_copy || s->oc == 1 ? filter : wei[1];
    data->base.wei_g = is_copy || s->g == 1 ? filter * s->oc : wei[0];
    data->wei_tap[0] = is_copy || s->kernel[CONV_W] == 1 ? channels : wei[3 + CONV_W];
    data->wei_tap[1] = is_copy || s->kernel[CONV_H] == 1 ? row : wei[3 + CONV_H];
    data->base.geo.ic = (int32_t)s->oc; // the sums are over channels of diff_dst
    data->base.geo.oc = (int32_t)s->ic;
    data->base.ngroups = (int32_t)s->g;
}

static void fill_plan(conv_pd_t *pd)
{
    const ocl_conv_wgmma_plan_t *const plan = &pd->plan;
    ocl_conv_wgmma_data_t *const data = &pd->data.base;
    data->ntiles = plan->ntiles;
    data->ntiles_n = plan->ntiles_n;
    data->nsplits = plan->nsplits;
    data->boxes.slices_c = plan->slices_c;
    for (int d = 0; d < 3; ++d) {
        data->boxes.box[d] = plan->box[d];
        data->boxes.ntiles[d] = plan->box_tiles[d];
    }
    for (int i = 0; i < pd->data.nphases; ++i) {
        ocl_conv_phase_t *const phase = &pd->data.phases[i];
        phase->nslices *= plan->slices_c;
        phase->split_slices = (int32_t)prim__ceil_div(phase->nslices, plan->nsplits);
    }
}

// ---- Creation
// ------------------------------------------------------------------------------------

/// What is planned: a phase of average length for each phase.
static ocl_conv_wgmma_product_t product_of(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_boxes_t *const b = &pd->data.base.boxes;
    const prim_data_type_t type = prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->data_type;
    ocl_conv_wgmma_product_t product = {.g = s->g * pd->data.nphases,
            .pixels = (int64_t)b->dst_size[0] * b->dst_size[1] * b->dst_size[2],
            .outputs = s->ic,
            .ntaps = prim__ceil_div(pd->ntaps > 0 ? pd->ntaps : 1, pd->data.nphases),
            .most_taps = pd->data.phases[0].nslices,
            .channels = s->oc,
            .element_step = {1, 1},
            .may_box = true,
            .has_unit = pd->has_unit,
            .dst_bytes = (int)prim_data_type_size(type),
            .is_short = true,
            .has_words = type != PRIM_F32 && !stores_chunks(pd),
            .is_across = true};
    for (int d = 0; d < 3; ++d) product.size[d] = b->dst_size[d];
    return product;
}

/// Cycles of copies of so many chunks, read and written.
static double copy_cycles(const conv_pd_t *pd, double chunks, int nkernels)
{
    return prim__ocl_conv_move_cycles(
            prim__ocl_device(pd->base.engine), 2 * chunks * CHUNK * ELEM_BYTES, nkernels);
}

/// What `polyphase` is expected to take: of each phase a copy of its weights, one of diff_dst where
/// channels are padded, and a convolution, by matrix units, which gathers channels where they are
/// few, or without.
static double polyphase_cycles(const conv_pd_t *pd)
{
    const prim_engine_t *const engine = pd->base.engine;
    const conv_shape_t *const s = &pd->shape;
    const int nphases = pd->data.nphases;
    ocl_conv_wgmma_product_t product = product_of(pd);
    product.g = s->g;
    product.channels = prim__round_up(s->oc, CHUNK);
    product.may_gather = true;
    product.may_box = s->g == 1;
    product.is_across = false;
    prim_desc_t none = {0};
    ocl_tune_t tune = {.pd = &none};
    ocl_conv_wgmma_plan_t plan = {.cycles = INFINITY};
    (void)prim__ocl_conv_wgmma_plan(&plan, &tune, prim__ocl_device(engine),
            prim__ocl_feature_local_bytes(engine), &product);
    const double dst = pd->packs.src.nitems;
    double phase = plan.cycles + (dst > 0 ? copy_cycles(pd, dst, 1) : 0);
    const ocl_conv_product_t fma = {.g = s->g,
            .m = s->ic,
            .n = product.pixels,
            .ntaps = product.ntaps,
            .channels = s->oc,
            .may_split = true};
    ocl_conv_plan_t igemm;
    // Its model was fitted to f32: rows of 16-bit elements that are not aligned take it longer.
    const double longer =
            prim__ocl_measured(prim__ocl_device(engine), MEASURED_CONV_IGEMM_UNALIGNED, 1.5);
    if (prim__ocl_conv_plan(&igemm, NULL, prim__ocl_device(engine), &fma))
        phase = fmin(phase, longer * igemm.cycles);
    const double weights = (double)(s->g * s->oc * s->ic * prim__conv_taps(s)) / CHUNK;
    return nphases * phase + copy_cycles(pd, weights, nphases);
}

static prim_status_t prefer_cheaper(conv_pd_t *pd)
{
    const double chunks = (double)pd->packs.src.nitems + pd->packs.wei.nitems;
    const double cycles = pd->plan.cycles + (chunks > 0 ? copy_cycles(pd, chunks, 1) : 0);
    const double polyphase = polyphase_cycles(pd);
    PREFER_OTHER_UNLESS(&pd->base, cycles < polyphase,
            "%.0f cycles, copies included; `polyphase` is expected to take %.0f", cycles,
            polyphase);
    return PRIM_SUCCESS;
}

static prim_status_t choose_plan(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const ocl_conv_wgmma_product_t product = product_of(pd);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_WGMMA_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_wgmma_plan(&pd->plan, &tune, prim__ocl_device(base->engine),
                    prim__ocl_feature_local_bytes(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device, or 16 splits of "
            "OC·KH·KW "
            "are still more products than one sum of f32 holds without loss");
    REQUIRE(base, prim__ocl_conv_wgmma_partials(&pd->plan) < INT32_MAX,
            "partial sums of split-K span 2^31 elements");
    return prefer_cheaper(pd);
}

/// A point of stride 1 is a product that `polyphase` nests as it is, where the weights may have the
/// layout that the product wants.
static prim_status_t prefer_nested(prim_desc_t *pd, const conv_shape_t *s)
{
    const bool is_open = prim__md_is_any(prim__pd_md(pd, PRIM_ARG_WEIGHTS));
    PREFER_OTHER_UNLESS(pd,
            !is_open || !prim__conv_is_pointwise(s) || prim__pd_has(pd, PRIM_ARG_BIAS),
            "the kernel is a point, and the layout of weights is open: `polyphase` copies nothing");
    return PRIM_SUCCESS;
}

static bool has_unit(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    return prim__ocl_conv_wgmma_is_claimed(pd) &&
           prim__ocl_device_trusts_type(pd->engine, OCL_FEATURE_WGMMA_F16, type) &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_LARGE_LOCAL) &&
           prim__ocl_device_trusts_type(pd->engine, OCL_FEATURE_TENSOR_MAPS_F16, type);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_types(base));
    TRY(require_shape(base, &pd->shape));
    TRY(prefer_nested(base, &pd->shape));
    TRY(require_layouts(base, &pd->shape));
    choose_copies(pd);
    fill_boxes(pd);
    fill_weights(pd);
    pd->has_unit = has_unit(base);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    TRY(choose_plan(pd));
    fill_plan(pd);
    pd->dst_offset = prim__ocl_conv_pack_book(base, &pd->packs.src);
    pd->wei_offset = prim__ocl_conv_pack_book(base, &pd->packs.wei);
    pd->maps_offset = prim__ocl_conv_wgmma_book_maps(base, &pd->plan);
    if (pd->plan.nsplits > 1)
        pd->partial_offset = prim__pd_book_scratchpad(
                base, 4 * (size_t)prim__ocl_conv_wgmma_partials(&pd->plan));
    return PRIM_SUCCESS;
}

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    const prim_data_type_t type = prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type;
    prim__ocl_options_init(options);
    prim__ocl_options_int(options, "RETARGET", pd->has_unit);
    prim__ocl_options_int(options, "MMA_TYPE", (int)type);
    prim__ocl_options_int(options, "SRC_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_ALONG_K", 0);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", 128);
    prim__ocl_options_type(options, "SRC", type);
    prim__ocl_options_weights(options, base);
    prim__ocl_options_type(options, "DST", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(options, "HAS_QUANT", 0);
    prim__ocl_options_int(options, "HAS_SHORT_EPILOGUE", 1);
    prim__ocl_options_int(options, "DST_CHUNKS", stores_chunks(pd));
    prim__ocl_options_int(options, "ASYNC_COPY", pd->has_unit);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "BM", pd->plan.bm);
    prim__ocl_options_int(options, "BN", pd->plan.bn);
    prim__ocl_options_int(options, "STAGES", pd->plan.stages);
    prim__ocl_options_int(options, "COPIERS", pd->plan.copiers);
    prim__ocl_options_int(options, "MAPS", 1);
    prim__ocl_options_int(options, "PACKED_SRC", pd->packs.src.nitems > 0);
    prim__ocl_options_int(options, "PACKED_WEI", pd->packs.wei.nitems > 0);
    prim__ocl_options_int(options, "PHASES", pd->shape.g > 1 ? 2 : 1);
    prim__ocl_post_ops_options(options, base, true);
    prim__ocl_options_int(options, "FAST_EXP2", 0);
    prim__ocl_options_int(options, "SLOPES", 0);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options;
    add_options(&options, pd);
    TRY(prim__ocl_conv_wgmma_add(p, &options, &pd->plan));
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    TRY(prim__ocl_conv_pack_init(p, &pd->packs));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_conv_wgmma_run_t run = {.plan = &pd->plan,
            .src = PRIM_ARG_DIFF_DST,
            .dst = PRIM_ARG_DIFF_SRC,
            .is_src_packed = pd->packs.src.nitems > 0,
            .is_wei_packed = pd->packs.wei.nitems > 0,
            .src_offset = pd->dst_offset,
            .wei_offset = pd->wei_offset,
            .partial_offset = pd->partial_offset,
            .maps_offset = pd->maps_offset};
    const ocl_conv_packs_run_t packs = {.sizes = &pd->packs,
            .src = PRIM_ARG_DIFF_DST,
            .wei = PRIM_ARG_WEIGHTS,
            .src_offset = pd->dst_offset,
            .wei_offset = pd->wei_offset,
            .kernel = p->nkernels - 1,
            .data = PACKS};
    TRY(prim__ocl_conv_pack_run(p, ctx, &packs));
    return prim__ocl_conv_wgmma_run(p, ctx, &run);
}

const impl_t prim__ocl_conv_backward_data_wgmma = {
        .name = "ocl:conv:backward_data_wgmma",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
