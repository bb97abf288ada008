// SPDX-License-Identifier: Apache-2.0
// Element types: what each is, and its conversion from and to double in integer arithmetic, so that
// one rounding step, to nearest even, is all there is.
#include "data_type.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "prim/prim.h"

typedef enum { CLASS_NONE, CLASS_INTEGER, CLASS_FLOAT, CLASS_SCALE } dt_class_t;

typedef struct {
    unsigned char bytes;
    unsigned char dt_class;
    bool is_supported;
} dt_info_t;

static const dt_info_t infos[] = {
        [PRIM_DATA_TYPE_UNDEF] = {0, CLASS_NONE, false},
        [PRIM_F16] = {2, CLASS_FLOAT, true},
        [PRIM_BF16] = {2, CLASS_FLOAT, true},
        [PRIM_F32] = {4, CLASS_FLOAT, true},
        [PRIM_S32] = {4, CLASS_INTEGER, true},
        [PRIM_S8] = {1, CLASS_INTEGER, true},
        [PRIM_U8] = {1, CLASS_INTEGER, true},
        [PRIM_F64] = {8, CLASS_FLOAT, true},
        [PRIM_BOOLEAN] = {1, CLASS_INTEGER, false},
        [PRIM_F8_E5M2] = {1, CLASS_FLOAT, true},
        [PRIM_F8_E4M3] = {1, CLASS_FLOAT, true},
        [PRIM_S4] = {1, CLASS_INTEGER, false},
        [PRIM_U4] = {1, CLASS_INTEGER, false},
        [PRIM_E8M0] = {1, CLASS_SCALE, false},
        [PRIM_F4_E2M1] = {1, CLASS_FLOAT, false},
        [PRIM_F4_E3M0] = {1, CLASS_FLOAT, false},
};

static dt_info_t info(prim_data_type_t dt)
{
    const size_t n = sizeof infos / sizeof infos[0];
    return (size_t)dt < n ? infos[dt] : infos[PRIM_DATA_TYPE_UNDEF];
}

size_t prim__dt_bytes(prim_data_type_t dt)
{
    return info(dt).bytes;
}

size_t prim_data_type_size(prim_data_type_t data_type)
{
    return prim__dt_bytes(data_type);
}

bool prim__dt_is_integer(prim_data_type_t dt)
{
    return info(dt).dt_class == CLASS_INTEGER;
}

