// SPDX-License-Identifier: Apache-2.0
// The post-ops of windows that are adjacent in a row of dst.
//
//     x = APPLY_POST_OPS(nspatial, x, at, count, off);    // `at`: int[5]; in a kernel with post_ops_t po, data, dst
// -D: DST, VEC, those of clh/post_ops.h.
#ifndef CLH_POOL_ROW_CHAIN_H
#define CLH_POOL_ROW_CHAIN_H

#include "clh/pool.h"
#include "clh/post_ops.h"

#if WITH_POST_OPS
#define APPLY_POST_OPS(nspatial, x, at, count, off) apply_post_ops(&po, nspatial, x, at, count, dst, off)

// `at`: n, c, d, h, w of the first element.
static floatv apply_post_ops(const post_ops_t *po, int nspatial, floatv x, const int *at, int count,
        __global DST_T *dst, long off)
{
    long pos[MAX_NDIMS];
    pos[0] = at[0];
    pos[1] = at[1];
    for (int d = 2; d < 2 + nspatial; ++d) pos[d] = at[d + 3 - nspatial];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < count; ++i) {
        pos[1 + nspatial] = at[4] + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define APPLY_POST_OPS(nspatial, x, at, count, off) (x)
#endif

#endif
