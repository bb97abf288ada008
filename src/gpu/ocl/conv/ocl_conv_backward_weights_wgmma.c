// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias of f16 and bf16, NHWC, by WGMMA.
#include <math.h>

#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_backward_weights_boxes_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_grid_barrier.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_backward_weights.h"
#include "ocl_conv_backward_weights_mma.h"
#include "ocl_conv_backward_weights_plan.h"
#include "ocl_conv_backward_weights_tiled.h"
#include "ocl_conv_pack_chunks.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_wgmma_common.h"
#include "ocl_conv_wgmma_operands.h"

extern const ocl_source_t prim__ocl_conv_backward_weights_wgmma_cl;
extern const impl_t prim__ocl_conv_backward_weights_wgmma;

enum { CHUNK = OCL_CONV_WGMMA_CHUNK, ELEM_BYTES = OCL_CONV_WGMMA_BYTES };
enum { MAPS_BYTES = 256 };                ///< of the tensor maps of a group
enum { SLOT_WORDS = 2, MAX_TEAM = 1024 }; ///< of clh/split_team.h and the .cl
enum { MAX_ELEMENT_STEP = 8, BLOCK = OCL_CONV_WEIGHTS_BLOCK };

/// src and diff_dst as the kernel reads them: where they are, or copies.
typedef struct {
    conv_shape_t shape; ///< of the problem that the kernel computes
    ocl_conv_boxes_t boxes;
    prim_dim_t src_group, dst_group; ///< channels from one group to the next
    ocl_conv_packs_t packs;          ///< of src, and of diff_dst in the place of weights
} operands_t;

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    bool has_unit; ///< else plain C: RETARGET=0
    operands_t operands;
    size_t src_offset, dst_offset; ///< of the copies in the scratchpad
    ocl_conv_weights_plan_t plan;
    ocl_conv_splits_t splits;
    bool adds_alone; ///< the groups of a tile add its splits (clh/split_team.h)
    ocl_grid_barrier_t team;
    size_t maps_offset; ///< of the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Channels last; weights too, unless told otherwise: stores of sums are contiguous then.
static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const weights[] = {"acb", "acdb", "acdeb"};
    static const char *const grouped[] = {"abdc", "abdec", "abdefc"};
    const char *const *tags = s->has_groups ? grouped : weights;
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__md_set_tag_if_any(
            prim__pd_md_mutable(pd, PRIM_ARG_DIFF_WEIGHTS), tags[s->nspatial - 1]));
    return prim__conv_set_row_major(pd);
}

/// Whether tensor maps, whose strides are positive, can hold a tensor of these strides in elements,
/// and whether the groups' `channels` begin at chunks. `size`: of the spatial dimensions.
static bool has_map(const prim_dim_t strides[5], const conv_shape_t *s,
        const prim_dim_t size[CONV_NSPATIAL], prim_dim_t channels)
{
    const prim_dim_t max_stride = (prim_dim_t)1 << 39;
    bool has = strides[1] == 1 && (s->g == 1 || channels % CHUNK == 0);
    for (int d = 0; d < 5; ++d) {
        const bool is_one = (d == 0 ? s->mb : d == 1 ? 1 : size[d - 2]) == 1;
        has = has && (d == 1 || (strides[d] % CHUNK == 0 && strides[d] < max_stride &&
                                        (strides[d] > 0 || is_one)));
    }
    return has;
}

static void set_strides(
        int64_t to[3], const int32_t size[3], const prim_dim_t strides[5], prim_dim_t channels)
{
    const prim_dim_t own[] = {strides[2 + CONV_W], strides[2 + CONV_H], strides[0]};
    for (int d = 0; d < 3; ++d) {
        // Dimensions of one element have any stride: one that tensor maps can hold.
        const prim_dim_t dense =
                d == 0 ? prim__round_up(channels, CHUNK) * ELEM_BYTES : to[d - 1] * size[d - 1];
        to[d] = size[d] == 1 ? dense : own[d] * ELEM_BYTES;
    }
}

/// Whether the taps of a row of the window are neighbours in src and in diff_weights: as channels
/// of a window of one column they fill blocks of columns better.
static bool may_join_taps(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t src[5], wei[6];
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__conv_weights_strides(wei, prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS), s->has_groups);
    return s->g == 1 && s->kernel[CONV_W] > 1 && s->dilation[CONV_W] == 1 && src[1] == 1 &&
           src[2 + CONV_W] == s->ic && wei[3 + CONV_W] == s->ic * wei[2];
}

