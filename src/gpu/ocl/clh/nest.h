// SPDX-License-Identifier: Apache-2.0
// Loop nests of element-wise kernels (clh/shared/nest_data.h): the position of a work-item.
#ifndef CLH_NEST_H
#define CLH_NEST_H

#include "clh/shared/nest_data.h"
#include "clh/types.h"

// Where the outer loops stand: offsets of the tensors, indices along the tails.
typedef struct {
    long offs[NEST_TENSORS];
    long tails[NEST_TAILS];
} nest_at_t;

// `index` counts over the loops before NEST_ROW, row-major.
static inline nest_at_t nest_at(__constant const ocl_nest_t *nest, long index)
{
    nest_at_t at = {{0, 0, 0, 0}, {0, 0}};
    for (int l = NEST_ROW - 1; l >= nest->first_loop; --l) {
        // What remains for the outermost loop is its index.
        const long quotient = l > nest->first_loop ? div_long(index, nest->extents[l]) : 0;
        const long i = index - quotient * nest->extents[l];
        for (int t = 0; t < NEST_TENSORS; ++t) at.offs[t] += i * nest->strides[t][l];
        for (int k = 0; k < NEST_TAILS; ++k) at.tails[k] += i * nest->multipliers[k][l];
        index = quotient;
    }
    return at;
}

// A work-item's piece where the two innermost loops are cut into chunks_x × chunks_y pieces: which chunk of each, and
// the index over the loops outside (nest_at()).
typedef struct {
    long outer, x, y;
} nest_piece_t;

static inline nest_piece_t nest_piece(long item, long chunks_x, long chunks_y)
{
    const long rows = div_long(item, chunks_x), outer = div_long(rows, chunks_y);
    const nest_piece_t piece = {outer, item - rows * chunks_x, rows - outer * chunks_y};
    return piece;
}

#endif
