// SPDX-License-Identifier: Apache-2.0
// Binary on contiguous tensors of one layout, treated as one array. A work-item computes one vector: beside the
// memory traffic, index arithmetic is what costs time.
//
//   src0, src1, dst + _off   [nelems] of SRC0_T, SRC1_T, DST_T; dst may be src0
//   nelems         elements, padding included
// Grid: x ≥ ceil(nelems / VEC). Numerics: f32.
// -D: SRC0, SRC1, DST (prim__ocl_options_type()), ALG = BINARY_… but BINARY_SELECT, VEC = REAL_WIDTH = 4,
// 8 or 16.
#if !defined(SRC0_DT) || !defined(SRC1_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_binary_dense needs SRC0, SRC1, DST, ALG, VEC"
#endif
#if REAL_WIDTH != VEC
#error "REAL_WIDTH is not VEC"
#endif

#include "clh/binary.h"
#include "clh/binary_vec.h"

__kernel void binary_dense(__global const SRC0_T *src0, long src0_off, __global const SRC1_T *src1,
        long src1_off, __global DST_T *dst, long dst_off, long nelems)
{
    const long first = (long)get_global_id(0) * VEC, left = nelems - first;
    src0 += src0_off + first;
    src1 += src1_off + first;
    dst += dst_off + first;
    if (left >= VEC && ARE_ALIGNED(SRC0_T, VEC, src0, 0) && ARE_ALIGNED(SRC1_T, VEC, src1, 0)
            && ARE_ALIGNED(DST_T, VEC, dst, 0)) {
        const floatv a = LOAD0(AS_ALIGNED(SRC0_T, VEC, src0), 0);
        const floatv b = LOAD1(AS_ALIGNED(SRC1_T, VEC, src1), 0);
        DST_STOREV(AS_ALIGNED(DST_T, VEC, dst), 0, binary_op(ALG, a, b));
        return;
    }
    for (long i = 0; i < min(left, (long)VEC); ++i) {
        const real_t a = SRC0_LOAD(src0, i), b = SRC1_LOAD(src1, i);
        DST_STORE(dst, i, binary_op(ALG, a, b).s0);
    }
}
