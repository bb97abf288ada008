// SPDX-License-Identifier: Apache-2.0
// Reorder between equal layouts without holes: both are arrays, and only the type changes.
//
//   src, src_off   [nelems] of SRC_T
//   dst, dst_off   [nelems] of DST_T
//   nelems         elements, padding included
//   per_item       elements of an item, a multiple of VEC; AT_ONCE·VEC if AT_ONCE > 1
// Grid: x ≥ ceil(nelems / per_item). Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h; AT_ONCE: 1: an item takes per_item neighbours; more: the items of a group
// walk together through its elements, and so many loads of an item come before its stores.
#ifndef AT_ONCE
#error "ocl_reorder_copy needs AT_ONCE"
#endif

#include "clh/convert.h"

#if AT_ONCE > 1
// Vectors of a group that lie wholly inside and are aligned; false when they are not.
static inline bool copy_vectors(
        __global DST_T *dst, __global const SRC_T *src, long nelems, convert_t convert)
{
    const int step = (int)get_local_size(0) * VEC;
    const long first = (long)get_group_id(0) * AT_ONCE * step;
    if (first + AT_ONCE * step > nelems || !CONVERT_ALIGNED(src, 0, dst, 0)) return false;
    src += first + (int)get_local_id(0) * VEC;
    dst += first + (int)get_local_id(0) * VEC;
    CONVERT_VEC_T x[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k)
        x[k] = convert_get(AS_ALIGNED(SRC_T, VEC, src + k * step), convert);
    for (int k = 0; k < AT_ONCE; ++k) convert_put(AS_ALIGNED(DST_T, VEC, dst + k * step), x[k]);
    return true;
}
#endif

__kernel void reorder_copy(__global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off, long nelems, long per_item CONVERT_PARAMS)
{
    CONVERT_DECLARE;
#if AT_ONCE > 1
    if (copy_vectors(dst + dst_off, src + src_off, nelems, convert)) return;
#endif
    const long first = (long)get_global_id(0) * per_item;
    if (first >= nelems) return;
    convert_row(dst + dst_off + first, src + src_off + first, min(nelems - first, per_item), convert);
}
