// SPDX-License-Identifier: Apache-2.0
// Reorder between equal layouts without holes: both are arrays, and only the type changes.
//
//   src, src_off   [nelems] of SRC_T
//   dst, dst_off   [nelems] of DST_T
//   nelems         elements, padding included
//   per_item       elements of an item, a multiple of VEC
// Grid: x ≥ ceil(nelems / per_item). Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h.
#include "clh/convert.h"

__kernel void reorder_copy(__global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off, long nelems, long per_item CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long first = (long)get_global_id(0) * per_item;
    if (first >= nelems) return;
    convert_row(dst + dst_off + first, src + src_off + first, min(nelems - first, per_item), convert);
}