bool prim__dt_is_int8(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

bool prim__dt_is_float(prim_data_type_t dt)
{
    return info(dt).dt_class == CLASS_FLOAT;
}

bool prim__dt_is_supported(prim_data_type_t dt)
{
    return info(dt).is_supported;
}

/// A binary floating-point format of at most 16 bits.
typedef struct {
    int mantissa_bits;
    int min_exponent;    ///< of normal numbers; subnormals share it
    uint32_t sign;       ///< the sign bit
    uint32_t max_finite; ///< code of the largest finite number
    uint32_t overflow;   ///< code of what lies above: infinity, or NaN where there is none
    uint32_t nan;        ///< code of the quiet NaN
} float_format_t;

// IEEE 754-2019 binary16; bfloat16 is binary32 cut after 7 bits; OCP 8-bit Floating Point
// Specification 1.0, table 1 (E4M3 has no infinity and one NaN for each sign).
static const float_format_t f16_format = {10, -14, 0x8000, 0x7bff, 0x7c00, 0x7e00};
static const float_format_t bf16_format = {7, -126, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
static const float_format_t e5m2_format = {2, -14, 0x80, 0x7b, 0x7c, 0x7e};
static const float_format_t e4m3_format = {3, -6, 0x80, 0x7e, 0x7f, 0x7f};

enum { F64_MANTISSA_BITS = 52, F64_BIAS = 1023 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// mantissa / 2^shift to nearest even; shift ≥ 1.
static uint64_t round_shift(uint64_t mantissa, int shift)
{
    if (shift > F64_MANTISSA_BITS + 2) return 0; // below half of the smallest number
    const uint64_t quotient = mantissa >> shift;
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

static uint32_t encode(double value, const float_format_t *format)
{
    const uint64_t bits = bits_of(value);
    const uint32_t sign = (bits >> 63) ? format->sign : 0;
    if (isnan(value)) return sign | format->nan;
    if (isinf(value)) return sign | format->overflow;

    const uint64_t fraction = bits & ((UINT64_C(1) << F64_MANTISSA_BITS) - 1);
    const int field = (int)(bits >> F64_MANTISSA_BITS & 0x7ff);
    if (field == 0) return sign; // zero, or a double's subnormal: far below every format here
    const uint64_t mantissa = fraction | UINT64_C(1) << F64_MANTISSA_BITS;
    const int exponent = field - F64_BIAS;

    // In units of the last place: a normal number keeps its leading bit, which adds the missing one
    // to the exponent field; a carry out of the rounding does the same.
    const int lift = exponent > format->min_exponent ? exponent - format->min_exponent : 0;
    const int lost = exponent < format->min_exponent ? format->min_exponent - exponent : 0;
    const uint64_t rounded =
            round_shift(mantissa, F64_MANTISSA_BITS - format->mantissa_bits + lost);
    const uint64_t code = ((uint64_t)lift << format->mantissa_bits) + rounded;
    return sign | (code > format->max_finite ? format->overflow : (uint32_t)code);
}

static double decode(uint32_t code, const float_format_t *format)
{
    const uint64_t sign = (code & format->sign) ? UINT64_C(1) << 63 : 0;
    const uint32_t magnitude = code & (format->sign - 1);
    if (magnitude > format->max_finite) {
        const bool is_infinity = magnitude == format->overflow && format->overflow != format->nan;
        return copysign(is_infinity ? (double)INFINITY : (double)NAN, sign ? -1.0 : 1.0);
    }
    const uint32_t fraction = magnitude & ((1U << format->mantissa_bits) - 1);
    const int field = (int)(magnitude >> format->mantissa_bits);
    if (field == 0) {
        // Exact: a small integer times the power of two of the last place.
        const int last_place = format->min_exponent - format->mantissa_bits;
        const double unit = double_of((uint64_t)(last_place + F64_BIAS) << F64_MANTISSA_BITS);
        return double_of(bits_of(fraction * unit) | sign);
    }
    const uint64_t exponent = (uint64_t)(field - 1 + format->min_exponent + F64_BIAS);
    return double_of(sign | exponent << F64_MANTISSA_BITS |
                     (uint64_t)fraction << (F64_MANTISSA_BITS - format->mantissa_bits));
}

double prim__dt_lowest(prim_data_type_t dt)
{
    switch (dt) {
    case PRIM_F16: return -decode(f16_format.max_finite, &f16_format);
    case PRIM_BF16: return -decode(bf16_format.max_finite, &bf16_format);
    case PRIM_F32: return -(double)FLT_MAX;
    case PRIM_F64: return -DBL_MAX;
    case PRIM_F8_E5M2: return -decode(e5m2_format.max_finite, &e5m2_format);
    case PRIM_F8_E4M3: return -decode(e4m3_format.max_finite, &e4m3_format);
    case PRIM_S32: return INT32_MIN;
    case PRIM_S8: return INT8_MIN;
    default: return 0;
    }
}

/// The nearest integer, halves to even, inside [low, high]; 0 for NaN.
static int64_t saturate(double value, double low, double high)
{
    if (isnan(value)) return 0;
    const double clamped = value < low ? low : value > high ? high : value;
    return (int64_t)nearbyint(clamped);
}

double prim__load(const void *base, prim_data_type_t dt, prim_dim_t index)
{
    switch (dt) {
    case PRIM_F16: return decode(((const uint16_t *)base)[index], &f16_format);
    case PRIM_BF16: return decode(((const uint16_t *)base)[index], &bf16_format);
    case PRIM_F32: return (double)((const float *)base)[index];
    case PRIM_F64: return ((const double *)base)[index];
    case PRIM_S32: return (double)((const int32_t *)base)[index];
    case PRIM_S8: return (double)((const int8_t *)base)[index];
    case PRIM_U8: return (double)((const uint8_t *)base)[index];
    case PRIM_F8_E5M2: return decode(((const uint8_t *)base)[index], &e5m2_format);
    case PRIM_F8_E4M3: return decode(((const uint8_t *)base)[index], &e4m3_format);
    default: assert(false && "a type that nothing computes with"); return (double)NAN;
    }
}

void prim__store(void *base, prim_data_type_t dt, prim_dim_t index, double value)
{
    switch (dt) {
    case PRIM_F16: ((uint16_t *)base)[index] = (uint16_t)encode(value, &f16_format); break;
    case PRIM_BF16: ((uint16_t *)base)[index] = (uint16_t)encode(value, &bf16_format); break;
    case PRIM_F32: ((float *)base)[index] = (float)value; break;
    case PRIM_F64: ((double *)base)[index] = value; break;
    case PRIM_S32: ((int32_t *)base)[index] = (int32_t)saturate(value, INT32_MIN, INT32_MAX); break;
    case PRIM_S8: ((int8_t *)base)[index] = (int8_t)saturate(value, INT8_MIN, INT8_MAX); break;
    case PRIM_U8: ((uint8_t *)base)[index] = (uint8_t)saturate(value, 0, UINT8_MAX); break;
    case PRIM_F8_E5M2: ((uint8_t *)base)[index] = (uint8_t)encode(value, &e5m2_format); break;
    case PRIM_F8_E4M3: ((uint8_t *)base)[index] = (uint8_t)encode(value, &e4m3_format); break;
    default: assert(false && "a type that nothing computes with"); break;
    }
}
