// SPDX-License-Identifier: Apache-2.0
// Rounding, encoding and decoding of every data type, by the definitions of the formats.
#include "bench_numeric.h"

#include <math.h>
#include <string.h>

#include "bench_text.h"

/// What happens beyond the largest finite value of a float format.
typedef enum { OVERFLOW_INFINITY, OVERFLOW_NAN, OVERFLOW_SATURATES } overflow_t;

typedef struct {
    const char *name;
    int bits;
    bool is_integer;
    int digits;       ///< of the mantissa with the hidden bit; of the magnitude
    int min_exponent; ///< of the smallest normal number
    double max, lowest;
    overflow_t overflow;
} dt_info_t;

#define TABLE_SIZE 16

// f8, f4 and e8m0: OCP 8-bit floating point and microscaling formats, rev. 1.0.
static const dt_info_t table[TABLE_SIZE] = {
        [PRIM_F16] = {"f16", 16, false, 11, -14, 65504., -65504., OVERFLOW_INFINITY},
        [PRIM_BF16] = {"bf16", 16, false, 8, -126, 0x1.fep127, -0x1.fep127, OVERFLOW_INFINITY},
        [PRIM_F32] = {"f32", 32, false, 24, -126, 0x1.fffffep127, -0x1.fffffep127,
                OVERFLOW_INFINITY},
        [PRIM_S32] = {"s32", 32, true, 31, 0, 2147483647., -2147483648., OVERFLOW_SATURATES},
        [PRIM_S8] = {"s8", 8, true, 7, 0, 127., -128., OVERFLOW_SATURATES},
        [PRIM_U8] = {"u8", 8, true, 8, 0, 255., 0., OVERFLOW_SATURATES},
        [PRIM_F64] = {"f64", 64, false, 53, -1022, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023,
                OVERFLOW_INFINITY},
        [PRIM_BOOLEAN] = {"boolean", 8, true, 1, 0, 1., 0., OVERFLOW_SATURATES},
        [PRIM_F8_E5M2] = {"f8_e5m2", 8, false, 3, -14, 57344., -57344., OVERFLOW_INFINITY},
        [PRIM_F8_E4M3] = {"f8_e4m3", 8, false, 4, -6, 448., -448., OVERFLOW_NAN},
        [PRIM_S4] = {"s4", 4, true, 3, 0, 7., -8., OVERFLOW_SATURATES},
        [PRIM_U4] = {"u4", 4, true, 4, 0, 15., 0., OVERFLOW_SATURATES},
        [PRIM_E8M0] = {"e8m0", 8, false, 1, -127, 0x1p127, 0x1p-127, OVERFLOW_NAN},
        [PRIM_F4_E2M1] = {"f4_e2m1", 4, false, 2, 0, 6., -6., OVERFLOW_SATURATES},
        [PRIM_F4_E3M0] = {"f4_e3m0", 4, false, 1, -2, 16., -16., OVERFLOW_SATURATES},
};

static const dt_info_t *info(prim_data_type_t dt)
{
    return &table[(unsigned)dt < TABLE_SIZE ? dt : 0];
}

prim_data_type_t dt_from_name(const char *name, size_t length)
{
    static const char prefix[] = "dnnl_";
    if (length > sizeof prefix - 1 && strncmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        length -= sizeof prefix - 1;
    }
    for (int dt = 1; dt < TABLE_SIZE; ++dt)
        if (strlen(table[dt].name) == length && strncmp(name, table[dt].name, length) == 0)
            return (prim_data_type_t)dt;
    return PRIM_DATA_TYPE_UNDEF;
}

const char *dt_name(prim_data_type_t dt)
{
    return info(dt)->name ? info(dt)->name : "undef";
}

int dt_bits(prim_data_type_t dt)
{
    return info(dt)->bits;
}

bool dt_is_integer(prim_data_type_t dt)
{
    return info(dt)->is_integer;
}

double dt_epsilon(prim_data_type_t dt)
{
    return dt_is_integer(dt) ? 0. : ldexp(1., 1 - info(dt)->digits);
}

int dt_digits(prim_data_type_t dt)
{
    return info(dt)->digits;
}

double dt_max(prim_data_type_t dt)
{
    return info(dt)->max;
}

double dt_lowest(prim_data_type_t dt)
{
    return info(dt)->lowest;
}

