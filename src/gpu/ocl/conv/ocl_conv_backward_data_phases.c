// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src, f32, on GPUs: the implicit matrix products of all phases of
// the strides (conv_polyphase.h) in one launch of ocl_conv_pipeline.cl or, NHWC, ocl_conv_igemm.cl.
// Weights that are not contiguous along input channels are copied first, once for all phases.
#include "common/alloc.h"
#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv_backward_data_phases_plan.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_pipeline.h"
#include "ocl_conv_swap_channels.h"
#include "ocl_conv_winograd.h"

extern const impl_t prim__ocl_conv_backward_data_phases;

enum { MOST_PHASES = 32 }; ///< constant memory holds their sizes
/// In the order that init() adds them.
enum { CONV, SUM, TRANSPOSE };     ///< kernels
enum { DEPTH, SIZES, TRANSPOSES }; ///< data

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    ocl_conv_plan_t plan;
    ocl_conv_igemm_code_t code;
    bool copies_weights;
    prim_memory_desc_t copy;   ///< of the weights, input channels first in its dimensions
    prim_dim_t dst[5], src[5]; ///< strides of diff_dst and diff_src
    prim_dim_t wei[6];         ///< of the weights or their copy
    ocl_conv_phases_t counts;
    int nphases;                        ///< that are in `phases`
    int64_t nsteps, npartials;          ///< of all phases: steps of K in tables, partial sums
    int64_t ntiles, nsplits, nelements; ///< of a phase, the most
    ocl_conv_igemm_phase_t phases[MOST_PHASES];
    size_t copy_offset, partial_offset; ///< of the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

// ---- What it takes -----------------------------------------------------------------------------

static prim_status_t require_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    static const int args[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC};
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, md->data_type == PRIM_F32, "a tensor is %s; this variant takes f32",
                prim_data_type_name(md->data_type));
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor is empty");
    }
    TRY(prim__conv_require_no_bias(pd));
    REQUIRE(pd, pd->attr.post_ops.len == 0 && pd->attr.nscales == 0 && pd->attr.nzero_points == 0,
            "post-ops, scales or zero points");
    REQUIRE(pd, s->oc * prim__conv_taps(s) <= OCL_LONGEST_SUM,
            "OC·KD·KH·KW is more products than one sum of f32 holds without loss");
    REQUIRE(pd, s->ic > 1 || s->oc > 1 || s->g == 1, "the convolution is depthwise");
    int64_t room = MOST_PHASES;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        REQUIRE(pd, s->stride[i] <= room, "strides have more than %d phases", (int)MOST_PHASES);
        room /= s->stride[i];
    }
    return PRIM_SUCCESS;
}

static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const tags[2][3] = {{"cab", "cdab", "cdeab"}, {"adbc", "adebc", "adefbc"}};
    static const int args[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC};
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__ocl_conv_require_sizes(pd, s));
    TRY(prim__md_set_tag_if_any(
            prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tags[s->has_groups][s->nspatial - 1]));
    TRY(prim__conv_set_row_major(pd));
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__md_is_plain(md), "diff_dst, weights or diff_src have a blocked layout");
        TRY(prim__ocl_conv_require_origin(pd, md));
    }
    REQUIRE(pd, prim__ocl_fits_i32(pd),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    return PRIM_SUCCESS;
}

// ---- Weights -----------------------------------------------------------------------------------

/// The weights with output and input channels in each other's place: taps, then output channels,
/// then input channels.
static prim_status_t choose_weights(conv_pd_t *pd)
{
    static const char *const tags[2][3] = {{"cba", "cdba", "cdeba"}, {"adcb", "adecb", "adefcb"}};
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    const int o = s->has_groups;
    pd->copies_weights = wei->strides[o + 1] != 1 && s->ic > 1;
    prim__conv_weights_strides(pd->wei, wei, s->has_groups);
    if (!pd->copies_weights) return PRIM_SUCCESS;
    TRY(prim__ocl_conv_swapped_md(&pd->copy, wei, s, tags[s->has_groups][s->nspatial - 1]));
    prim__conv_weights_strides(pd->wei, &pd->copy, s->has_groups);
    const prim_dim_t input = pd->wei[1];
    pd->wei[1] = pd->wei[2];
    pd->wei[2] = input;
    return PRIM_SUCCESS;
}

// ---- Phases ------------------------------------------------------------------------------------

/// A phase as a forward convolution, with `ic` and `oc` as that has them.
typedef struct {
    conv_shape_t shape;
    prim_dim_t wei[6]; ///< strides of the weights as that has them
    int64_t ntaps;     ///< 0: its elements are zeros, and `shape` has one tap
    int64_t src_off, wei_off, dst_off;
} phase_t;

