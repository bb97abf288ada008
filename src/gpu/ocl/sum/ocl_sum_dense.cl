// SPDX-License-Identifier: Apache-2.0
// Sum of up to eight contiguous tensors of one layout, treated as arrays, added to the partial sum of an earlier
// launch.
//
//   p0 … p7, o0 … o7 inputs [nelems] of SRC_T (IS_MIXED: of types t0 … t7) and their offsets; null
//                    beyond `count`
//   s0 … s7          their factors
//   t0 … t7          their types
//   count            inputs of this launch
//   partial, partial_off  [nelems] f32: the sum so far
//   reads, writes    whether this launch starts from `partial`, and whether it stores its sum there instead
//                    of in dst
//   dst, dst_off     [nelems] of DST_T; may be the first input
//   nelems           elements, padding included
//   per_item         elements per work-item, a multiple of VEC
// Grid: x ≥ ceil(nelems / per_item). Numerics: f32, in the order of the inputs.
// -D: SRC, DST (prim__ocl_options_type()), VEC, IS_MIXED, NINPUTS: `count`, where there is one launch and
// per_item is VEC, so that the loads of all inputs are issued before the first use; else 0.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(IS_MIXED) || !defined(NINPUTS)
#error "ocl_sum_dense needs SRC, DST, VEC, IS_MIXED, NINPUTS"
#endif

#include "clh/vec_math.h"

#if IS_MIXED
#define INPUT __global const void *
#define TERM_VEC(p, i, s, t) ((s) * vec_load_any(p, i, t))
#define TERM_ONE(p, i, s, t) ((s) * load_any(p, i, t))
#else
#define INPUT __global const SRC_T *
#define TERM_VEC(p, i, s, t) ((s) * SRC_LOADV(p, i))
#define TERM_ONE(p, i, s, t) ((s) * SRC_LOAD(p, i))
#endif

// The vector of input k from `first` on.
#define IS_TERM_ALIGNED(k) (NINPUTS <= (k) || ARE_ALIGNED(SRC_T, VEC, p##k + o##k + first, 0))
#define ALIGNED_TERM(k) TERM_VEC(AS_ALIGNED(SRC_T, VEC, p##k + o##k + first), 0, s##k, t##k)

__kernel void sum_dense(INPUT p0, long o0, INPUT p1, long o1, INPUT p2, long o2, INPUT p3, long o3,
        INPUT p4, long o4, INPUT p5, long o5, INPUT p6, long o6, INPUT p7, long o7, float s0,
        float s1, float s2, float s3, float s4, float s5, float s6, float s7, int t0, int t1,
        int t2, int t3, int t4, int t5, int t6, int t7, int count, __global float *partial,
        long partial_off, int reads, int writes, __global DST_T *dst, long dst_off, long nelems,
        long per_item)
{
    const long first = (long)get_global_id(0) * per_item;
    const long end = min(first + per_item, nelems);
#if NINPUTS > 0
    if (first + VEC <= nelems && IS_TERM_ALIGNED(0) && IS_TERM_ALIGNED(1) && IS_TERM_ALIGNED(2)
            && IS_TERM_ALIGNED(3) && IS_TERM_ALIGNED(4) && IS_TERM_ALIGNED(5) && IS_TERM_ALIGNED(6)
            && IS_TERM_ALIGNED(7) && ARE_ALIGNED(DST_T, VEC, dst + dst_off + first, 0)) {
        floatv sum = (floatv)(0.0f);
        if (NINPUTS > 0) sum += ALIGNED_TERM(0);
        if (NINPUTS > 1) sum += ALIGNED_TERM(1);
        if (NINPUTS > 2) sum += ALIGNED_TERM(2);
        if (NINPUTS > 3) sum += ALIGNED_TERM(3);
        if (NINPUTS > 4) sum += ALIGNED_TERM(4);
        if (NINPUTS > 5) sum += ALIGNED_TERM(5);
        if (NINPUTS > 6) sum += ALIGNED_TERM(6);
        if (NINPUTS > 7) sum += ALIGNED_TERM(7);
        DST_STOREV(AS_ALIGNED(DST_T, VEC, dst + dst_off + first), 0, sum);
        return;
    }
#endif
    long i = first;
    for (; i + VEC <= end; i += VEC) {
        floatv sum = reads ? vloadv(partial + partial_off + i) : (floatv)(0.0f);
        if (count > 0) sum += TERM_VEC(p0, o0 + i, s0, t0);
        if (count > 1) sum += TERM_VEC(p1, o1 + i, s1, t1);
        if (count > 2) sum += TERM_VEC(p2, o2 + i, s2, t2);
        if (count > 3) sum += TERM_VEC(p3, o3 + i, s3, t3);
        if (count > 4) sum += TERM_VEC(p4, o4 + i, s4, t4);
        if (count > 5) sum += TERM_VEC(p5, o5 + i, s5, t5);
        if (count > 6) sum += TERM_VEC(p6, o6 + i, s6, t6);
        if (count > 7) sum += TERM_VEC(p7, o7 + i, s7, t7);
        if (writes)
            vstorev(sum, partial + partial_off + i);
        else
            DST_STOREV(dst, dst_off + i, sum);
    }
    for (; i < end; ++i) {
        float sum = reads ? partial[partial_off + i] : 0.0f;
        if (count > 0) sum += TERM_ONE(p0, o0 + i, s0, t0);
        if (count > 1) sum += TERM_ONE(p1, o1 + i, s1, t1);
        if (count > 2) sum += TERM_ONE(p2, o2 + i, s2, t2);
        if (count > 3) sum += TERM_ONE(p3, o3 + i, s3, t3);
        if (count > 4) sum += TERM_ONE(p4, o4 + i, s4, t4);
        if (count > 5) sum += TERM_ONE(p5, o5 + i, s5, t5);
        if (count > 6) sum += TERM_ONE(p6, o6 + i, s6, t6);
        if (count > 7) sum += TERM_ONE(p7, o7 + i, s7, t7);
        if (writes)
            partial[partial_off + i] = sum;
        else
            DST_STORE(dst, dst_off + i, sum);
    }
}
