// SPDX-License-Identifier: Apache-2.0
// Group normalisation of contiguous NHWC: a work-group has a run of positions of an image, and of each position a
// block of data->columns vectors of VEC channels. Its work-items are cut into data->nrows rows of so many; a row has
// every data->nrows-th position. What is left of the work-items is idle.
// -D: GROUP_ITEMS; VEC; SRC (prim__ocl_options_type()); SIZES_BY_VALUE, see clh/channels.h.
#ifndef CLH_GNORM_NHWC_H
#define CLH_GNORM_NHWC_H

#if !defined(GROUP_ITEMS) || !defined(SRC_DT)
#error "clh/gnorm_nhwc.h needs GROUP_ITEMS, SRC"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/norm.h"
#include "clh/nv/nv_global.h"
#include "clh/shared/gnorm_nhwc_data.h"
#include "clh/vec.h"

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"

// The part of a work-item.
typedef struct {
    int n, piece;         // image, run of positions
    int begin, end, row;  // positions of the work-group; row of the work-item
    int first_channel;    // of the block
    int column, channel;  // of the block; the first channel of its vector
    bool is_idle;
} part_t;

// Work-group `index` of those that have `size` positions of an image.
static inline part_t part_of(SIZES_SPACE const ocl_gnorm_nhwc_data_t *data, int index, int size, int npieces)
{
    part_t part;
    const int id = (int)get_local_id(0), block = take_digit(&index, data->nblocks);
    part.piece = take_digit(&index, npieces);
    part.n = index;
    part.begin = part.piece * size;
    part.end = min(part.begin + size, data->spatial);
    part.row = id / data->columns;
    part.column = id - part.row * data->columns;
    part.first_channel = block * data->columns * VEC;
    const int v = block * data->columns + part.column;
    part.is_idle = part.row >= data->nrows || v >= data->nvecs;
    part.channel = min(v, data->nvecs - 1) * VEC;
    return part;
}

// The first of the work-item's elements at a position.
static inline long elem_at(SIZES_SPACE const ocl_gnorm_nhwc_data_t *data, const part_t *part, int position)
{
    return ((long)part->n * data->spatial + position) * data->channels + part->channel;
}

// The sum over the rows of a work-group, for all work-items. `scratch`: a vector for each of them.
ALWAYS_INLINE floatv sum_rows(
        floatv x, SIZES_SPACE const ocl_gnorm_nhwc_data_t *data, const part_t *part, __local float *scratch)
{
    const int nrows = data->nrows;
    __local float *own = scratch + (int)get_local_id(0) * VEC;
    int half_rows = 1;
    while (2 * half_rows < nrows) half_rows *= 2;
    vstorev(x, own);
    for (; half_rows > 0; half_rows /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part->row < half_rows && part->row + half_rows < nrows) {
            x += vloadv(own + half_rows * data->columns * VEC);
            vstorev(x, own);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x = vloadv(scratch + part->column * VEC);
    barrier(CLK_LOCAL_MEM_FENCE);
    return x;
}

// The sums over a work-group of both, as pairs: to[n][slice][channel]. All work-items call.
ALWAYS_INLINE void store_partials(__global float2 *to, floatv first, floatv second,
        SIZES_SPACE const ocl_gnorm_nhwc_data_t *data, const part_t *part, __local float *scratch)
{
    first = sum_rows(first, data, part, scratch);
    second = sum_rows(second, data, part, scratch);
    if (part->row > 0 || part->is_idle) return;
    float firsts[VEC], seconds[VEC];
    vstorev(first, firsts);
    vstorev(second, seconds);
    to += ((long)part->n * data->nslices + part->piece) * data->channels + part->channel;
    for (int k = 0; k < VEC; ++k) to[k] = (float2)(firsts[k], seconds[k]);
}

#endif
