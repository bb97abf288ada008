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
