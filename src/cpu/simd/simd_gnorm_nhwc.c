// SPDX-License-Identifier: Apache-2.0
// Tiles of channels-last images.
#include "simd_gnorm_nhwc.h"

#include <string.h>

#include "common/int_math.h"

/// Rows of a slice: sums in f32 have so many terms for each pixel of a row. Beyond LEAST_ROWS an
/// image has NSLICES at least.
enum { LEAST_ROWS = 32, MOST_ROWS = 64, NSLICES = 32 };

/// Whether dimension `dim`, if it has more than one element, has this stride. Moves on to the next.
static bool has_stride(const prim_memory_desc_t *md, int dim, prim_dim_t *stride)
{
    const bool is_right = md->dims[dim] == 1 || md->strides[dim] == *stride;
    *stride *= md->dims[dim];
    return is_right;
}

static bool is_channels_last(const prim_memory_desc_t *md)
{
    prim_dim_t stride = 1;
    if (!prim__md_is_plain(md) || prim__md_is_padded(md)) return false;
    if (!has_stride(md, 1, &stride)) return false;
    for (int d = md->ndims - 1; d >= 2; --d)
        if (!has_stride(md, d, &stride)) return false;
    return has_stride(md, 0, &stride);
}

static prim_status_t require_layout(prim_desc_t *pd, const prim_memory_desc_t *md)
{
    REQUIRE(pd, prim__simd_takes_type(md->data_type),
            "a tensor of src's shape is not f32, f16, bf16, s8 or u8");
    REQUIRE(pd, !prim__md_has_runtime(md), "a dimension is known only at execution");
    REQUIRE(pd, !prim__md_is_empty(md), "a tensor has no elements");
    REQUIRE(pd, is_channels_last(md), "a tensor of src's shape is not channels-last");
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_gnorm_nhwc_init_pd(
        simd_gnorm_nhwc_t *nhwc, prim_desc_t *pd, const int *args, int nargs)
{
    for (int i = 0; i < nargs; ++i) TRY(require_layout(pd, prim__pd_md(pd, args[i])));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_dim_t nchannels = src->dims[1], ngroups = pd->op.u.norm.groups;
    *nhwc = (simd_gnorm_nhwc_t){.batch = src->dims[0],
            .nchannels = nchannels,
            .ngroups = ngroups,
            .group_channels = nchannels / ngroups,
            .image_elems = prim__md_nelems(src) / src->dims[0],
            .row_elems = nchannels * prim__max(SIMD_ROW / nchannels, 1)};
    const prim_dim_t nrows = prim__ceil_div(nhwc->image_elems, nhwc->row_elems);
    const prim_dim_t share = prim__max(prim__ceil_div(nrows, NSLICES), LEAST_ROWS);
    nhwc->slice_elems = nhwc->row_elems * prim__min(share, MOST_ROWS);
    nhwc->nslices = prim__ceil_div(nhwc->image_elems, nhwc->slice_elems);
    nhwc->nblocks = prim__ceil_div(nhwc->row_elems, SIMD_ROW);
    return PRIM_SUCCESS;
}

prim_dim_t prim__simd_gnorm_nhwc_ntiles(const simd_gnorm_nhwc_t *nhwc)
{
    return nhwc->batch * nhwc->nslices * nhwc->nblocks;
}

prim_dim_t prim__simd_gnorm_nhwc_pixels(const simd_gnorm_nhwc_t *nhwc, prim_dim_t slice)
{
    const prim_dim_t left = nhwc->image_elems - slice * nhwc->slice_elems;
    return prim__min(left, nhwc->slice_elems) / nhwc->nchannels;
}

simd_gnorm_tile_t prim__simd_gnorm_nhwc_tile(const simd_gnorm_nhwc_t *nhwc, prim_dim_t index)
{
    const prim_dim_t block = index % nhwc->nblocks, slice = index / nhwc->nblocks % nhwc->nslices;
    simd_gnorm_tile_t tile = {.image = index / nhwc->nblocks / nhwc->nslices,
            .slice = slice,
            .npixels = prim__simd_gnorm_nhwc_pixels(nhwc, slice),
            .channel = block * SIMD_ROW};
    const prim_dim_t begin = tile.image * nhwc->image_elems + slice * nhwc->slice_elems;
    tile.first = begin + tile.channel;
    tile.past = begin + tile.npixels * nhwc->nchannels;
    tile.width = prim__min(nhwc->row_elems - tile.channel, SIMD_ROW);
    tile.nchannels = prim__min(nhwc->nchannels - tile.channel, SIMD_ROW);
    return tile;
}

void prim__simd_gnorm_tile_repeat(float *row, const simd_gnorm_tile_t *tile, const float *values)
{
    for (prim_dim_t i = 0; i < tile->width; i += tile->nchannels)
        memcpy(row + i, values, (size_t)tile->nchannels * sizeof *row);
}

void prim__simd_gnorm_tile_fold(
        const simd_columns_code_t *code, const simd_gnorm_tile_t *tile, float *sums)
{
    for (prim_dim_t i = tile->nchannels; i < tile->width; i += tile->nchannels)
        code->add(sums, sums + i, tile->nchannels);
}
