// SPDX-License-Identifier: Apache-2.0
// Vector loads and stores of each type: floatN loadN_<t>(p, i), void storeN_<t>(p, i, x), N = 2, 4,
// 8, 16; elements i … i+N−1, rounding and saturation as in clh/io.h.
#ifndef CLH_IO_VEC_H
#define CLH_IO_VEC_H

#include "clh/io.h"

static inline float2 load2_f32(__global const float *p, long i)
{
    return vload2(0, p + i);
}

static inline void store2_f32(__global float *p, long i, float2 x)
{
    vstore2(x, 0, p + i);
}

static inline float2 load2_f16(__global const f16_t *p, long i)
{
    return vload_half2(0, (__global const half *)(p + i));
}

static inline void store2_f16(__global f16_t *p, long i, float2 x)
{
    vstore_half2_rte(x, 0, (__global half *)(p + i));
}

static inline float2 load2_bf16(__global const bf16_t *p, long i)
{
    return as_float2(convert_uint2(vload2(0, p + i)) << 16);
}

static inline void store2_bf16(__global bf16_t *p, long i, float2 x)
{
    const uint2 bits = as_uint2(x);
    const uint2 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint2 quiet = (bits >> 16) | 0x40u;
    vstore2(convert_ushort2(select(rounded, quiet, isnan(x))), 0, p + i);
}

static inline float2 load2_s32(__global const int *p, long i)
{
    return convert_float2_rte(vload2(0, p + i));
}

static inline void store2_s32(__global int *p, long i, float2 x)
{
    vstore2(convert_int2_sat_rte(select(x, (float2)(0.0f), isnan(x))), 0, p + i);
}

static inline float2 load2_s8(__global const char *p, long i)
{
    return convert_float2(vload2(0, p + i));
}

static inline void store2_s8(__global char *p, long i, float2 x)
{
    vstore2(convert_char2_sat_rte(select(x, (float2)(0.0f), isnan(x))), 0, p + i);
}

static inline float2 load2_u8(__global const uchar *p, long i)
{
    return convert_float2(vload2(0, p + i));
}

static inline void store2_u8(__global uchar *p, long i, float2 x)
{
    vstore2(convert_uchar2_sat_rte(select(x, (float2)(0.0f), isnan(x))), 0, p + i);
}

static inline float4 load4_f32(__global const float *p, long i)
{
    return vload4(0, p + i);
}

static inline void store4_f32(__global float *p, long i, float4 x)
{
    vstore4(x, 0, p + i);
}

static inline float4 load4_f16(__global const f16_t *p, long i)
{
    return vload_half4(0, (__global const half *)(p + i));
}

static inline void store4_f16(__global f16_t *p, long i, float4 x)
{
    vstore_half4_rte(x, 0, (__global half *)(p + i));
}

static inline float4 load4_bf16(__global const bf16_t *p, long i)
{
    return as_float4(convert_uint4(vload4(0, p + i)) << 16);
}

static inline void store4_bf16(__global bf16_t *p, long i, float4 x)
{
    const uint4 bits = as_uint4(x);
    const uint4 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint4 quiet = (bits >> 16) | 0x40u;
    vstore4(convert_ushort4(select(rounded, quiet, isnan(x))), 0, p + i);
}

static inline float4 load4_s32(__global const int *p, long i)
{
    return convert_float4_rte(vload4(0, p + i));
}

static inline void store4_s32(__global int *p, long i, float4 x)
{
    vstore4(convert_int4_sat_rte(select(x, (float4)(0.0f), isnan(x))), 0, p + i);
}

static inline float4 load4_s8(__global const char *p, long i)
{
    return convert_float4(vload4(0, p + i));
}

static inline void store4_s8(__global char *p, long i, float4 x)
{
    vstore4(convert_char4_sat_rte(select(x, (float4)(0.0f), isnan(x))), 0, p + i);
}

static inline float4 load4_u8(__global const uchar *p, long i)
{
    return convert_float4(vload4(0, p + i));
}