static phase_t phase_of(const conv_pd_t *pd, const prim_dim_t start[CONV_NSPATIAL])
{
    const conv_shape_t *const s = &pd->shape;
    phase_t phase = {.shape = *s, .wei = {pd->wei[0], pd->wei[2], pd->wei[1]}, .ntaps = 1};
    phase.shape.ic = s->oc;
    phase.shape.oc = s->ic;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        conv_phase_dim_t dim;
        prim__conv_phase_dim(&dim, s, i, start[i]);
        phase.ntaps *= dim.ntaps;
        phase.shape.in[i] = dim.dst_elems;
        phase.shape.out[i] = dim.src_elems;
        phase.shape.kernel[i] = dim.ntaps > 0 ? dim.ntaps : 1;
        phase.shape.stride[i] = 1;
        // Taps in the order of the weights, which meet diff_dst from behind.
        phase.shape.dilation[i] = -dim.dilation;
        phase.shape.pad[i] = dim.pad_l - (phase.shape.kernel[i] - 1) * dim.dilation;
        phase.src_off += dim.dst_start * pd->dst[2 + i];
        phase.dst_off += start[i] * pd->src[2 + i];
        phase.wei_off += dim.first_tap * pd->wei[3 + i];
        phase.wei[3 + i] = dim.tap_step * pd->wei[3 + i];
    }
    if (phase.ntaps == 0) phase.src_off = phase.wei_off = 0;
    return phase;
}

/// Calls `visit` for all phases.
static void for_phases(const conv_pd_t *pd, void (*visit)(void *to, const phase_t *), void *to)
{
    const conv_shape_t *const s = &pd->shape;
    prim_dim_t at[CONV_NSPATIAL], n[CONV_NSPATIAL];
    for (int i = 0; i < CONV_NSPATIAL; ++i) n[i] = prim__min(s->stride[i], s->in[i]);
    for (at[CONV_D] = 0; at[CONV_D] < n[CONV_D]; ++at[CONV_D])
        for (at[CONV_H] = 0; at[CONV_H] < n[CONV_H]; ++at[CONV_H])
            for (at[CONV_W] = 0; at[CONV_W] < n[CONV_W]; ++at[CONV_W]) {
                const phase_t phase = phase_of(pd, at);
                visit(to, &phase);
            }
}

/// What all phases have in common must hold for each that has taps.
static void join_code(void *to, const phase_t *phase)
{
    conv_pd_t *const pd = to;
    const conv_shape_t *const s = &phase->shape;
    if (phase->ntaps == 0) return;
    pd->code.is_flat =
            pd->code.is_flat && (prim__conv_taps(s) == 1 || prim__ocl_conv_igemm_wants_table(s));
    pd->code.pixel_quads = pd->code.pixel_quads && phase->src_off % 4 == 0 &&
                           prim__ocl_conv_pipeline_has_quads(s, pd->dst);
}

static void choose_code(conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const bool runs = pd->dst[1] == 1 && s->oc > 1;
    pd->code = (ocl_conv_igemm_code_t){.has_phases = true,
            .is_flat = true,
            .src_depth_runs = runs,
            .dst_channels_run = pd->src[1] == 1 && s->ic > 1,
            .src_quads = runs && s->oc % 4 == 0 && pd->dst[0] % 4 == 0 &&
                         prim__ocl_conv_igemm_has_quads(pd->dst + 2, 3),
            .wei_quads = s->ic % 4 == 0 && pd->wei[0] % 4 == 0 && pd->wei[1] % 4 == 0 &&
                         prim__ocl_conv_igemm_has_quads(pd->wei + 3, 3),
            .has_depth = s->nspatial == 3,
            .has_short_epilogue = true,
            .pixel_quads = true,
            .copies_async = prim__ocl_device_trusts(pd->base.engine, OCL_FEATURE_ASYNC_COPY)};
    for_phases(pd, join_code, pd);
    pd->code.is_flat = pd->code.is_flat && pd->counts.most_taps > 1;
    pd->code.pixel_quads = pd->code.pixel_quads && !pd->code.is_flat;
}

/// What is planned: for each phase that has taps one of average length and of the most pixels.
static prim_status_t choose_plan(conv_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_phases_t *const counts = &pd->counts;
    REQUIRE(base, counts->nmeeting > 0, "no window meets an element of src");
    REQUIRE(base, counts->most_pixels < INT32_MAX - 128, "diff_src has 2^31 pixels or more");
    const ocl_conv_product_t product = {.g = s->g * counts->nmeeting,
            .m = s->ic,
            .n = counts->most_pixels,
            .ntaps = prim__ceil_div(counts->ntaps, counts->nmeeting),
            .channels = s->oc,
            .is_flat = pd->code.is_flat,
            .may_split = true,
            .pipeline_bytes =
                    pd->code.src_depth_runs ? 0 : prim__ocl_conv_pipeline_bytes(base->engine)};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, base, OCL_CONV_PLAN_PARAMS);
    REQUIRE(base, prim__ocl_conv_plan(&pd->plan, &tune, prim__ocl_device(base->engine), &product),
            "no tile fits the work-groups and the local memory of the device");
    pd->code.whole_depth = !pd->code.is_flat && s->oc % pd->plan.bk == 0;
    return PRIM_SUCCESS;
}

