// SPDX-License-Identifier: Apache-2.0
// Eltwise on contiguous tensors of one layout, treated as one array. A work-item computes AT_ONCE vectors of VEC
// elements, one work-group's width apart; on CPU-type devices `run` adjacent vectors.
//
//   src, src_off   [nelems] of SRC_T
//   dst, dst_off   [nelems] of DST_T; may be src
//   nelems         elements, padding included
//   alpha, beta    parameters of the function
//   run            vectors per work-item, if WITH_RUNS
// Grid: x ≥ ceil(nelems / VEC / AT_ONCE / run). Numerics: f32; integers to integers are exact.
// -D: SRC, DST (prim__ocl_options_type()), ALG = ELTWISE_…, VEC = REAL_WIDTH = 4, 8 or 16, AT_ONCE ≥ 1, WITH_RUNS
// (AT_ONCE is 1 then); FAST_EXP2: see clh/eltwise_short.h, SLOPES = 0.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(AT_ONCE) || !defined(WITH_RUNS)
#error "ocl_eltwise_dense needs SRC, DST, ALG, VEC, AT_ONCE, WITH_RUNS"
#endif
#if REAL_WIDTH != VEC
#error "REAL_WIDTH is not VEC"
#endif

#include "clh/eltwise_int.h"
#include "clh/eltwise_short.h"
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

#define LOADED_T RAW_JOIN(SRC_T, VEC)
#define LOAD_ONE(p) DENSE_LOAD(p)
#define STORE_ONE(y, p) DENSE_STORE(y, p)

static inline RAW_JOIN(DST_T, VEC) apply_one(RAW_JOIN(SRC_T, VEC) x, float alpha, float beta)
{
#if ALG == ELTWISE_RELU && SRC_DT == DT_S8 && DST_DT == DT_S8 && VEC == 16
    if (alpha == 0.0f) return as_char16(relu_words(as_uint4(x)));
#elif ALG == ELTWISE_RELU && SRC_DT == DST_DT
    if (alpha == 0.0f) return max(x, (SRC_T)0);
#endif
    SRC_T from[VEC];
    DST_T to[VEC];
    VSTORE(x, 0, from);
    for (int i = 0; i < VEC; ++i) to[i] = DST_SATURATE(eltwise_int(ALG, from[i], alpha, beta));
    return VLOAD(0, to);
}

static void apply(
        __global const SRC_T *src, __global DST_T *dst, long count, float alpha, float beta)
{
    if (count == VEC) {
        STORE_ONE(apply_one(LOAD_ONE(src), alpha, beta), dst);
        return;
    }
    for (long i = 0; i < count; ++i)
        DST_STORE_INT(dst, i, eltwise_int(ALG, SRC_LOAD_INT(src, i), alpha, beta));
}

#else

#define LOADED_T real_t
#define LOAD_ONE(p) LOAD(p, 0)
#define STORE_ONE(y, p) STORE(p, 0, y)
#define apply_one(x, alpha, beta) eltwise_short(ALG, x, alpha, beta)

// The function is large: it stands once in the code, between two ways to load and to store.
#if defined(SPLITS_UNALIGNED)
// `tail` is used on one path only: an array that is indexed at run time is spilled to memory.
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
    const real_t y = eltwise_short(ALG, x, alpha, beta);
    if (count == VEC) {
        STORE(dst, 0, y);
    } else {
        VSTORE(y, 0, tail);
        for (long i = 0; i < count; ++i) DST_STORE(dst, i, tail[i]);
    }
}
#else
// No array: PoCL would clear one for every work-item of a group.
static void apply(
        __global const SRC_T *src, __global DST_T *dst, long count, float alpha, float beta)
{
    const bool is_whole = count == VEC;
    const long step = is_whole ? VEC : 1;
    for (long i = 0; i < count; i += step) {
        const real_t x = is_whole ? LOAD(src, 0) : (real_t)(SRC_LOAD(src, i));
        const real_t y = eltwise_short(ALG, x, alpha, beta);
        if (is_whole)
            STORE(dst, 0, y);
        else
            DST_STORE(dst, i, y.s0);
    }
}
#endif

#endif

// Whole vectors go by apply_all(): several at once, or where loads and stores are long enough for one
// test of alignment before both to count.
#define HAS_WAY_OF_ITS_OWN (AT_ONCE > 1 || DST_DT == DT_BF16)