double dt_min_normal(prim_data_type_t dt)
{
    return ldexp(1., info(dt)->min_exponent);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// The exponent of a normal double.
static int exponent_of(double x)
{
    return (int)(bits_of(x) >> 52 & 0x7ff) - 1023;
}

/// Rounds to a multiple of the format's unit at x by adding and taking away 1.5·2^52 units, which
/// leaves the unit as the last bit of a double's mantissa.
static double round_float(const dt_info_t *f, double x)
{
    if (x == 0. || isnan(x)) return x;
    const int exponent = exponent_of(x) < f->min_exponent ? f->min_exponent : exponent_of(x);
    const int unit = exponent - (f->digits - 1);
    const bool is_far = fabs(x) > 4. * f->max; // where the shifter would overflow
    const double shifter = double_of(((uint64_t)(unit + 52 + 1023) << 52) | (uint64_t)1 << 51);
    const double rounded = is_far ? x : (x + shifter) - shifter;
    if (fabs(rounded) <= f->max) return rounded;
    switch (f->overflow) {
    case OVERFLOW_NAN: return NAN;
    case OVERFLOW_SATURATES: return copysign(f->max, x);
    default: return copysign(INFINITY, x);
    }
}

/// Powers of two; nothing else, not even zero, exists.
static double round_e8m0(double x)
{
    if (!(x > 0.) || isinf(x)) return x == 0. ? 0x1p-127 : NAN;
    const int exponent = exponent_of(x);
    return ldexp(1., exponent < -127 ? -127 : exponent);
}

double dt_round(prim_data_type_t dt, double x)
{
    if (dt == PRIM_F32) return (double)(float)x;
    if (dt == PRIM_F64 || dt == PRIM_DATA_TYPE_UNDEF) return x;
    if (dt == PRIM_E8M0) return round_e8m0(x);
    const dt_info_t *const f = info(dt);
    if (!f->is_integer) return round_float(f, x);
    if (isnan(x)) return x;
    if (x >= f->max) return f->max;
    if (x <= f->lowest) return f->lowest;
    return nearbyint(x) + 0.; // + 0: integers have no negative zero
}

/// Sign, exponent and mantissa of an already rounded value of a float of at most 16 bits.
static uint64_t encode_small_float(const dt_info_t *f, double x)
{
    const uint64_t sign = (uint64_t)(signbit(x) != 0) << (f->bits - 1);
    const uint64_t all_ones = ((uint64_t)1 << (f->bits - 1)) - 1;
    if (isnan(x)) return all_ones;
    const int mantissa_bits = f->digits - 1;
    if (isinf(x)) return sign | (all_ones >> mantissa_bits << mantissa_bits);
    if (x == 0.) return sign;
    const int exponent = exponent_of(x) < f->min_exponent ? f->min_exponent : exponent_of(x);
    const uint64_t units = (uint64_t)ldexp(fabs(x), mantissa_bits - exponent);
    // The hidden bit of a normal number carries into the exponent field.
    return sign | (units + ((uint64_t)(exponent - f->min_exponent) << mantissa_bits));
}

uint64_t dt_encode(prim_data_type_t dt, double x)
{
    const double rounded = dt_round(dt, x);
    if (dt == PRIM_F64) return bits_of(rounded);
    if (dt == PRIM_F32) {
        const float single = (float)rounded;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    if (dt == PRIM_E8M0) return isnan(rounded) ? 255 : (uint64_t)(ilogb(rounded) + 127);
    const dt_info_t *const f = info(dt);
    if (!f->is_integer) return encode_small_float(f, rounded);
    return isnan(rounded) ? 0 : (uint64_t)(int64_t)rounded & (UINT64_MAX >> (64 - f->bits));
}

static double decode_small_float(const dt_info_t *f, prim_data_type_t dt, uint64_t bits)
{
    const int mantissa_bits = f->digits - 1;
    const uint64_t magnitude = bits & (((uint64_t)1 << (f->bits - 1)) - 1);
    const double sign = bits >> (f->bits - 1) & 1 ? -1. : 1.;
    const uint64_t mantissa = magnitude & (((uint64_t)1 << mantissa_bits) - 1);
    const int field = (int)(magnitude >> mantissa_bits);
    const int top_field = (1 << (f->bits - 1 - mantissa_bits)) - 1;
    if (dt == PRIM_F8_E4M3 && magnitude == 0x7f) return NAN;
    if (f->overflow == OVERFLOW_INFINITY && field == top_field)
        return mantissa ? NAN : sign * (double)INFINITY;
    const int exponent = field == 0 ? f->min_exponent : f->min_exponent + field - 1;
    const uint64_t hidden = field == 0 ? 0 : (uint64_t)1 << mantissa_bits;
    return sign * (double)(mantissa | hidden) *
           double_of((uint64_t)(exponent - mantissa_bits + 1023) << 52);
}

static double decode_integer(const dt_info_t *f, uint64_t bits)
{
    const double value = (double)(bits & (UINT64_MAX >> (64 - f->bits)));
    const bool is_negative = f->lowest < 0 && (bits >> (f->bits - 1) & 1);
    return is_negative ? value - ldexp(1., f->bits) : value;
}

double dt_decode(prim_data_type_t dt, uint64_t bits)
{
    if (dt == PRIM_F64) return double_of(bits);
    if (dt == PRIM_F32) {
        const uint32_t word = (uint32_t)bits;
        float single;
        memcpy(&single, &word, sizeof single);
        return (double)single;
    }
    if (dt == PRIM_E8M0) return bits == 255 ? NAN : ldexp(1., (int)bits - 127);
    const dt_info_t *const f = info(dt);
    return f->is_integer ? decode_integer(f, bits) : decode_small_float(f, dt, bits);
}