static void join_taps(conv_shape_t *s)
{
    s->ic *= s->kernel[CONV_W];
    s->in[CONV_W] = s->out[CONV_W];
    s->kernel[CONV_W] = s->stride[CONV_W] = 1;
    s->pad[CONV_W] = 0;
}

/// `o->shape` is the problem's, or has joined taps.
static void set_operands(operands_t *o, const prim_desc_t *pd, bool joins_taps)
{
    ocl_conv_boxes_t *const b = &o->boxes;
    conv_shape_t packed = o->shape;
    prim_dim_t src[5], dst[5];
    prim__conv_data_strides(src, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__conv_data_strides(dst, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    if (joins_taps || !has_map(src, &packed, packed.in, packed.ic)) {
        packed.ic = prim__round_up(packed.ic, CHUNK);
        if (!joins_taps) prim__ocl_conv_pack_skip(&packed);
        if (joins_taps)
            prim__ocl_conv_pack_rows(&o->packs.src, pd, &packed);
        else
            prim__ocl_conv_pack_src(&o->packs.src, pd, &packed);
        prim__ocl_conv_packed_strides(src, &packed);
    }
    o->src_group = packed.ic;
    o->dst_group = packed.oc;
    *b = prim__ocl_conv_wgmma_boxes(pd, &packed);
    if (!has_map(dst, &packed, packed.out, packed.oc)) {
        o->dst_group = prim__round_up(packed.oc, CHUNK);
        prim__ocl_conv_pack_diff_dst(&o->packs.wei, pd, o->dst_group);
        dst[2 + CONV_W] = packed.g * o->dst_group;
        dst[2 + CONV_H] = dst[2 + CONV_W] * packed.out[CONV_W];
        dst[0] = dst[2 + CONV_H] * packed.out[CONV_H];
    }
    set_strides(b->src_s, b->src_size, src, packed.g * o->src_group);
    set_strides(b->dst_s, b->dst_size, dst, packed.g * o->dst_group);
    prim__ocl_conv_wgmma_simplify(b, &o->shape);
}

static prim_status_t init_units(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const prim_data_type_t type = prim__pd_md(base, PRIM_ARG_SRC)->data_type;
    pd->has_unit = prim__ocl_conv_wgmma_is_claimed(base) &&
                   prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY) &&
                   prim__ocl_device_trusts_type(base->engine, OCL_FEATURE_WGMMA_F16, type) &&
                   prim__ocl_device_trusts_type(base->engine, OCL_FEATURE_TENSOR_MAPS_F16, type) &&
                   prim__ocl_device_trusts(base->engine, OCL_FEATURE_LARGE_LOCAL);
    TRY(prim__ocl_prefer_matrix_units(base, pd->has_unit));
    return PRIM_SUCCESS;
}

/// Whether a pixel of diff_dst meets the one of src at the same place, and no other.
static bool is_plain(const ocl_conv_boxes_t *b)
{
    bool is = b->ntaps == 1;
    for (int d = 0; d < 2; ++d)
        is = is && b->pad[d] == 0 && b->step[d] == 1 && b->src_size[d] == b->dst_size[d];
    return is;
}

/// Cycles of the copies.
static double copy_cycles(const operands_t *o, const ocl_device_t *device)
{
    const double chunks = (double)o->packs.src.nitems + o->packs.wei.nitems;
    if (chunks == 0) return 0;
    return prim__ocl_measured(device, MEASURED_CONV_BACKWARD_WEIGHTS_WGMMA_PACK_CYCLES,
                   prim__ocl_estimate_cycles(device, 4.5)) +
           prim__ocl_conv_move_cycles(device, 2 * chunks * CHUNK * ELEM_BYTES, 0);
}

static ocl_conv_weights_product_t product_of(const operands_t *o, bool has_unit)
{
    const ocl_conv_boxes_t *const b = &o->boxes;
    return (ocl_conv_weights_product_t){.g = o->shape.g,
            .oc = o->shape.oc,
            .ic = o->shape.ic,
            .ntaps = b->ntaps,
            .size = {b->dst_size[0], b->dst_size[1], b->dst_size[2]},
            .element_step = {b->element_step[0], b->element_step[1]},
            .is_plain = is_plain(b),
            .has_unit = has_unit};
}

static double cycles_of(const operands_t *o, const conv_pd_t *pd)
{
    const prim_engine_t *const engine = pd->base.engine;
    const ocl_conv_weights_product_t product = product_of(o, pd->has_unit);
    prim_desc_t none = {0};
    ocl_tune_t tune = {.pd = &none};
    ocl_conv_weights_plan_t plan = {0};
    if (!prim__ocl_conv_weights_plan(&plan, &tune, prim__ocl_device(engine),
                prim__ocl_feature_local_bytes(engine), &product))
        return INFINITY;
    return plan.cycles + copy_cycles(o, prim__ocl_device(engine));
}

/// The cheaper way to read the window.
static prim_status_t choose_operands(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    operands_t *const o = &pd->operands;
    REQUIRE(base, pd->shape.nspatial <= 2, "tensors have three spatial dimensions");
    REQUIRE(base, pd->shape.g == 1 || (pd->shape.ic >= CHUNK && pd->shape.oc >= CHUNK),
            "a group has %lld input and %lld output channels; this variant takes %d or more of "
            "each",
            (long long)pd->shape.ic, (long long)pd->shape.oc, CHUNK);
    o->shape = pd->shape;
    set_operands(o, base, false);
    if (may_join_taps(base, &pd->shape)) {
        operands_t joined = {.shape = pd->shape};
        join_taps(&joined.shape);
        set_operands(&joined, base, true);
        if (cycles_of(&joined, pd) < cycles_of(o, pd)) *o = joined;
    }
    const ocl_conv_boxes_t *const b = &o->boxes;
    REQUIRE(base, b->element_step[0] <= MAX_ELEMENT_STEP && b->element_step[1] <= MAX_ELEMENT_STEP,
            "strides are larger than %d", MAX_ELEMENT_STEP);
    return PRIM_SUCCESS;
}

/// Where matrix units are mostly idle, or tensors are copied first, another one may be cheaper.
static prim_status_t prefer_cheaper(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const double copies = copy_cycles(&pd->operands, prim__ocl_device(base->engine));
    const double cycles = pd->plan.cycles + copies;
    if (copies == 0 && pd->shape.ic >= 32 && pd->shape.oc >= 32) return PRIM_SUCCESS;
    const double mma = prim__ocl_conv_weights_mma_cycles(base);
    PREFER_OTHER_UNLESS(base, cycles < mma,
            "%.0f cycles, copies of src and diff_dst included; `backward_weights_mma` is expected "
            "to take %.0f",
            cycles, mma);
    const double tiled = prim__ocl_conv_weights_tiled_cycles(base);
    PREFER_OTHER_UNLESS(base, cycles < tiled,
            "%.0f cycles, copies of src and diff_dst included; `backward_weights_tiled` is "
            "expected to take %.0f",
            cycles, tiled);
    return PRIM_SUCCESS;
}

static prim_status_t choose_plan(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const ocl_conv_weights_product_t product = product_of(&pd->operands, pd->has_unit);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_WEIGHTS_PARAMS);
    REQUIRE(base,
            prim__ocl_conv_weights_plan(&pd->plan, &tune, prim__ocl_device(base->engine),
                    prim__ocl_feature_local_bytes(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    return prefer_cheaper(pd);
}

/// Partial sums and the tensor maps of all groups.
static prim_status_t book(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_weights_plan_t *const plan = &pd->plan;
    const int64_t ntiles = s->g * plan->ntiles_m * plan->ntiles_n;
    const int64_t tile = (int64_t)plan->groups_m * plan->groups_n * plan->bn * BLOCK;
    pd->splits = (ocl_conv_splits_t){.split_pixels = plan->split_boxes,
            .nsplits = plan->nsplits,
            .ntiles_m = plan->ntiles_m,
            .ntiles_n = plan->ntiles_n,
            .npartial =
                    ntiles * tile +
                    (prim__pd_has(base, PRIM_ARG_DIFF_BIAS) ? s->g * prim__round_up(s->oc, 4) : 0)};
    REQUIRE(base, pd->splits.npartial < INT32_MAX, "diff_weights span 2^31 elements in tiles");
    if (plan->nsplits > 1)
        pd->splits.partial_offset = prim__pd_book_scratchpad(
                base, sizeof(float) * (size_t)(plan->nsplits * pd->splits.npartial));
    const size_t ngroups = (size_t)ntiles * (size_t)plan->nsplits;
    pd->maps_offset = prim__pd_book_scratchpad(base, ngroups * MAPS_BYTES + 127);
    pd->src_offset = prim__ocl_conv_pack_book(base, &pd->operands.packs.src);
    pd->dst_offset = prim__ocl_conv_pack_book(base, &pd->operands.packs.wei);
    pd->adds_alone = plan->nsplits > 1 && plan->nsplits <= MAX_TEAM &&
                     (plan->is_one_round || !pd->has_unit) &&
                     prim__ocl_device_trusts(base->engine, OCL_FEATURE_GROUP_WAIT);
    prim__ocl_grid_barrier_book(
            &pd->team, base, pd->adds_alone ? (int64_t)ngroups * SLOT_WORDS : 0);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    TRY(prim__ocl_conv_backward_weights_require_16_bits(base));
    prim__conv_shape(&pd->shape, base);
    TRY(set_layouts(base, &pd->shape));
    TRY(prim__ocl_conv_backward_weights_check(base, &pd->shape));
    TRY(init_units(pd));
    TRY(choose_operands(pd));
    TRY(choose_plan(pd));
    return book(pd);
}

static ocl_conv_backward_weights_boxes_t sizes_of(const conv_pd_t *pd)
{
    const operands_t *const o = &pd->operands;
    const ocl_conv_boxes_t *const b = &o->boxes;
    const conv_shape_t *const s = &o->shape;
    ocl_conv_backward_weights_boxes_t sizes = {
            .base = prim__ocl_conv_backward_weights_data(&pd->base, &pd->splits),
            .src_channels = (int32_t)(s->g * o->src_group),
            .dst_channels = (int32_t)(s->g * o->dst_group),
            .src_group = (int32_t)o->src_group,
            .dst_group = (int32_t)o->dst_group,
            .ic = (int32_t)s->ic,
            .blocks_c = (int32_t)prim__ceil_div(s->ic, BLOCK),
            .taps_x = b->taps_x,
            .ntaps = b->ntaps};
    for (int d = 0; d < 3; ++d) {
        sizes.src_s[d] = b->src_s[d];
        sizes.dst_s[d] = b->dst_s[d];
        sizes.src_size[d] = b->src_size[d];
        sizes.dst_size[d] = b->dst_size[d];
        sizes.box[d] = pd->plan.box[d];
        sizes.nboxes[d] = pd->plan.nboxes[d];
    }
    for (int d = 0; d < 2; ++d) {
        sizes.step[d] = b->step[d];
        sizes.pad[d] = b->pad[d];
        sizes.tap_step[d] = b->tap_step[d];
    }
    return sizes;
}

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    const ocl_conv_weights_plan_t *const plan = &pd->plan;
    prim__ocl_options_int(options, "RETARGET", pd->has_unit);
    prim__ocl_options_int(
            options, "MMA_TYPE", (int)prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "SRC_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_IS_U8", 0);
    prim__ocl_options_int(options, "SRC_ALONG_K", 0);
    prim__ocl_options_int(options, "WEI_ALONG_K", 0);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", 128);
    prim__ocl_options_int(options, "GROUPS_M", plan->groups_m);
    prim__ocl_options_int(options, "GROUPS_N", plan->groups_n);
    prim__ocl_options_int(options, "BN", plan->bn);
    prim__ocl_options_int(options, "WGMMA_BLOCK_STEPS", plan->pixels);
    prim__ocl_options_int(options, "STAGES", plan->stages);
    prim__ocl_options_int(options, "PACKED_SRC", pd->operands.packs.src.nitems > 0);
    prim__ocl_options_int(options, "PACKED_DST", pd->operands.packs.wei.nitems > 0);
}

/// How splits are added: chains of them, and how many of a chain are loaded together; 8 loads of a
/// work-item are on their way. As in the .cl.
typedef struct {
    int parts, at_once;
} summing_t;

enum { LOADS = 8, LEAST_ADDERS = 8 };

static int consumers_of(const conv_pd_t *pd)
{
    return 128 * pd->plan.groups_m * pd->plan.groups_n;
}

static summing_t summing_of(const conv_pd_t *pd)
{
    const int nsplits = pd->splits.nsplits;
    summing_t by = {1, nsplits <= 4 ? 4 : 8};
    while (by.parts * by.at_once < nsplits && consumers_of(pd) / (2 * by.parts) >= LEAST_ADDERS)
        by.parts *= 2;
    return by;
}

static bool has_sum(const conv_pd_t *pd)
{
    return pd->splits.nsplits > 1 && !pd->adds_alone;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_conv_backward_weights_wgmma_cl;
    const summing_t summing = summing_of(pd);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_backward_weights_options(&options, &pd->base, true);
    add_options(&options, pd);
    prim__ocl_options_int(&options, "PARTS", summing.parts);
    prim__ocl_options_int(&options, "AT_ONCE", summing.at_once);
    prim__ocl_options_int(&options, "RELAXED_ATOMICS", pd->adds_alone && pd->team.waits);
    prim__ocl_options_int(&options, "LANE_SHUFFLE",
            pd->adds_alone && prim__ocl_device_trusts(pd->base.engine, OCL_FEATURE_LANE_SHUFFLE));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_backward_weights_wgmma"));
    if (has_sum(pd))
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "conv_backward_weights_wgmma_sum"));
    const ocl_conv_backward_weights_boxes_t sizes = sizes_of(pd);
    TRY(prim__ocl_primitive_add_data(p, &sizes, sizeof sizes));
    return prim__ocl_conv_pack_init(p, &pd->operands.packs);
}