static ocl_conv_igemm_data_t sizes_of(const conv_pd_t *pd, const phase_t *phase)
{
    const conv_shape_t *const s = &phase->shape;
    const int64_t npixels = s->mb * prim__conv_out_elems(s);
    ocl_conv_igemm_data_t data = {.wei_g = phase->wei[0],
            .wei_i = phase->wei[2],
            .src_g = s->ic * pd->dst[1],
            .dst_g = s->oc * pd->src[1],
            .npartial = s->g * s->oc * npixels,
            .npixels = (int32_t)npixels,
            .ndepth = (int32_t)(s->ic * phase->ntaps),
            .ngroups = (int32_t)s->g};
    prim__ocl_conv_geo_sizes(&data.geo, s);
    data.geo.src_n = pd->dst[0];
    data.geo.src_c = pd->dst[1];
    data.geo.dst_n = pd->src[0];
    data.geo.dst_c = pd->src[1];
    data.geo.oc_padded = data.geo.oc;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        data.geo.src_s[i] = pd->dst[2 + i];
        data.geo.dst_s[i] = pd->src[2 + i] * pd->shape.stride[i];
        data.wei_s[i] = phase->wei[3 + i];
    }
    return data;
}

/// The parts of K and of the grid: splits of all phases are as long.
static void cut(ocl_conv_igemm_data_t *data, const conv_pd_t *pd, int64_t ntaps)
{
    const ocl_conv_plan_t *const plan = &pd->plan;
    prim__ocl_conv_igemm_set_plan(data, plan);
    data->ntiles_n = (int32_t)prim__ceil_div(data->npixels, plan->bn);
    data->nslices = (int32_t)(pd->code.is_flat ? prim__ceil_div(data->ndepth, plan->bk)
                                               : ntaps * plan->nslices_c);
    data->split_slices =
            plan->nsplits > 1 || data->nslices == 0 ? plan->split_slices : data->nslices;
    data->nsplits = (int32_t)prim__ceil_div(data->nslices, data->split_slices);
    if (data->nsplits == 0) data->nsplits = 1;
}

/// Longest first, so that work-groups end with the shortest tiles.
static void add_phase(void *to, const phase_t *from)
{
    conv_pd_t *const pd = to;
    ocl_conv_igemm_phase_t phase = {.sizes = sizes_of(pd, from),
            .depth_off = pd->nsteps,
            .src_off = from->src_off,
            .wei_off = from->wei_off,
            .dst_off = from->dst_off};
    cut(&phase.sizes, pd, from->ntaps);
    const ocl_conv_igemm_data_t *const sizes = &phase.sizes;
    phase.partial_off = pd->npartials;
    if (sizes->nsplits > 1) pd->npartials += sizes->nsplits * sizes->npartial;
    if (pd->code.is_flat) pd->nsteps += sizes->ndepth;
    pd->ntiles = prim__max(pd->ntiles, (int64_t)sizes->ngroups * sizes->ntiles_m * sizes->ntiles_n);
    pd->nsplits = prim__max(pd->nsplits, sizes->nsplits);
    pd->nelements = prim__max(pd->nelements, sizes->npartial);
    int at = pd->nphases++;
    for (; at > 0 && pd->phases[at - 1].sizes.nslices < sizes->nslices; --at)
        pd->phases[at] = pd->phases[at - 1];
    pd->phases[at] = phase;
}

/// Elements that no tap meets are stored one by one here.
static prim_status_t prefer_cleared(const conv_pd_t *pd, prim_desc_t *base)
{
    const double bytes = (double)prim__md_bytes(prim__pd_md(base, PRIM_ARG_DIFF_SRC));
    const ocl_conv_empty_cycles_t empty =
            prim__ocl_conv_empty_cycles(prim__ocl_device(base->engine), pd->counts.nempty, bytes);
    PREFER_OTHER_UNLESS(base, empty.one_by_one <= empty.cleared,
            "%.0f cycles for elements that no tap meets; to clear diff_src is expected to take "
            "%.0f",
            empty.one_by_one, empty.cleared);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_problem(base, s));
    PREFER_OTHER_UNLESS(base, !prim__ocl_winograd_suits(s),
            "3×3 of stride 1: `backward_data_polyphase` nests Winograd's algorithm, which "
            "multiplies less");
    TRY(set_layouts(base, s));
    prim__conv_data_strides(pd->dst, prim__pd_md(base, PRIM_ARG_DIFF_DST));
    prim__conv_data_strides(pd->src, prim__pd_md(base, PRIM_ARG_DIFF_SRC));
    TRY(choose_weights(pd));
    pd->counts = prim__ocl_conv_phases(s);
    choose_code(pd);
    TRY(choose_plan(pd));
    for_phases(pd, add_phase, pd);
    if (pd->copies_weights)
        pd->copy_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&pd->copy));
    if (pd->npartials > 0)
        pd->partial_offset = prim__pd_book_scratchpad(base, 4 * (size_t)pd->npartials);
    PREFER_OTHER_UNLESS(base, !pd->code.src_depth_runs,
            "diff_dst is NHWC, for which this variant has not been timed");
    PREFER_OTHER_UNLESS(base, device->has_dedicated_local && pd->code.copies_async,
            "the device has no local memory of its own, or no asynchronous copies (`cp.async`)");
    return prefer_cleared(pd, base);
}

