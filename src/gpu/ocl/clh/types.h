// SPDX-License-Identifier: Apache-2.0
// Storage types and the numbers of data types, as in prim_data_type_t.
#ifndef CLH_TYPES_H
#define CLH_TYPES_H

// Storage of the 16-bit floats. Not `half`: that type cannot be copied without cl_khr_fp16.
typedef ushort f16_t;
typedef ushort bf16_t;

// What functions of values work on: float, or floatN with -DREAL_WIDTH=N (2, 4, 8, 16) for the
// whole program. Devices whose work-items are SIMD lanes gain nothing by vectors; on CPU-type
// devices the built-in functions of vectors are many times faster.
#ifndef REAL_WIDTH
#define REAL_WIDTH 1
#endif
#if REAL_WIDTH == 1
typedef float real_t;
#elif REAL_WIDTH == 2
typedef float2 real_t;
#elif REAL_WIDTH == 4
typedef float4 real_t;
#elif REAL_WIDTH == 8
typedef float8 real_t;
#elif REAL_WIDTH == 16
typedef float16 real_t;
#else
#error "REAL_WIDTH is not 1, 2, 4, 8 or 16"
#endif

#define DT_UNDEF 0
#define DT_F16 1
#define DT_BF16 2
#define DT_F32 3
#define DT_S32 4
#define DT_S8 5
#define DT_U8 6

// Quotient of numbers ≥ 0; 64-bit division is slow on most devices, so it is avoided where it can
// be.
static inline long div_long(long a, long b)
{
    return ((ulong)(a | b) >> 32) ? a / b : (long)((uint)a / (uint)b);
}

#endif