static prim_status_t sum_splits(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const summing_t summing = summing_of(pd);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_conv_splits_args(&args, ctx, &pd->splits);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_BIAS);
    const int consumers = consumers_of(pd),
              share = consumers / summing.parts * (LOADS / summing.at_once);
    const int64_t ntiles = pd->shape.g * pd->plan.ntiles_m * pd->plan.ntiles_n;
    const bool has_bias = prim__pd_has(&pd->base, PRIM_ARG_DIFF_BIAS);
    const int nfours = consumers * pd->plan.bn / 8 + (has_bias ? 16 * pd->plan.groups_m : 0);
    const ocl_range_t range = prim__ocl_range_3d(
            ntiles * consumers, prim__ceil_div(nfours, share), 1, (size_t)consumers, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[1], &range, &args);
}

static prim_status_t copy_operands(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const ocl_conv_packs_run_t run = {.sizes = &pd->operands.packs,
            .src = PRIM_ARG_SRC,
            .wei = PRIM_ARG_DIFF_DST,
            .src_offset = pd->src_offset,
            .wei_offset = pd->dst_offset,
            .kernel = has_sum(pd) ? 2 : 1,
            .data = 1};
    return prim__ocl_conv_pack_run(p, ctx, &run);
}

static void args_operand(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_pack_t *pack,
        int tensor, size_t offset)
{
    if (pack->nitems > 0)
        prim__ocl_args_scratchpad(args, ctx, offset, ELEM_BYTES);
    else
        prim__ocl_args_tensor(args, ctx, tensor);
}

static prim_status_t multiply(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    const size_t nitems = prim__ocl_conv_weights_items(&pd->plan);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    args_operand(&args, ctx, &pd->operands.packs.src, PRIM_ARG_SRC, pd->src_offset);
    args_operand(&args, ctx, &pd->operands.packs.wei, PRIM_ARG_DIFF_DST, pd->dst_offset);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_BIAS);
    prim__ocl_conv_splits_args(&args, ctx, &pd->splits);
    prim__ocl_args_scratchpad(&args, ctx, pd->maps_offset, 1);
    prim__ocl_grid_barrier_args(&args, ctx, &pd->team);
    if (pd->adds_alone)
        prim__ocl_args_ticket(&args);
    else
        prim__ocl_args_i64(&args, 0);
    const int64_t ntiles = pd->shape.g * pd->plan.ntiles_m * pd->plan.ntiles_n;
    const ocl_range_t range =
            prim__ocl_range_3d(ntiles * (int64_t)nitems, pd->splits.nsplits, 1, nitems, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    TRY(copy_operands(p, ctx));
    TRY(multiply(p, ctx));
    return has_sum(pd) ? sum_splits(p, ctx) : PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_backward_weights_wgmma = {
        .name = "ocl:conv:backward_weights_wgmma",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
