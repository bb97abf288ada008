// SPDX-License-Identifier: Apache-2.0
// Windows of vectors of bytes, four in a word: the even and the odd bytes of a word are joined apart,
// as pairs of 16 bits. The instructions are a quarter of those for floats, and conversions, which are
// slow, are not needed.
//
// A maximum compares pairs whose upper bytes count; the lower ones hold what lies beside and decide
// nothing that is kept. A sum adds pairs of bytes from 0 to 255 (of s8 the bytes + 128), 256 at most.
// -D: SRC (prim__ocl_options_type()), s8 or u8; ALG = POOL_…; PACKED_MAX: 1 where the device has maxima
// of pairs (OCL_FEATURE_PACKED_MAX); PAIR_WORDS: words of what is joined together, 0: leave all that out.
#ifndef CLH_POOL_PAIRS_H
#define CLH_POOL_PAIRS_H

#include "clh/pool.h"

#if !defined(PACKED_MAX) || !defined(PAIR_WORDS)
#error "clh/pool_pairs.h needs PACKED_MAX, PAIR_WORDS"
#endif

#if PAIR_WORDS

// Of the bytes that a sum adds, over the elements.
#define PAIR_BIAS (SRC_DT == DT_S8 ? 128 : 0)

static inline uint join_pair(uint a, uint b)
{
#if ALG != POOL_MAX
    return a + b;
#elif PACKED_MAX && SRC_DT == DT_S8
    uint y;
    __asm("max.s16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
#elif PACKED_MAX
    uint y;
    __asm("max.u16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
#elif SRC_DT == DT_S8
    return as_uint(max(as_short2(a), as_short2(b)));
#else
    return as_uint(max(as_ushort2(a), as_ushort2(b)));
#endif
}

// Which bytes of a word a sum takes: none where the word is not in src.
static inline uint even_bytes(bool is_there)
{
    return is_there ? 0x00ff00ffu : 0u;
}

// The bytes 0 and 2 of a word.
static inline uint even_pair(uint word, uint bytes)
{
    if (ALG == POOL_MAX) return word << 8;
    return (word ^ (PAIR_BIAS * 0x01010101u)) & bytes;
}

// The bytes 1 and 3.
static inline uint odd_pair(uint word, uint bytes)
{
    return ALG == POOL_MAX ? word : even_pair(word >> 8, bytes);
}

typedef struct {
    uint even[PAIR_WORDS], odd[PAIR_WORDS];
} pairs_t;

static inline pairs_t pairs_of(const uint *words, bool is_there)
{
    const uint bytes = even_bytes(is_there);
    pairs_t y;
    for (int i = 0; i < PAIR_WORDS; ++i) {
        y.even[i] = even_pair(words[i], bytes);
        y.odd[i] = odd_pair(words[i], bytes);
    }
    return y;
}

static inline pairs_t join_pairs(pairs_t a, pairs_t b)
{
    pairs_t y;
    for (int i = 0; i < PAIR_WORDS; ++i) {
        y.even[i] = join_pair(a.even[i], b.even[i]);
        y.odd[i] = join_pair(a.odd[i], b.odd[i]);
    }
    return y;
}

// What joins with anything to that.
static inline pairs_t no_pairs(void)
{
    pairs_t y;
    const uint least = SRC_DT == DT_S8 ? 0x80008000u : 0u;
    for (int i = 0; i < PAIR_WORDS; ++i) y.even[i] = y.odd[i] = ALG == POOL_MAX ? least : 0u;
    return y;
}

// A word of maxima.
static inline uint max_of_pairs(uint even, uint odd)
{
    return ((even >> 8) & 0x00ff00ffu) | (odd & 0xff00ff00u);
}

// What turns sums of `count` elements into means over `volume`: by_volume is its reciprocal.
typedef struct {
    float base, by_volume;
} means_t;

static inline means_t means_over(float count, float volume)
{
    const means_t means = {8388608.0f + PAIR_BIAS * count, 1.0f / volume};
    return means;
}

// A mean, rounded to nearest even, in the lower byte of a word. No division and no conversion, both
// are slow: a product is off by 2⁻¹⁶ at most where a mean that is no tie is 2⁻⁹ away from one, so a
// rounding to multiples of 2⁻¹² makes ties exact again, and the next one, to integers, leaves them in
// the low bits.
static inline uint mean_byte(uint sum, means_t means)
{
    const float exact = as_float(0x4b000000u | sum) - means.base;
    const float mean = (exact * means.by_volume + 3072.0f) - 3072.0f;
    return as_uint(mean + 12582912.0f);
}

// What is in the low half of a pair: a maximum, or a sum.
static inline int pair_value(uint pair)
{
    if (ALG != POOL_MAX) return (int)(pair & 0xffffu);
    return SRC_DT == DT_S8 ? (int)(pair << 16) >> 24 : (int)((pair >> 8) & 0xffu);
}

static inline uint pack_bytes(uint a, uint b, uint c, uint d)
{
    return (a & 0xffu) | ((b & 0xffu) << 8) | ((c & 0xffu) << 16) | (d << 24);
}

// A word of means.
static inline uint means_of_pairs(uint even, uint odd, means_t means)
{
    return pack_bytes(mean_byte(even & 0xffffu, means), mean_byte(odd & 0xffffu, means),
            mean_byte(even >> 16, means), mean_byte(odd >> 16, means));
}

#endif

#endif