// ---- Execution ---------------------------------------------------------------------------------

static void add_options(ocl_options_t *options, const conv_pd_t *pd)
{
    prim__ocl_options_init(options);
    prim__ocl_options_type(options, "SRC", PRIM_F32);
    prim__ocl_options_weights(options, &pd->base);
    prim__ocl_options_type(options, "DST", PRIM_F32);
    prim__ocl_options_int(options, "HAS_QUANT", 0);
    prim__ocl_conv_igemm_options(options, &pd->plan, &pd->code, prim__ocl_device(pd->base.engine));
    prim__ocl_post_ops_options(options, &pd->base, true);
}

typedef struct {
    const conv_pd_t *pd;
    ocl_conv_igemm_step_t *next;
} steps_t;

static void list_steps(void *to, const phase_t *phase)
{
    steps_t *const steps = to;
    if (phase->ntaps == 0) return;
    prim__ocl_conv_igemm_list_depth(steps->next, &phase->shape, steps->pd->dst, phase->wei);
    steps->next += phase->shape.ic * phase->ntaps;
}

/// The tables of K, one after the other; one unused entry where there are none.
static prim_status_t add_depth(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const size_t bytes = (size_t)prim__max(pd->nsteps, 1) * sizeof(ocl_conv_igemm_step_t);
    ocl_conv_igemm_step_t *const table = prim__calloc(bytes);
    if (!table) return prim__fail_memory(bytes);
    steps_t steps = {.pd = pd, .next = table};
    if (pd->nsteps > 0) for_phases(pd, list_steps, &steps);
    const prim_status_t st = prim__ocl_primitive_add_data(p, table, bytes);
    prim__free(table);
    return st;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options;
    add_options(&options, pd);
    TRY(prim__ocl_conv_igemm_add(p, &options, &pd->plan));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_igemm_sum_cl, &options, "conv_igemm_sum"));
    TRY(add_depth(p, pd));
    TRY(prim__ocl_primitive_add_data(p, pd->phases, (size_t)pd->nphases * sizeof *pd->phases));
    return pd->copies_weights ? prim__ocl_conv_swap_channels_init(p, &pd->copy) : PRIM_SUCCESS;
}

static void add_partial(ocl_args_t *args, const exec_ctx_t *ctx, const conv_pd_t *pd)
{
    if (pd->npartials > 0)
        prim__ocl_args_scratchpad(args, ctx, pd->partial_offset, sizeof(float));
    else
        prim__ocl_args_nothing(args);
}

static prim_status_t multiply(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[SIZES]);
    prim__ocl_args_buffer(&args, p->data[DEPTH]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    if (pd->copies_weights)
        prim__ocl_args_scratchpad(&args, ctx, pd->copy_offset, sizeof(float));
    else
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_nothing(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    add_partial(&args, ctx, pd);
    const size_t nitems = (size_t)pd->plan.nitems;
    const ocl_range_t range = prim__ocl_range_3d(
            pd->ntiles * pd->plan.nitems, pd->nsplits, pd->nphases, nitems, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[CONV], &range, &args);
}

static prim_status_t sum(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    enum { ITEMS = 256 };
    const conv_pd_t *const pd = (const conv_pd_t *)p->base.pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[SIZES]);
    add_partial(&args, ctx, pd);
    prim__ocl_args_nothing(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    const ocl_range_t range = prim__ocl_range_3d(pd->nelements, 1, pd->nphases, ITEMS, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[SUM], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    if (pd->copies_weights)
        TRY(prim__ocl_conv_swap_channels(p, ctx, TRANSPOSE, TRANSPOSES, pd->copy_offset));
    TRY(multiply(p, ctx));
    return pd->npartials > 0 ? sum(p, ctx) : PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_backward_data_phases = {
        .name = "ocl:conv:backward_data_phases",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
