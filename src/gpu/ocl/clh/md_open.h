// SPDX-License-Identifier: Apache-2.0
// Tensors and settings whose dimensions and strides may come at execution: the caller has those.
#ifndef CLH_MD_OPEN_H
#define CLH_MD_OPEN_H

#include "clh/shared/md_open_data.h"
#include "clh/types.h"

// The position of the block that holds the element at `pos`, and the element's offset inside it. The element lies at
// this offset + Σ outer[d]·strides[d].
static inline long md_open_split(long *outer, __constant const ocl_md_open_t *md, int ndims, const long *pos)
{
    long offset = 0, block_stride = 1;
    for (int d = 0; d < ndims; ++d) outer[d] = pos[d] + md->padded_offsets[d];
    for (int b = md->nblks - 1; b >= 0; --b) {
        const int d = md->idxs[b];
        const long blk = md->blks[b];
        const long quotient = div_long(outer[d], blk);
        offset += (outer[d] - quotient * blk) * block_stride;
        block_stride *= blk;
        outer[d] = quotient;
    }
    return offset;
}

// The number of the value for `pos`: row-major over the masked dimensions of a tensor, groups counting as one index.
static inline long quant_open_index(
        __constant const ocl_quant_open_t *setting, int ndims, const long *dims, const long *pos)
{
    long index = 0;
    for (int d = 0; d < ndims; ++d) {
        if (!(setting->mask >> d & 1)) continue;
        const long group = d < ndims - 2 ? 1 : setting->groups[d - (ndims - 2)];
        index = index * div_long(dims[d] + group - 1, group) + div_long(pos[d], group);
    }
    return index;
}

// Whether a position is one of the `ndims` dimensions, not of their padding.
static inline bool md_open_is_inside(const long *pos, const long *dims, int ndims)
{
    bool is_inside = true;
    for (int d = 0; d < ndims; ++d) is_inside = is_inside && pos[d] >= 0 && pos[d] < dims[d];
    return is_inside;
}

#endif
