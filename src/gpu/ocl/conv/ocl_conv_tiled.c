// SPDX-License-Identifier: Apache-2.0
// Convolution on GPUs, any layout: an implicit matrix product in local and register tiles, with
// tables of offsets.
#include "common/alloc.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_tiled_data.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_tiled_cl;
extern const impl_t prim__ocl_conv_tiled;

/// A group's tile of channels × pixels, and a work-item's.
typedef struct {
    int bm, bn, tm, tn;
} tile_t;

enum { BK = 16, NTILES = 3 };

static const tile_t tiles[NTILES] = {{128, 128, 8, 8}, {64, 64, 4, 4}, {32, 32, 4, 4}};

typedef struct {
    prim_desc_t base;
    conv_shape_t shape;
    tile_t tile;
    bool src_depth_runs, wei_channels_run, dst_channels_run, channels_lead;
    prim_dim_t oc_padded, ntiles_m;
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Offsets must be sums of one term for the channel and linear ones for the rest.
static prim_status_t require_data(
        prim_desc_t *pd, const prim_memory_desc_t *md, prim_dim_t channels)
{
    prim_dim_t block = 1;
    for (int i = 0; i < md->inner_nblks; ++i) {
        REQUIRE(pd, md->inner_idxs[i] == 1,
                "src or dst is blocked along another dimension than the channels");
        block *= md->inner_blks[i];
    }
    REQUIRE(pd, channels % block == 0,
            "%lld channels per group: a block of %lld would span two groups", (long long)channels,
            (long long)block);
    for (int d = 0; d < md->ndims; ++d)
        REQUIRE(pd, md->padded_offsets[d] == 0,
                "src or dst is a view whose first element lies behind padding");
    return PRIM_SUCCESS;
}

static prim_status_t require_weights(prim_desc_t *pd, const conv_shape_t *s)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    for (int i = 0; i < wei->inner_nblks && s->has_groups; ++i)
        REQUIRE(pd, wei->inner_idxs[i] != 0, "weights are blocked along the groups");
    for (int d = 0; d < wei->ndims; ++d)
        REQUIRE(pd, wei->padded_offsets[d] == 0,
                "weights are a view whose first element lies behind padding");
    return PRIM_SUCCESS;
}

static size_t local_bytes_of(const tile_t *t)
{
    return 4 * (size_t)(BK * (t->bm + t->bn + 8) + 4 * t->bn);
}

static bool fits(const tile_t *t, const ocl_device_t *device)
{
    const size_t nitems = (size_t)(t->bm / t->tm * (t->bn / t->tn));
    return nitems <= device->max_group_items && nitems <= device->max_group_item_sizes[0] &&
           local_bytes_of(t) <= device->local_bytes;
}

/// The largest tile that gives every compute unit a group, else the one with the most groups; −1:
/// none fits.
static int estimate_tile(const conv_pd_t *pd, const ocl_device_t *device)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dim_t npixels = s->mb * prim__conv_out_elems(s);
    int found = -1;
    for (int i = 0; i < NTILES; ++i) {
        const tile_t *const t = &tiles[i];
        if (!fits(t, device)) continue;
        found = i;
        const prim_dim_t ngroups =
                prim__ceil_div(npixels, t->bn) * s->g * prim__ceil_div(pd->oc_padded, t->bm);
        if (ngroups >= device->compute_units) break;
    }
    return found;
}

static prim_status_t choose_tile(conv_pd_t *pd, const ocl_device_t *device)
{
    const int estimated = estimate_tile(pd, device);
    REQUIRE(&pd->base, estimated >= 0,
            "no tile fits the work-groups and the local memory of the device");
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &pd->base, "bm bn tm tn");
    for (int i = 0; i < NTILES; ++i) {
        const tile_t *const t = &tiles[i];
        const ocl_tune_params_t params = {{t->bm, t->bn, t->tm, t->tn}};
        if (fits(t, device) && prim__ocl_tune_offer(&tune, i != estimated, params)) pd->tile = *t;
    }
    pd->ntiles_m = prim__ceil_div(pd->oc_padded, pd->tile.bm);
    return PRIM_SUCCESS;
}

/// Whether neighbours along a dimension of a plain layout are neighbours in memory.
static bool runs(const prim_memory_desc_t *md, int dim)
{
    return md->inner_nblks ? md->inner_idxs[md->inner_nblks - 1] == dim : md->strides[dim] == 1;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t *const s = &pd->shape;
    prim__conv_shape(s, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__ocl_conv_require_typed(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, s));
    TRY(prim__ocl_conv_set_outputs_last(base, s));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(base, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    TRY(require_data(base, src, s->g == 1 ? 0 : s->ic));
    TRY(require_data(base, dst, s->g == 1 ? 0 : s->oc));
    TRY(require_weights(base, s));
    REQUIRE(base, prim__ocl_fits_i32(base),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    REQUIRE(base, s->mb * prim__conv_out_elems(s) < INT32_MAX - 128,
            "dst has 2^31 pixels or more (N·OD·OH·OW)");
    REQUIRE(base, !prim__md_is_empty(src) && !prim__md_is_empty(dst), "a tensor has no elements");
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    pd->oc_padded = s->oc + dst->padded_dims[1] - dst->dims[1];
    pd->src_depth_runs = runs(src, 1) && s->ic > 1;
    pd->wei_channels_run = runs(wei, s->has_groups);
    pd->dst_channels_run = runs(dst, 1);
    pd->channels_lead = !pd->src_depth_runs && runs(wei, wei->ndims - 1);
    TRY(choose_tile(pd, device));
    PREFER_OTHER_UNLESS(base, device->has_dedicated_local,
            "local memory of the device is ordinary memory: copying tiles there gains nothing");
    return PRIM_SUCCESS;
}

/// Offset of a position less that of the tensor's start.
static int32_t offset_of(const prim_memory_desc_t *md, const prim_dim_t *position)
{
    return (int32_t)(prim__md_offset_padded(md, position) - md->offset0);
}

/// Table entry for one input channel and tap.
static ocl_conv_tiled_step_t depth_entry(const conv_pd_t *pd, prim_dim_t c, prim_dim_t tap)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    prim_dims_t src_pos = {0, c}, wei_pos = {0};
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, src);
    ocl_conv_tiled_step_t entry = {0};
    wei_pos[s->has_groups + 1] = c;
    entry.src_off = offset_of(src, src_pos);
    for (int d = CONV_W; d >= CONV_D; --d) {
        const prim_dim_t k = tap % s->kernel[d];
        tap /= s->kernel[d];
        entry.at[d] = (int32_t)(k * s->dilation[d]);
        entry.src_off += (int32_t)(entry.at[d] * strides[2 + d]);
        const int dim = d - (CONV_NSPATIAL - s->nspatial);
        if (dim >= 0) wei_pos[s->has_groups + 2 + dim] = k;
    }
    entry.wei_off = offset_of(wei, wei_pos);
    return entry;
}

