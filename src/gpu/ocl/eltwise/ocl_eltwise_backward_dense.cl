// SPDX-License-Identifier: Apache-2.0
// Gradients of eltwise functions on contiguous tensors of one layout, treated as arrays. A work-item computes `run`
// adjacent vectors of VEC elements.
//
//   x, x_off                 [nelems] of DST_T: src, or dst of the algorithms that take it
//   diff_dst, diff_dst_off   [nelems] of DST_T
//   diff_src, diff_src_off   [nelems] of DST_T; may be diff_dst
//   nelems                   elements, padding included
//   alpha, beta              parameters of the function
//   run                      vectors per work-item
// Grid: x ≥ ceil(nelems / VEC / run). Numerics: f32.
// -D: DST (prim__ocl_options_type()), ALG = ELTWISE_…, VEC = REAL_WIDTH = 4, 8 or 16; FAST_EXP2:
// see clh/eltwise_short.h, SLOPES = 1.
#if !defined(DST_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_eltwise_backward_dense needs DST, ALG, VEC"
#endif
#if REAL_WIDTH != VEC || VEC < 4
#error "REAL_WIDTH is not VEC = 4, 8 or 16"
#endif

#include "clh/eltwise_short.h"
#include "clh/vec.h"

// Whole vectors of addresses that may be unaligned, or the last elements one by one.
static inline void apply(__global const DST_T *x, __global const DST_T *diff_dst, __global DST_T *diff_src,
        long count, float alpha, float beta)
{
    const bool is_whole = count == VEC;
    for (long i = 0; i < count; i += is_whole ? VEC : 1) {
        const real_t at = is_whole ? DST_LOADV(x, 0) : (real_t)(DST_LOAD(x, i));
        const real_t diff = is_whole ? DST_LOADV(diff_dst, 0) : (real_t)(DST_LOAD(diff_dst, i));
        const real_t y = diff * eltwise_short_slope(ALG, at, alpha, beta);
        if (is_whole)
            DST_STOREV(diff_src, 0, y);
        else
            DST_STORE(diff_src, i, y.s0);
    }
}

__kernel void eltwise_backward_dense(__global const DST_T *x, long x_off, __global const DST_T *diff_dst,
        long diff_dst_off, __global DST_T *diff_src, long diff_src_off, long nelems, float alpha, float beta, int run)
{
    const long first = (long)get_global_id(0) * run * VEC;
    const long end = min(nelems, first + (long)run * VEC);
    x += x_off;
    diff_dst += diff_dst_off;
    diff_src += diff_src_off;
    const bool is_aligned = ARE_ALIGNED(DST_T, VEC, x, 0) && ARE_ALIGNED(DST_T, VEC, diff_dst, 0) &&
            ARE_ALIGNED(DST_T, VEC, diff_src, 0);
    long i = first;
    for (; is_aligned && i + VEC <= end; i += VEC) {
        const real_t at = DST_LOADV(AS_ALIGNED(DST_T, VEC, x + i), 0);
        const real_t diff = DST_LOADV(AS_ALIGNED(DST_T, VEC, diff_dst + i), 0);
        DST_STOREV(AS_ALIGNED(DST_T, VEC, diff_src + i), 0, diff * eltwise_short_slope(ALG, at, alpha, beta));
    }
    for (; i < end; i += VEC) apply(x + i, diff_dst + i, diff_src + i, min(end - i, (long)VEC), alpha, beta);
}
