// SPDX-License-Identifier: Apache-2.0
// Windows of vectors of 8-bit elements, four in a word, without conversions, which are slow.
//
// Maxima are computed for the even and the odd bytes of a word separately, as pairs of 16 bits whose upper bytes are
// compared; the lower bytes only break ties, and are dropped. Sums are dot products with
// words that have a 1 for each byte that counts, so that nothing is unpacked.
// -D: SRC (prim__ocl_options_type()), s8 or u8; ALG = POOL_…; VEC; BYTE_WORDS: words of bytes that are
// loaded together, 0: leave all this out; PACKED_MAX: 1 where the device has maxima of pairs
// (OCL_FEATURE_PACKED_MAX); INT_DOT (clh/int_dot.h).
#ifndef CLH_POOL_BYTES_H
#define CLH_POOL_BYTES_H

#include "clh/int_dot.h"
#include "clh/nv/nv_arith.h"
#include "clh/pool.h"

#if !defined(PACKED_MAX) || !defined(BYTE_WORDS)
#error "clh/pool_bytes.h needs PACKED_MAX, BYTE_WORDS"
#endif

#define BYTE_SUMS (BYTE_WORDS && ALG != POOL_MAX)

#if BYTE_WORDS
typedef struct {
    uint words[BYTE_WORDS];
} bytes_t;
#endif

#if BYTE_SUMS

// Sums count from this one, so that their bits are those of the float 3·2²² + sum.
#define NO_SUM 0x4b400000

typedef struct {
    int sums[VEC];
} sums_t;

static inline sums_t no_sums(void)
{
    sums_t y;
    for (int i = 0; i < VEC; ++i) y.sums[i] = NO_SUM;
    return y;
}

// Adds the bytes of a word, each times that of `weights`, a constant.
static inline int add_bytes(int sum, uint word, uint weights)
{
#if SRC_DT == DT_S8
    return dot4_ss(word, weights, sum);
#else
    return dot4_uu(word, weights, sum);
#endif
}

// Adds the four bytes of a word to as many sums, each times `weight`, a constant below 128.
static inline void add_word(int *sums, uint word, uint weight)
{
    for (int k = 0; k < 4; ++k) sums[k] = add_bytes(sums[k], word, weight << (8 * k));
}

// Adds `n` vectors of VEC bytes.
static inline void add_vectors(sums_t *acc, const bytes_t *x, int n)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < BYTE_WORDS; ++k) add_word(acc->sums + 4 * k, x[i].words[k], 1u);
}

// Three words, bit by bit: their sum is that of sum_bits and twice carry_bits, of signed bytes too.
static inline uint sum_bits(const uint *x)
{
    return x[0] ^ x[1] ^ x[2];
}

static inline uint carry_bits(const uint *x)
{
    return (x[0] & x[1]) | (x[2] & (x[0] | x[1]));
}

static inline float sums_value(const sums_t *x, int i)
{
    return as_float(x->sums[i]) - 12582912.0f;
}

// A mean, rounded to nearest even, in the low bits of a word, of s8 128 more; by_volume: the reciprocal
// of at most 256, to three units in the last place. No division: a product is off by 2⁻¹⁴ at most where
// a mean that is no tie is 2⁻⁹ away from one, so a rounding to multiples of 2⁻¹² makes ties exact
// again, and the next one, to integers, leaves them in the low bits.
static inline uint mean_bits(int sum, float by_volume)
{
    const float exact = as_float(sum) - 12582912.0f;
    const float to_bits = SRC_DT == DT_S8 ? 8388736.0f : 8388608.0f;
    return as_uint((exact * by_volume + 3072.0f) + (to_bits - 3072.0f));
}

// A word of four such means.
static inline uint word_of_means(const uint *bits)
{
    const uint word = bits[0] + (bits[1] << 8) + (bits[2] << 16) + (bits[3] << 24) - 0x4b000000u;
    return SRC_DT == DT_S8 ? word ^ 0x80808080u : word;
}

static inline uint means_of(const int *sums, float by_volume)
{
    uint bits[4];
    for (int k = 0; k < 4; ++k) bits[k] = mean_bits(sums[k], by_volume);
    return word_of_means(bits);
}

#elif BYTE_WORDS

typedef struct {
    uint even[BYTE_WORDS], odd[BYTE_WORDS];
} pairs_t;

static inline uint join_pair(uint a, uint b)
{
#if PACKED_MAX && SRC_DT == DT_S8
    return nv_max_s16x2(a, b);
#elif PACKED_MAX
    return nv_max_u16x2(a, b);
#elif SRC_DT == DT_S8
    return as_uint(max(as_short2(a), as_short2(b)));
#else
    return as_uint(max(as_ushort2(a), as_ushort2(b)));
#endif
}

static inline pairs_t pairs_of(const uint *words)
{
    pairs_t y;
    for (int i = 0; i < BYTE_WORDS; ++i) {
        y.even[i] = words[i] << 8;
        y.odd[i] = words[i];
    }
    return y;
}

static inline pairs_t join_pairs(pairs_t a, pairs_t b)
{
    pairs_t y;
    for (int i = 0; i < BYTE_WORDS; ++i) {
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
    for (int i = 0; i < BYTE_WORDS; ++i) y.even[i] = y.odd[i] = least;
    return y;
}

// A word of maxima.
static inline uint max_of_pairs(uint even, uint odd)
{
    return ((even >> 8) & 0x00ff00ffu) | (odd & 0xff00ff00u);
}

static inline float pairs_value(const pairs_t *x, int i)
{
    const uint pair = i % 2 ? x->odd[i / 4] : x->even[i / 4];
    const uint bits = i % 4 / 2 ? pair : pair << 16;
    return SRC_DT == DT_S8 ? (float)((int)bits >> 24) : (float)(bits >> 24);
}

#endif

#endif
