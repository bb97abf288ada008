// SPDX-License-Identifier: Apache-2.0
// Typed copies: DST_T from SRC_T, one or VEC (2, 4, 8, 16) elements at once, with common scales and
// zero points if WITH_QUANT. Equal types without them keep every bit.
// -D: SRC, DST (prim__ocl_options_type()), VEC, WITH_QUANT.
//
//     __kernel void my_copy(__global const SRC_T *src, …, long n CONVERT_PARAMS)
//     {
//         CONVERT_DECLARE;
//         convert_one(dst + i, src + i, convert);
#ifndef CLH_CONVERT_H
#define CLH_CONVERT_H

#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(WITH_QUANT)
#error "clh/convert.h needs SRC, DST, VEC, WITH_QUANT"
#endif

#include "clh/vec.h"

#define CONVERT_IS_RAW (SRC_DT == DST_DT && !WITH_QUANT)

// (x − sub)·mul/div + add
typedef struct {
    float sub, mul, div, add;
} convert_t;

#if WITH_QUANT
#define CONVERT_PARAMS \
    , __global const void *src_scale, long src_scale_off, __global const void *dst_scale, \
            long dst_scale_off, __global const void *src_zp, long src_zp_off, \
            __global const void *dst_zp, long dst_zp_off, int src_scale_dt, int dst_scale_dt, \
            int src_zp_dt, int dst_zp_dt
#define CONVERT_DECLARE \
    const convert_t convert = {src_zp_dt ? load_any(src_zp, src_zp_off, src_zp_dt) : 0.0f, \
            src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f, \
            dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f, \
            dst_zp_dt ? load_any(dst_zp, dst_zp_off, dst_zp_dt) : 0.0f}
#define CONVERT_APPLY(x) (((x) - convert.sub) * convert.mul / convert.div + convert.add)
#else
#define CONVERT_PARAMS
#define CONVERT_DECLARE const convert_t convert = {0.0f, 1.0f, 1.0f, 0.0f}
#define CONVERT_APPLY(x) (x)
#endif

// What a value is between load and store: its bits, or a float.
#if !CONVERT_IS_RAW
#define CONVERT_ELEM_T float
#else
#define CONVERT_ELEM_T SRC_T
#endif
#define CONVERT_JOIN_(a, b) a##b
#define CONVERT_JOIN(a, b) CONVERT_JOIN_(a, b)
#if !CONVERT_IS_RAW || SRC_DT == DT_F32
#define CONVERT_VEC_T CONVERT_JOIN(float, VEC)
#elif SRC_DT == DT_F16 || SRC_DT == DT_BF16
#define CONVERT_VEC_T CONVERT_JOIN(ushort, VEC)
#elif SRC_DT == DT_S32
#define CONVERT_VEC_T CONVERT_JOIN(int, VEC)
#elif SRC_DT == DT_S8
#define CONVERT_VEC_T CONVERT_JOIN(char, VEC)
#else
#define CONVERT_VEC_T CONVERT_JOIN(uchar, VEC)
#endif

// The first half of convert_vector(), and the second.
static inline CONVERT_VEC_T convert_get(__global const SRC_T *src, convert_t convert)
{
#if CONVERT_IS_RAW
    return RAW_LOAD_(CONVERT_VEC_T, CONVERT_JOIN(vload, VEC), src);
#else
    return CONVERT_APPLY(SRC_LOADV(src, 0));
#endif
}

static inline void convert_put(__global DST_T *dst, CONVERT_VEC_T x)
{
#if CONVERT_IS_RAW
    RAW_STORE_(CONVERT_VEC_T, CONVERT_JOIN(vstore, VEC), x, dst);
#else
    DST_STOREV(dst, 0, x);
#endif
}

// The same for one element.
static inline CONVERT_ELEM_T convert_get_one(__global const SRC_T *src, convert_t convert)
{
#if CONVERT_IS_RAW
    return *src;
#else
    return CONVERT_APPLY(SRC_LOAD(src, 0));
#endif
}

static inline void convert_put_one(__global DST_T *dst, CONVERT_ELEM_T x)
{
#if CONVERT_IS_RAW
    *dst = x;
#else
    DST_STORE(dst, 0, x);
#endif
}

static inline void convert_one(__global DST_T *dst, __global const SRC_T *src, convert_t convert)
{
    convert_put_one(dst, convert_get_one(src, convert));
}

static inline void convert_vector(__global DST_T *dst, __global const SRC_T *src, convert_t convert)
{
    convert_put(dst, convert_get(src, convert));
}

// Whether vectors at both places, and at any number of steps from them, are aligned: then AS_ALIGNED()
// (clh/io_vec.h) may be said of them.
#define CONVERT_ALIGNED(src, src_step, dst, dst_step) \
    (ARE_ALIGNED(SRC_T, VEC, src, src_step) && ARE_ALIGNED(DST_T, VEC, dst, dst_step))

// n elements that are contiguous in src and dst.
static inline void convert_row(
        __global DST_T *dst, __global const SRC_T *src, long n, convert_t convert)
{
    long i = 0;
    for (; i + VEC <= n; i += VEC) convert_vector(dst + i, src + i, convert);
    for (; i < n; ++i) convert_one(dst + i, src + i, convert);
}

#endif
