// SPDX-License-Identifier: Apache-2.0
// Elements of transposing reorders: loop x is contiguous in src, loop y in dst.
// -D: those of clh/convert.h, WITH_TAILS (some dimension has padding).
#ifndef CLH_TRANSPOSE_H
#define CLH_TRANSPOSE_H

#include "clh/convert.h"
#include "clh/nest.h"

// What an element of the piece is: 2 comes from src, 1 becomes 0, 0 is not written.
static inline int place_kind(__constant const ocl_nest_t *nest, const nest_at_t *at, long x, long y)
{
    int kind = 2;
    for (int k = 0; WITH_TAILS && k < NEST_TAILS; ++k) {
        const long tail = at->tails[k] + x * nest->multipliers[k][NEST_ROW]
                + y * nest->multipliers[k][NEST_INNER];
        if (tail >= nest->limits[k]) kind = min(kind, nest->is_in_dst[k]);
    }
    return kind;
}

static inline void move_one(__constant const ocl_nest_t *nest, const nest_at_t *at,
        __global DST_T *dst, __global const SRC_T *src, long x, long y, convert_t convert)
{
    const int kind = place_kind(nest, at, x, y);
    if (kind == 2) convert_one(dst, src, convert);
    if (kind == 1) DST_STORE(dst, 0, 0.0f);
}

#endif
