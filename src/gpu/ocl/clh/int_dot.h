// SPDX-License-Identifier: Apache-2.0
// Sums of products of 8-bit integers that lie four in a word: sum + a0·b0 + … + a3·b3. The letters
// of a name say which of a and b are signed. No sum may leave the range of int.
// -DINT_DOT: 1: by cl_khr_integer_dot_product, a feature of OpenCL C 3.0, 2: by dp4a (ocl_feature.h), 0: in plain
// C, right everywhere.
#ifndef CLH_INT_DOT_H
#define CLH_INT_DOT_H

#if !defined(INT_DOT)
#error "clh/int_dot.h needs INT_DOT"
#endif

#include "clh/nv/nv_arith.h"

#if INT_DOT == 1

static inline int dot4_ss(uint a, uint b, int sum)
{
    return sum + dot_4x8packed_ss_int(a, b);
}

static inline int dot4_su(uint a, uint b, int sum)
{
    return sum + dot_4x8packed_su_int(a, b);
}

static inline int dot4_us(uint a, uint b, int sum)
{
    return sum + dot_4x8packed_us_int(a, b);
}

static inline int dot4_uu(uint a, uint b, int sum)
{
    return sum + (int)dot_4x8packed_uu_uint(a, b);
}

#elif INT_DOT == 2

static inline int dot4_ss(uint a, uint b, int sum)
{
    return nv_dp4a_ss(a, b, sum);
}

static inline int dot4_su(uint a, uint b, int sum)
{
    return nv_dp4a_su(a, b, sum);
}

static inline int dot4_us(uint a, uint b, int sum)
{
    return nv_dp4a_us(a, b, sum);
}

static inline int dot4_uu(uint a, uint b, int sum)
{
    return nv_dp4a_uu(a, b, sum);
}

#else

static inline int dot4_ints(int4 a, int4 b, int sum)
{
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline int dot4_ss(uint a, uint b, int sum)
{
    return dot4_ints(convert_int4(as_char4(a)), convert_int4(as_char4(b)), sum);
}

static inline int dot4_su(uint a, uint b, int sum)
{
    return dot4_ints(convert_int4(as_char4(a)), convert_int4(as_uchar4(b)), sum);
}

static inline int dot4_us(uint a, uint b, int sum)
{
    return dot4_ints(convert_int4(as_uchar4(a)), convert_int4(as_char4(b)), sum);
}

static inline int dot4_uu(uint a, uint b, int sum)
{
    return dot4_ints(convert_int4(as_uchar4(a)), convert_int4(as_uchar4(b)), sum);
}

#endif

#endif