static prim_status_t add_depth(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const prim_dim_t ic = pd->shape.ic, ntaps = prim__conv_taps(&pd->shape);
    const size_t bytes = (size_t)(ic * ntaps) * sizeof(ocl_conv_tiled_step_t);
    ocl_conv_tiled_step_t *const table = prim__calloc(bytes);
    if (!table) return prim__fail_memory(bytes);
    for (prim_dim_t c = 0; c < ic; ++c) {
        for (prim_dim_t tap = 0; tap < ntaps; ++tap)
            table[pd->channels_lead ? c * ntaps + tap : tap * ic + c] = depth_entry(pd, c, tap);
    }
    const prim_status_t st = prim__ocl_primitive_add_data(p, table, bytes);
    prim__free(table);
    return st;
}

static prim_status_t add_channels(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const prim_memory_desc_t *const wei = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    const size_t bytes = (size_t)pd->oc_padded * sizeof(ocl_conv_tiled_channel_t);
    ocl_conv_tiled_channel_t *const table = prim__calloc(bytes);
    if (!table) return prim__fail_memory(bytes);
    for (prim_dim_t o = 0; o < pd->oc_padded; ++o) {
        prim_dims_t wei_pos = {0}, dst_pos = {0, o};
        wei_pos[pd->shape.has_groups] = o < pd->shape.oc ? o : 0;
        table[o].wei_off = offset_of(wei, wei_pos);
        table[o].dst_off = offset_of(dst, dst_pos);
    }
    const prim_status_t st = prim__ocl_primitive_add_data(p, table, bytes);
    prim__free(table);
    return st;
}

static prim_status_t add_sizes(ocl_primitive_t *p, const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_dims_t next_src = {0, s->ic}, next_wei = {1}, next_dst = {0, s->oc};
    ocl_conv_tiled_data_t data = {.geo = prim__ocl_conv_geo(&pd->base, false, false),
            .npixels = (int32_t)(s->mb * prim__conv_out_elems(s)),
            .ndepth = (int32_t)(s->ic * prim__conv_taps(s)),
            .ntiles_m = (int32_t)pd->ntiles_m,
            .quant = prim__ocl_conv_quant(&pd->base)};
    // The distance of groups; with one group nothing looks at it.
    if (s->g > 1) {
        data.geo.src_c = offset_of(prim__pd_md(&pd->base, PRIM_ARG_SRC), next_src);
        data.geo.dst_c = offset_of(prim__pd_md(&pd->base, PRIM_ARG_DST), next_dst);
        data.wei_g = offset_of(prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), next_wei);
    }
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, &pd->base);
    prim__ocl_options_int(&options, "BM", pd->tile.bm);
    prim__ocl_options_int(&options, "BN", pd->tile.bn);
    prim__ocl_options_int(&options, "BK", BK);
    prim__ocl_options_int(&options, "TM", pd->tile.tm);
    prim__ocl_options_int(&options, "TN", pd->tile.tn);
    prim__ocl_options_int(&options, "SRC_DEPTH_RUNS", pd->src_depth_runs);
    prim__ocl_options_int(&options, "WEI_CHANNELS_RUN", pd->wei_channels_run);
    prim__ocl_options_int(&options, "DST_CHANNELS_RUN", pd->dst_channels_run);
    prim__ocl_options_int(&options, "SUM_INT", prim__ocl_conv_sums_integers(&pd->base));
    prim__ocl_options_int(&options, "IS_EXACT", prim__ocl_conv_is_exact(&pd->base));
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_tiled_cl, &options, "conv_tiled"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(&pd->tile));
    TRY(add_sizes(p, pd));
    TRY(add_depth(p, pd));
    TRY(add_channels(p, pd));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    const tile_t *const t = &pd->tile;
    ocl_args_t args;
    prim__ocl_conv_args(&args, p, ctx, NULL);
    prim__ocl_conv_args_quant(&args, ctx, &pd->base);
    prim__ocl_args_post_ops(&args, ctx, p);
    const size_t nitems = (size_t)(t->bm / t->tm * (t->bn / t->tn));
    const prim_dim_t ngroups = prim__ceil_div(s->mb * prim__conv_out_elems(s), t->bn);
    const ocl_range_t range =
            prim__ocl_range_3d(ngroups * (prim_dim_t)nitems, s->g * pd->ntiles_m, 1, nitems, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_conv_tiled = {
        .name = "ocl:conv:tiled",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
