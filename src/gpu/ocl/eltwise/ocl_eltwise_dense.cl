// SPDX-License-Identifier: Apache-2.0
// Eltwise on tensors of one layout without holes: they are arrays, and each item takes VEC elements.
//
//   src, src_off   [nelems] of SRC_T
//   dst, dst_off   [nelems] of DST_T; may be src
//   nelems         elements, padding included
//   alpha, beta    of the function
// Grid: x ≥ ceil(nelems / VEC). Numerics: f32; integers to integers are exact.
// -D: SRC, DST (prim__ocl_options_type()), ALG = ELTWISE_…, VEC = REAL_WIDTH = 4, 8 or 16.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_eltwise_dense needs SRC, DST, ALG, VEC"
#endif
#if REAL_WIDTH != VEC
#error "REAL_WIDTH is not VEC"
#endif

#include "clh/eltwise_int.h"
#include "clh/io_vec.h"

#if VEC == 4
#define LOAD SRC_LOAD4
#define STORE DST_STORE4
#define VLOAD vload4
#define VSTORE vstore4
#define DENSE_LOAD(p) RAW_LOAD(4, SRC_T, p)
#define DENSE_STORE(x, p) RAW_STORE(4, DST_T, x, p)
#elif VEC == 8
#define LOAD SRC_LOAD8
#define STORE DST_STORE8
#define VLOAD vload8
#define VSTORE vstore8
#define DENSE_LOAD(p) RAW_LOAD(8, SRC_T, p)
#define DENSE_STORE(x, p) RAW_STORE(8, DST_T, x, p)
#elif VEC == 16
#define LOAD SRC_LOAD16
#define STORE DST_STORE16
#define VLOAD vload16
#define VSTORE vstore16
#define DENSE_LOAD(p) RAW_LOAD(16, SRC_T, p)
#define DENSE_STORE(x, p) RAW_STORE(16, DST_T, x, p)
#else
#error "VEC is not 4, 8 or 16"
#endif

#if SRC_IS_INT && DST_IS_INT

#if ALG == ELTWISE_RELU && SRC_DT == DT_S8 && DST_DT == DT_S8 && VEC == 16
// Relu without a slope of four elements in a word: a device without instructions for them would take
// each by itself. The sign of a byte becomes 0x01, then 0xff.
static inline uint4 relu_words(uint4 x)
{
    return x & ~(((x >> 7) & 0x01010101u) * 0xffu);
}
#endif

static void apply(
        __global const SRC_T *src, __global DST_T *dst, long count, float alpha, float beta)
{
    if (count < VEC) {
        for (long i = 0; i < count; ++i) {
            DST_STORE_INT(dst, i, eltwise_int(ALG, SRC_LOAD_INT(src, i), alpha, beta));
        }
        return;
    }
#if ALG == ELTWISE_RELU && SRC_DT == DT_S8 && DST_DT == DT_S8 && VEC == 16
    if (alpha == 0.0f) {
        DENSE_STORE(as_char16(relu_words(as_uint4(DENSE_LOAD(src)))), dst);
        return;
    }
#elif ALG == ELTWISE_RELU && SRC_DT == DST_DT
    if (alpha == 0.0f) {
        DENSE_STORE(max(DENSE_LOAD(src), (SRC_T)0), dst);
        return;
    }
#endif
    SRC_T x[VEC];
    DST_T y[VEC];
    VSTORE(DENSE_LOAD(src), 0, x);
    for (int i = 0; i < VEC; ++i) y[i] = DST_SATURATE(eltwise_int(ALG, x[i], alpha, beta));
    DENSE_STORE(VLOAD(0, y), dst);
}

#else

// The function is large: it stands once in the code, between two ways to load and to store.
#if defined(SPLITS_UNALIGNED)
// `tail` is touched on one of them only, for an array that is indexed at run time lives in memory.
static void apply(
        __global const SRC_T *src, __global DST_T *dst, long count, float alpha, float beta)
{
    real_t x;
    float tail[VEC] = {0.0f};
    if (count == VEC) {
        x = LOAD(src, 0);
    } else {
        for (long i = 0; i < count; ++i) tail[i] = SRC_LOAD(src, i);
        x = VLOAD(0, tail);
    }
    const real_t y = eltwise(ALG, x, alpha, beta);
    if (count == VEC) {
        STORE(dst, 0, y);
    } else {
        VSTORE(y, 0, tail);
        for (long i = 0; i < count; ++i) DST_STORE(dst, i, tail[i]);
    }
}
#else
// No array: PoCL would clear one for every item of a group.
static void apply(
        __global const SRC_T *src, __global DST_T *dst, long count, float alpha, float beta)
{
    const bool is_whole = count == VEC;
    const long step = is_whole ? VEC : 1;
    for (long i = 0; i < count; i += step) {
        const real_t x = is_whole ? LOAD(src, 0) : (real_t)(SRC_LOAD(src, i));
        const real_t y = eltwise(ALG, x, alpha, beta);
        if (is_whole)
            STORE(dst, 0, y);
        else
            DST_STORE(dst, i, y.s0);
    }
}
#endif

#endif

__kernel void eltwise_dense(__global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off, long nelems, float alpha, float beta)
{
    const long first = (long)get_global_id(0) * VEC;
    if (first >= nelems) return;
    const long count = min(nelems - first, (long)VEC);
    apply(src + src_off + first, dst + dst_off + first, count, alpha, beta);
}
