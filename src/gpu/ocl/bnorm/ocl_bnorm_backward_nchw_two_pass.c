// SPDX-License-Identifier: Apache-2.0
// Gradients of batch normalisation of NCHW: sums of planes, or pieces of them, then diff_src in the
// opposite order.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_bnorm_backward.h"

extern const ocl_source_t prim__ocl_bnorm_backward_nchw_two_pass_cl;
extern const impl_t prim__ocl_bnorm_backward_nchw_two_pass;

enum {
    GROUP_ITEMS = 256,
    CPU_GROUP_ITEMS = 8,
    MIN_ROW_ITEMS = 4,
    MOST_PIECE = 1 << 18, ///< elements: no chain of additions grows long
    ITEM_VECTORS = 4,     ///< of a piece, at least
};

typedef struct {
    bnorm_backward_pd_t backward;
    int row_items, group_items;
} nchw_pd_t;

_Static_assert(offsetof(nchw_pd_t, backward) == 0, "the base comes first");

/// Work-items of a piece: enough to take it in a few steps, of vectors where all planes are
/// aligned.
static int choose_row_items(const nchw_pd_t *pd)
{
    const ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const int unit = data->spatial % pd->backward.vec == 0 ? pd->backward.vec : 1;
    int row_items = MIN_ROW_ITEMS;
    while (row_items < pd->group_items && row_items * unit * ITEM_VECTORS < data->spatial)
        row_items *= 2;
    return row_items;
}

/// Pieces that give every compute unit work, of whole vectors.
static void choose_pieces(nchw_pd_t *pd, const ocl_device_t *device)
{
    ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const int64_t nplanes = (int64_t)data->batch * data->src.channels;
    // So many hide the latency of loads.
    const int64_t unit_items =
            prim__ocl_measured_int(device, MEASURED_BNORM_BACKWARD_NCHW_UNIT_ITEMS, 2048);
    const int64_t wanted = device->is_cpu
                                   ? prim__ocl_estimate_core_items(device)
                                   : unit_items * prim__ocl_estimate_units(device) / pd->row_items;
    const int64_t least = (int64_t)pd->row_items * pd->backward.vec * 2 * ITEM_VECTORS;
    int64_t piece = prim__ceil_div(data->spatial, prim__ceil_div(wanted, nplanes));
    if (piece < least) piece = least;
    if (piece > MOST_PIECE) piece = MOST_PIECE;
    piece = prim__round_up(piece, pd->backward.vec);
    data->piece_elems = piece < data->spatial ? (int32_t)piece : data->spatial;
    data->npieces = prim__ocl_bnorm_parts(data->spatial, data->piece_elems);
    data->nchunks = data->batch * data->npieces;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    nchw_pd_t *const pd = (nchw_pd_t *)base;
    const ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    const bnorm_backward_pd_t *const b = &pd->backward;
    TRY(prim__ocl_bnorm_backward_require(base));
    REQUIRE(base,
            prim__ocl_bnorm_is_nchw(&data->src, b->src_step, data->spatial) &&
                    prim__ocl_bnorm_is_nchw(&data->diff_dst, b->diff_dst_step, data->spatial) &&
                    prim__ocl_bnorm_is_nchw(&data->diff_src, b->diff_src_step, data->spatial),
            "src, diff_dst or diff_src is not NCHW with contiguous planes");
    REQUIRE(base,
            !prim__pd_has(base, PRIM_ARG_WORKSPACE) ||
                    prim__ocl_bnorm_is_nchw(&data->ws, b->ws_step, data->spatial),
            "the workspace is not NCHW with contiguous planes");
    PREFER_OTHER_UNLESS(base, data->spatial >= 4, "a plane has %d elements, fewer than a vector",
            (int)data->spatial);
    pd->group_items = device->is_cpu ? CPU_GROUP_ITEMS : GROUP_ITEMS;
    while ((size_t)pd->group_items > device->max_group_items) pd->group_items /= 2;
    pd->row_items = device->is_cpu ? 1 : choose_row_items(pd);
    choose_pieces(pd, device);
    const int64_t nrows = (int64_t)data->nchunks * data->src.channels;
    REQUIRE(base, nrows <= OCL_I32_ELEMS - GROUP_ITEMS && data->nchunks <= OCL_LONGEST_SUM,
            "%lld pieces of planes: more than 32-bit indices or sums in f32 take",
            (long long)nrows);
    prim__ocl_bnorm_backward_book(&pd->backward);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const nchw_pd_t *const pd = (const nchw_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_bnorm_backward_options(&options, &pd->backward);
    prim__ocl_options_int(&options, "ROW_ITEMS", pd->row_items);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_lane_shuffle(&options, primitive->pd->engine);
    return prim__ocl_bnorm_backward_init(primitive, &prim__ocl_bnorm_backward_nchw_two_pass_cl,
            &options, "bnorm_backward_nchw_sums", "bnorm_backward_nchw_apply");
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const nchw_pd_t *const pd = (const nchw_pd_t *)primitive->pd;
    const ocl_bnorm_backward_data_t *const data = &pd->backward.data;
    const int64_t nrows = (int64_t)data->batch * data->npieces * data->src.channels;
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ceil_div(nrows * pd->row_items, pd->group_items), (size_t)pd->group_items);
    return prim__ocl_bnorm_backward_execute(primitive, ctx, &range, &range);
}

const impl_t prim__ocl_bnorm_backward_nchw_two_pass = {
        .name = "ocl:bnorm:backward_nchw_two_pass",
        .pd_size = sizeof(nchw_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
