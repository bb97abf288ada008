// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor: the elements along one dimension, `axis`. Row numbers count the padded positions of
// all other dimensions, row-major.
#ifndef CLH_MD_ROW_H
#define CLH_MD_ROW_H

#include "clh/io.h"
#include "clh/md.h"

// The padded position where row number `row` starts: index 0 along the axis.
static inline void md_row_position(long *pos, __constant const ocl_md_t *md, int axis, long row)
{
    for (int d = md->ndims - 1; d >= 0; --d) {
        pos[d] = 0;
        if (d == axis) continue;
        const long quotient = div_long(row, md->padded_dims[d]);
        pos[d] = row - quotient * md->padded_dims[d];
        row = quotient;
    }
}

// Stores zeros from padded index `first` along the axis to the end of the row at padded position `row`.
// `off` is the tensor's first element.
static inline void md_row_clear(__global void *data, long off, __constant const ocl_md_t *md,
        const long *row, int axis, long first)
{
    long pos[MAX_NDIMS];
    for (int d = 0; d < md->ndims; ++d) pos[d] = row[d];
    for (pos[axis] = first; pos[axis] < md->padded_dims[axis]; ++pos[axis])
        store_any(data, off + md_offset_padded(md, pos), md->dt, 0.0f);
}

#endif
