// SPDX-License-Identifier: Apache-2.0
// Memory descriptors on the device: positions from indices, element offsets from positions, 64-bit.
//
// A generic kernel gets them inside its constant data:
//     #include "clh/shared/my_data.h"         // typedef struct { ocl_md_t src, dst; } my_data_t;
//     __kernel void my_any(__constant my_data_t *data, __global const void *src, long src_off, …)
//         long pos[MAX_NDIMS];
//         md_position(pos, &data->dst, get_global_id(0));
//         … load_any(src, src_off + md_offset(&data->src, pos), data->src.dt) …
// Offsets count elements from the tensor's `long` argument, which holds offset0 already.
//
// Blocked outputs: run over nelems_padded with md_position_padded(), and where md_is_inside() is
// false store 0 at md_offset_padded().
//
// Typed variants may fix what all descriptors of the program (operands of post-ops included) have
// in common: -DMD_NDIMS=4 the rank, so that loops unroll and positions stay in registers;
// -DMD_IS_PLAIN=1 no inner blocks and no padding.
#ifndef CLH_MD_H
#define CLH_MD_H

#include "clh/shared/md_data.h"
#include "clh/types.h"

#ifdef MD_NDIMS
#define MD_RANK(md) MD_NDIMS
#else
#define MD_RANK(md) (md)->ndims
#endif
#ifndef MD_IS_PLAIN
#define MD_IS_PLAIN 0
#endif

// Splits a row-major index over the logical shape, 0 ≤ index < nelems.
static inline void md_position(long *pos, __constant const ocl_md_t *md, long index)
{
    for (int d = MD_RANK(md) - 1; d >= 0; --d) {
        const long quotient = div_long(index, md->dims[d]);
        pos[d] = index - quotient * md->dims[d];
        index = quotient;
    }
}

// Splits a row-major index over the padded shape, 0 ≤ index < nelems_padded.
static inline void md_position_padded(long *pos, __constant const ocl_md_t *md, long index)
{
    for (int d = MD_RANK(md) - 1; d >= 0; --d) {
        const long quotient = div_long(index, md->padded_dims[d]);
        pos[d] = index - quotient * md->padded_dims[d];
        index = quotient;
    }
}

// Turns a padded position into the logical one, in place; false when it is padding (pos is then of
// no use).
static inline bool md_to_logical(long *pos, __constant const ocl_md_t *md)
{
    bool is_inside = true;
    for (int d = 0; d < MD_RANK(md); ++d) {
        pos[d] -= md->padded_offsets[d];
        is_inside = is_inside && pos[d] >= 0 && pos[d] < md->dims[d];
    }
    return is_inside;
}

// Element offset of a position of the padded shape.
static inline long md_offset_padded(__constant const ocl_md_t *md, const long *padded_pos)
{
    long offset = 0;
    if (MD_IS_PLAIN || md->inner_nblks == 0) {
        for (int d = 0; d < MD_RANK(md); ++d) offset += padded_pos[d] * md->strides[d];
        return offset;
    }
    long outer[MAX_NDIMS];
    for (int d = 0; d < MD_RANK(md); ++d) outer[d] = padded_pos[d];
    long block_stride = 1;
    for (int b = md->inner_nblks - 1; b >= 0; --b) {
        const int d = md->inner_idxs[b];
        const long blk = md->inner_blks[b];
        const long quotient = div_long(outer[d], blk);
        offset += (outer[d] - quotient * blk) * block_stride;
        block_stride *= blk;
        outer[d] = quotient;
    }
    for (int d = 0; d < MD_RANK(md); ++d) offset += outer[d] * md->strides[d];
    return offset;
}

// Element offset of a logical position.
static inline long md_offset(__constant const ocl_md_t *md, const long *pos)
{
    if (MD_IS_PLAIN || !md->is_padded) return md_offset_padded(md, pos);
    long padded[MAX_NDIMS];
    for (int d = 0; d < MD_RANK(md); ++d) padded[d] = pos[d] + md->padded_offsets[d];
    return md_offset_padded(md, padded);
}

// The same where dimensions of 1 are broadcast: their index counts as 0.
static inline long md_offset_broadcast(__constant const ocl_md_t *md, const long *pos)
{
    long own[MAX_NDIMS];
    for (int d = 0; d < MD_RANK(md); ++d) own[d] = md->dims[d] == 1 ? 0 : pos[d];
    return md_offset(md, own);
}

#endif