static inline void store4_u8(__global uchar *p, long i, float4 x)
{
    vstore4(convert_uchar4_sat_rte(select(x, (float4)(0.0f), isnan(x))), 0, p + i);
}

static inline float8 load8_f32(__global const float *p, long i)
{
    return vload8(0, p + i);
}

static inline void store8_f32(__global float *p, long i, float8 x)
{
    vstore8(x, 0, p + i);
}

static inline float8 load8_f16(__global const f16_t *p, long i)
{
    return vload_half8(0, (__global const half *)(p + i));
}

static inline void store8_f16(__global f16_t *p, long i, float8 x)
{
    vstore_half8_rte(x, 0, (__global half *)(p + i));
}

static inline float8 load8_bf16(__global const bf16_t *p, long i)
{
    return as_float8(convert_uint8(vload8(0, p + i)) << 16);
}

static inline void store8_bf16(__global bf16_t *p, long i, float8 x)
{
    const uint8 bits = as_uint8(x);
    const uint8 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint8 quiet = (bits >> 16) | 0x40u;
    vstore8(convert_ushort8(select(rounded, quiet, isnan(x))), 0, p + i);
}

static inline float8 load8_s32(__global const int *p, long i)
{
    return convert_float8_rte(vload8(0, p + i));
}

static inline void store8_s32(__global int *p, long i, float8 x)
{
    vstore8(convert_int8_sat_rte(select(x, (float8)(0.0f), isnan(x))), 0, p + i);
}

static inline float8 load8_s8(__global const char *p, long i)
{
    return convert_float8(vload8(0, p + i));
}

static inline void store8_s8(__global char *p, long i, float8 x)
{
    vstore8(convert_char8_sat_rte(select(x, (float8)(0.0f), isnan(x))), 0, p + i);
}

static inline float8 load8_u8(__global const uchar *p, long i)
{
    return convert_float8(vload8(0, p + i));
}

static inline void store8_u8(__global uchar *p, long i, float8 x)
{
    vstore8(convert_uchar8_sat_rte(select(x, (float8)(0.0f), isnan(x))), 0, p + i);
}

static inline float16 load16_f32(__global const float *p, long i)
{
    return vload16(0, p + i);
}

static inline void store16_f32(__global float *p, long i, float16 x)
{
    vstore16(x, 0, p + i);
}

static inline float16 load16_f16(__global const f16_t *p, long i)
{
    return vload_half16(0, (__global const half *)(p + i));
}

static inline void store16_f16(__global f16_t *p, long i, float16 x)
{
    vstore_half16_rte(x, 0, (__global half *)(p + i));
}

static inline float16 load16_bf16(__global const bf16_t *p, long i)
{
    return as_float16(convert_uint16(vload16(0, p + i)) << 16);
}

static inline void store16_bf16(__global bf16_t *p, long i, float16 x)
{
    const uint16 bits = as_uint16(x);
    const uint16 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint16 quiet = (bits >> 16) | 0x40u;
    vstore16(convert_ushort16(select(rounded, quiet, isnan(x))), 0, p + i);
}

static inline float16 load16_s32(__global const int *p, long i)
{
    return convert_float16_rte(vload16(0, p + i));
}

static inline void store16_s32(__global int *p, long i, float16 x)
{
    vstore16(convert_int16_sat_rte(select(x, (float16)(0.0f), isnan(x))), 0, p + i);
}

static inline float16 load16_s8(__global const char *p, long i)
{
    return convert_float16(vload16(0, p + i));
}

static inline void store16_s8(__global char *p, long i, float16 x)
{
    vstore16(convert_char16_sat_rte(select(x, (float16)(0.0f), isnan(x))), 0, p + i);
}

static inline float16 load16_u8(__global const uchar *p, long i)
{
    return convert_float16(vload16(0, p + i));
}

static inline void store16_u8(__global uchar *p, long i, float16 x)
{
    vstore16(convert_uchar16_sat_rte(select(x, (float16)(0.0f), isnan(x))), 0, p + i);
}

#endif
