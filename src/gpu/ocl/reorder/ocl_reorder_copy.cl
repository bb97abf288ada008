// SPDX-License-Identifier: Apache-2.0
// Reorder between equal layouts without gaps: both tensors are treated as one array, and only the type changes.
//
//   src, src_off   [nelems] of SRC_T
//   dst, dst_off   [nelems] of DST_T
//   nelems         elements, padding included
//   per_item       elements per work-item, a multiple of VEC; VEC unless WITH_RUNS
// Grid: x ≥ ceil(nelems / per_item). Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h, WITH_RUNS: a work-item copies per_item adjacent elements (CPU-type devices), else one
// vector, as index arithmetic is what costs time beside the memory traffic.
#ifndef WITH_RUNS
#error "ocl_reorder_copy needs WITH_RUNS"
#endif

#include "clh/convert.h"

__kernel void reorder_copy(__global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off, long nelems, long per_item CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long first = (long)get_global_id(0) * (WITH_RUNS ? per_item : VEC);
    if (first >= nelems) return;
    src += src_off + first;
    dst += dst_off + first;
    const long n = min(nelems - first, WITH_RUNS ? per_item : VEC);
#if !WITH_RUNS
    if (n == VEC && CONVERT_ALIGNED(src, 0, dst, 0)) {
        convert_vector(AS_ALIGNED(DST_T, VEC, dst), AS_ALIGNED(SRC_T, VEC, src), convert);
        return;
    }
#endif
    convert_row(dst, src, n, convert);
}
