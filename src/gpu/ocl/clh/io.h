// SPDX-License-Identifier: Apache-2.0
// Loads and stores: by name for typed kernels (prim__ocl_options_type() passes the names), by
// run-time type for generic ones. Index i counts elements. Vector forms: clh/io_vec.h.
//
//   float  load_<t>(p, i)            void store_<t>(p, i, float x)
//   int    load_int_<t>(p, i)        void store_int_<t>(p, i, long x)       t = s32, s8, u8
//   float  load_any(p, i, dt)        void store_any(p, i, dt, float x)
//   int    load_int_any(p, i, dt)    void store_int_any(p, i, dt, long x)   integer types
//
// Stores round to nearest even; integers saturate and convert NaN to 0; f16 and bf16 overflow to
// infinity and keep NaN. The int forms are exact: use them where s32 must not pass through float.
// -DPACKED_BF16=1: the device rounds to bf16 in one instruction (OCL_FEATURE_PACKED_BF16).
#ifndef CLH_IO_H
#define CLH_IO_H

#include "clh/nv/nv_pack.h"
#include "clh/types.h"

// Integer stores of floats: NaN is 0 by our rule; the standard only recommends it for _sat.
static inline float nan_to_zero(float x)
{
    return isnan(x) ? 0.0f : x;
}

static inline bf16_t bf16_from_f32(float x)
{
#if defined(PACKED_BF16) && PACKED_BF16
    return (bf16_t)nv_cvt_bf16x2(x, 0.0f);
#else
    const uint bits = as_uint(x);
    return (bf16_t)(isnan(x) ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}

static inline float load_f32(__global const float *p, long i)
{
    return p[i];
}

static inline void store_f32(__global float *p, long i, float x)
{
    p[i] = x;
}

static inline float load_f16(__global const f16_t *p, long i)
{
    return vload_half(i, (__global const half *)p);
}

static inline void store_f16(__global f16_t *p, long i, float x)
{
    vstore_half_rte(x, i, (__global half *)p);
}

static inline float load_bf16(__global const bf16_t *p, long i)
{
    return as_float((uint)p[i] << 16);
}

static inline void store_bf16(__global bf16_t *p, long i, float x)
{
    p[i] = bf16_from_f32(x);
}

static inline float load_s32(__global const int *p, long i)
{
    return convert_float_rte(p[i]);
}

static inline void store_s32(__global int *p, long i, float x)
{
    p[i] = convert_int_sat_rte(nan_to_zero(x));
}

static inline float load_s8(__global const char *p, long i)
{
    return (float)p[i];
}

static inline void store_s8(__global char *p, long i, float x)
{
    p[i] = convert_char_sat_rte(nan_to_zero(x));
}

static inline float load_u8(__global const uchar *p, long i)
{
    return (float)p[i];
}

static inline void store_u8(__global uchar *p, long i, float x)
{
    p[i] = convert_uchar_sat_rte(nan_to_zero(x));
}

static inline int load_int_s32(__global const int *p, long i)
{
    return p[i];
}

static inline void store_int_s32(__global int *p, long i, long x)
{
    p[i] = convert_int_sat(x);
}

static inline int load_int_s8(__global const char *p, long i)
{
    return p[i];
}

// clamp() and not convert_…_sat(): llvmpipe (Mesa 22.3) gets that of a long to 8 bits wrong.
static inline void store_int_s8(__global char *p, long i, long x)
{
    p[i] = (char)clamp(x, -128L, 127L);
}

static inline int load_int_u8(__global const uchar *p, long i)
{
    return p[i];
}

static inline void store_int_u8(__global uchar *p, long i, long x)
{
    p[i] = (uchar)clamp(x, 0L, 255L);
}

static inline float load_any(__global const void *p, long i, int dt)
{
    switch (dt) {
    case DT_F32: return load_f32((__global const float *)p, i);
    case DT_F16: return load_f16((__global const f16_t *)p, i);
    case DT_BF16: return load_bf16((__global const bf16_t *)p, i);
    case DT_S32: return load_s32((__global const int *)p, i);
    case DT_S8: return load_s8((__global const char *)p, i);
    case DT_U8: return load_u8((__global const uchar *)p, i);
    default: return 0.0f;
    }
}

static inline void store_any(__global void *p, long i, int dt, float x)
{
    switch (dt) {
    case DT_F32: store_f32((__global float *)p, i, x); break;
    case DT_F16: store_f16((__global f16_t *)p, i, x); break;
    case DT_BF16: store_bf16((__global bf16_t *)p, i, x); break;
    case DT_S32: store_s32((__global int *)p, i, x); break;
    case DT_S8: store_s8((__global char *)p, i, x); break;
    case DT_U8: store_u8((__global uchar *)p, i, x); break;
    default: break;
    }
}

static inline int load_int_any(__global const void *p, long i, int dt)
{
    switch (dt) {
    case DT_S32: return load_int_s32((__global const int *)p, i);
    case DT_S8: return load_int_s8((__global const char *)p, i);
    case DT_U8: return load_int_u8((__global const uchar *)p, i);
    default: return 0;
    }
}

static inline void store_int_any(__global void *p, long i, int dt, long x)
{
    switch (dt) {
    case DT_S32: store_int_s32((__global int *)p, i, x); break;
    case DT_S8: store_int_s8((__global char *)p, i, x); break;
    case DT_U8: store_int_u8((__global uchar *)p, i, x); break;
    default: break;
    }
}

static inline int dt_bytes(int dt)
{
    return dt == DT_F32 || dt == DT_S32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
}

static inline bool dt_is_int(int dt)
{
    return dt == DT_S32 || dt == DT_S8 || dt == DT_U8;
}

#endif