// AT_ONCE whole vectors, `step` elements apart: loads come before the first store, with no branch
// between them. False: not this function with these parameters.
static inline bool apply_all(
        __global const SRC_T *src, __global DST_T *dst, int step, float alpha, float beta)
{
#if ALG == ELTWISE_RELU && SRC_DT == DT_S8 && DST_DT == DT_S8 && VEC == 16
    if (alpha != 0.0f) return false;
    uint4 x[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k) x[k] = *(__global const uint4 *)(src + k * step);
    for (int k = 0; k < AT_ONCE; ++k) *(__global uint4 *)(dst + k * step) = relu_words(x[k]);
#else
    LOADED_T x[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k) x[k] = LOAD_ONE(AS_ALIGNED(SRC_T, VEC, src + k * step));
    for (int k = 0; k < AT_ONCE; ++k)
        STORE_ONE(apply_one(x[k], alpha, beta), AS_ALIGNED(DST_T, VEC, dst + k * step));
#endif
    return true;
}

#if WITH_RUNS
// Whole lines of the cache: LINE_VECS vectors of dst.
#define LINE_BYTES 64
#define LINE_VECS (LINE_BYTES / (int)sizeof(DST_T) / VEC)
// Short functions stand in the code once for each vector of the lines, others once.
#define COPIES_OF_FUNCTION (ALG == ELTWISE_RELU ? 8 : 1)
#if SRC_IS_INT && DST_IS_INT
#define HAS_LINES(alpha) (ALG == ELTWISE_RELU && SRC_DT == DST_DT && (alpha) == 0.0f)
#define apply_in_line(x, alpha, beta) max(x, (SRC_T)0)
#else
#define HAS_LINES(alpha) true
#define apply_in_line(x, alpha, beta) eltwise_short(ALG, x, alpha, beta)
#endif

// `run` vectors, alternating between the two halves: hardware prefetchers stop at the end of a page, and while
// the first lines of one page are waited for, those of the other come.
static inline void apply_lines(
        __global const SRC_T *src, __global DST_T *dst, int run, float alpha, float beta)
{
    __global DST_T *lines = (__global DST_T *)((size_t)dst & -(size_t)LINE_BYTES); // as it is
    const int half_lines = run / (2 * LINE_VECS);
    for (int k = 0; k < half_lines; ++k) {
#pragma unroll COPIES_OF_FUNCTION
        for (int i = 0; i < 2 * LINE_VECS; ++i) {
            const int line = i < LINE_VECS ? k : k + half_lines;
            const int at = (line * LINE_VECS + i % LINE_VECS) * VEC;
            STORE_ONE(apply_in_line(LOAD_ONE(src + at), alpha, beta), lines + at);
        }
    }
}
#endif

__kernel void eltwise_dense(__global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off, long nelems, float alpha, float beta, int run)
{
#if WITH_RUNS
    const long first = (long)get_global_id(0) * run * VEC, left = nelems - first;
    src += src_off + first;
    dst += dst_off + first;
    const bool has_whole_lines = run % (2 * LINE_VECS) == 0 && left >= run * VEC;
    if (has_whole_lines && ((size_t)dst & (LINE_BYTES - 1)) == 0 && HAS_LINES(alpha)) {
        apply_lines(src, dst, run, alpha, beta);
        return;
    }
    for (long at = 0; at < min(left, (long)run * VEC); at += VEC)
        apply(src + at, dst + at, min(left - at, (long)VEC), alpha, beta);
#else
    const int step = AT_ONCE > 1 ? (int)get_local_size(0) * VEC : 0;
    const long first = AT_ONCE > 1
            ? (long)get_group_id(0) * AT_ONCE * step + (int)get_local_id(0) * VEC
            : (long)get_global_id(0) * VEC;
    const long left = nelems - first;
    src += src_off + first;
    dst += dst_off + first;
    if (HAS_WAY_OF_ITS_OWN && left >= (AT_ONCE - 1) * step + VEC && ARE_ALIGNED(SRC_T, VEC, src, 0)
            && ARE_ALIGNED(DST_T, VEC, dst, 0)
            && apply_all(src, dst, step, alpha, beta))
        return;
    for (int k = 0; k < AT_ONCE; ++k) {
        const long count = min(left - k * step, (long)VEC);
        if (count > 0) apply(src + k * step, dst + k * step, count, alpha, beta);
    }
#endif
}
