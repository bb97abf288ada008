// SPDX-License-Identifier: Apache-2.0
// Layout of tiles for matrix units in local memory: chunks of 16 bytes, swizzled by the
// row, so that the 8 rows of a matrix that are read at once lie in different banks:
//   along k:  [row or column][128 bytes of k]: chunk c of row r is stored at c ^ (r & 7)
//   across k: [k][MMA_ACROSS_BYTES of columns]: chunk c of step p is stored at c ^ (p & 7); rows likewise, with
//             MMA_ROWS_ACROSS_BYTES
// Tiles start at multiples of 1024 bytes; PTX's swizzle of 128 bytes is the same.
// -D: MMA_ACROSS_BYTES, a multiple of 128 (used where weights are contiguous along n); MMA_ROWS_ACROSS_BYTES, where
// src is contiguous along m.
#ifndef CLH_MMA_TILE_H
#define CLH_MMA_TILE_H

#ifndef MMA_ACROSS_BYTES
#error "clh/mma_tile.h needs MMA_ACROSS_BYTES"
#endif

#define MMA_ROW_BYTES 128

static inline int mma_place(int row, int chunk)
{
    return row * MMA_ROW_BYTES + ((chunk ^ (row & 7)) << 4);
}

static inline int mma_place_across(int step, int chunk)
{
    return step * MMA_ACROSS_BYTES + ((chunk ^ (step & 7)) << 4);
}

#ifdef MMA_ROWS_ACROSS_BYTES
static inline int mma_place_rows_across(int step, int chunk)
{
    return step * MMA_ROWS_ACROSS_BYTES + ((chunk ^ (step & 7)) << 4);
}
#endif

#endif
