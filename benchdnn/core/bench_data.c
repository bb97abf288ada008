// SPDX-License-Identifier: Apache-2.0
// Drawing of classes and of mantissas.
#include "bench_data.h"

#include <math.h>

#include "bench_numeric.h"
#include "bench_option.h"

const word_t data_words[] = {
        {"auto", CLASS_AUTO},
        {"small", CLASS_SMALL},
        {"reals", CLASS_REALS},
        {"range", CLASS_RANGE},
        {"extremes", CLASS_EXTREMES},
        {"ties", CLASS_TIES},
        {"special", CLASS_SPECIAL},
        {NULL, 0},
};

uint64_t data_mix(uint64_t x)
{
    // The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

data_class_t data_class_draw(unsigned classes, const char *text)
{
    if (classes & DATA_BIT(CLASS_MIXED)) return CLASS_MIXED;
    data_class_t members[CLASS_MIXED];
    unsigned count = 0;
    for (int i = CLASS_SMALL; i < CLASS_MIXED; ++i)
        if (classes & DATA_BIT(i)) members[count++] = (data_class_t)i;
    uint64_t hash = 0;
    for (const char *p = text; *p; ++p) hash = data_mix(hash ^ (unsigned char)*p);
    return count ? members[hash % count] : CLASS_SMALL;
}

/// Which bits of a mantissa of `digits` are given: behind the 8 of bf16 and the 11 of tf32 and
/// f16, and for f64 the 24 of f32, a 0 and then ones, so that what is cut is just below a half.
static uint64_t with_low_bits(uint64_t bits, int digits)
{
    static const struct {
        int digits;        ///< of the shorter type
        unsigned n, value; ///< the first bits behind them
    } cuts[] = {{8, 3, 3}, {11, 4, 7}, {24, 4, 7}};
    for (int i = 0; i < 3; ++i) {
        const int left = digits - cuts[i].digits;
        const int n = (int)cuts[i].n;
        if (left < n) continue;
        const uint64_t mask = ((UINT64_C(1) << n) - 1) << (left - n);
        bits = (bits & ~mask) | (uint64_t)cuts[i].value << (left - n);
    }
    return bits;
}

double data_significand(rng_t *rng, prim_data_type_t dt)
{
    const int digits = dt_is_integer(dt) ? 24 : dt_digits(dt);
    uint64_t bits = (uint64_t)rng_int(rng, 0, (1 << 26) - 1) << 26;
    bits |= (uint64_t)rng_int(rng, 0, (1 << 26) - 1);
    const uint64_t hidden = UINT64_C(1) << (digits - 1);
    return ldexp((double)(with_low_bits(bits & (hidden - 1), digits) | hidden), 1 - digits);
}

unsigned data_classes_of(prim_data_type_t dt)
{
    const unsigned common = DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_MIXED);
    if (dt_is_integer(dt)) return common | DATA_BIT(CLASS_RANGE);
    return common | DATA_BIT(CLASS_REALS) | DATA_BIT(CLASS_EXTREMES) | DATA_BIT(CLASS_SPECIAL);
}

static double small_value(rng_t *rng, prim_data_type_t dt)
{
    return (double)rng_int(rng, dt_lowest(dt) < 0. ? -8 : 0, 8);
}

/// The ends more often than chance would have it.
static double range_value(rng_t *rng, prim_data_type_t dt)
{
    const int64_t lowest = (int64_t)dt_lowest(dt), max = (int64_t)dt_max(dt);
    switch (rng_int(rng, 0, 7)) {
    case 0: return (double)(lowest + rng_int(rng, 0, 1));
    case 1: return (double)(max - rng_int(rng, 0, 1));
    default: return (double)rng_int(rng, lowest, max);
    }
}

static double sign(rng_t *rng)
{
    return rng_chance(rng, 0.5) ? -1. : 1.;
}

static double extreme_value(rng_t *rng, prim_data_type_t dt)
{
    const double epsilon = dt_epsilon(dt);
    const double steps = 1. + (double)rng_int(rng, 0, 2) * epsilon;
    const int64_t which = rng_int(rng, 0, 2);
    const double signed_one = sign(rng);
    switch (which) {
    case 0: return signed_one * dt_max(dt) / steps;
    case 1: return signed_one * dt_min_normal(dt) * steps;
    default: return signed_one * dt_min_normal(dt) * epsilon * (double)rng_int(rng, 1, 3);
    }
}

/// One draw a statement, here and below: the order within one is the compiler's, and data are to be
/// the same everywhere.
static double real_value(rng_t *rng, prim_data_type_t dt)
{
    const double signed_one = sign(rng);
    const int exponent = (int)rng_int(rng, -2, 2);
    return signed_one * ldexp(data_significand(rng, dt), exponent);
}

double data_value(rng_t *rng, data_class_t class_, prim_data_type_t dt)
{
    if (dt_is_integer(dt))
        return class_ == CLASS_RANGE ? range_value(rng, dt) : small_value(rng, dt);
    switch (class_) {
    case CLASS_REALS: return real_value(rng, dt);
    case CLASS_EXTREMES: return extreme_value(rng, dt);
    case CLASS_SPECIAL:
        if (rng_chance(rng, 0.5)) return NAN;
        return sign(rng) * (double)INFINITY;
    default: return small_value(rng, dt);
    }
}

static data_class_t mixed_class(const data_mixture_t *mixture, int64_t index)
{
    const int64_t special = mixture->nth_special, extreme = mixture->nth_extreme;
    if (dt_is_integer(mixture->dt)) return index % 3 ? CLASS_RANGE : CLASS_SMALL;
    if (special && index % special == 0) return CLASS_SPECIAL;
    if (extreme && index % extreme == 0) return CLASS_EXTREMES;
    return index % 3 ? CLASS_REALS : CLASS_SMALL;
}

double data_class_value(const void *mixture, rng_t *rng, int64_t index)
{
    const data_mixture_t *const m = mixture;
    const bool is_mixed = m->data_class == CLASS_MIXED;
    return data_value(rng, is_mixed ? mixed_class(m, index) : m->data_class, m->dt);
}

double data_tie(rng_t *rng, prim_data_type_t dt, prim_data_type_t to)
{
    if (dt_is_integer(dt)) return range_value(rng, dt);
    const int left = dt_digits(dt) - dt_digits(to);
    if (dt_is_integer(to)) {
        // x.5 takes a digit behind the point.
        if (dt_digits(dt) < 2) return small_value(rng, dt);
        const int digits = dt_digits(dt) - 1 < 6 ? dt_digits(dt) - 1 : 6;
        const double signed_one = sign(rng);
        return signed_one * ((double)rng_int(rng, 0, (1 << (digits - 1)) - 1) + 0.5);
    }
    if (left < 1) return data_value(rng, CLASS_REALS, dt);
    const int digits = dt_digits(to);
    const int64_t units = rng_int(rng, (int64_t)1 << (digits - 1), ((int64_t)1 << digits) - 1);
    const double signed_one = sign(rng);
    return signed_one * ldexp((double)(2 * units + 1), (int)rng_int(rng, -2, 2) - digits);
}
