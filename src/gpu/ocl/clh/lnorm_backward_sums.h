// SPDX-License-Identifier: Apache-2.0
// What the work-items of a work-group found of the gradients of scale and shift of layer
// normalisation: the work-group has ROWS rows at a time, and a work-item every ROW_ITEMS-th vector
// of VEC elements of one of them, PER_ITEM vectors.
//   first_elem()                           of the work-item in its row; vector k begins k·STEP
//   elements behind it store_partials(to, off, of_scale, of_shift, n, scratch)
//                                          to[off…]: for each work-group two rows of n elements,
//                                          the Σ over the ROWS work-items that have the element;
//                                          `scratch` has GROUP_ITEMS·VEC entries. All work-items
//                                          call
// -D: PER_ITEM, GROUP_ITEMS, ROW_ITEMS: powers of two; VEC.
#ifndef CLH_LNORM_BACKWARD_SUMS_H
#define CLH_LNORM_BACKWARD_SUMS_H

#if !defined(PER_ITEM) || !defined(GROUP_ITEMS) || !defined(ROW_ITEMS)
#error "clh/lnorm_backward_sums.h needs PER_ITEM, GROUP_ITEMS, ROW_ITEMS"
#endif

#include "clh/always_inline.h"
#include "clh/vec.h"

#define ROWS (GROUP_ITEMS / ROW_ITEMS) // of a work-group at a time
#define STEP (ROW_ITEMS * VEC)

static inline int first_elem(void)
{
    return ((int)get_local_id(0) & (ROW_ITEMS - 1)) * VEC;
}

// Adds up the vectors of the rows that the work-group has at a time, and stores those of [n]
// elements.
ALWAYS_INLINE void store_sums(
        __global float *to, const floatv *sums, long n, __local float *scratch)
{
    const int item = first_elem(), slot = (int)get_local_id(0) / ROW_ITEMS;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        vstorev(sums[k], scratch + slot * STEP + item);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = (int)get_local_id(0); i < STEP; i += GROUP_ITEMS) {
            float sum = 0.0f;
            for (int s = 0; s < ROWS; ++s) sum += scratch[s * STEP + i];
            if ((long)k * STEP + i < n) to[(long)k * STEP + i] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

ALWAYS_INLINE void store_partials(__global float *to, long off, const floatv *of_scale,
        const floatv *of_shift, long n, __local float *scratch)
{
    to += off + (long)get_group_id(0) * 2 * n;
    store_sums(to, of_scale, n, scratch);
    store_sums(to + n, of_shift, n, scratch);
}

#endif
