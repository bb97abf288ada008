// SPDX-License-Identifier: Apache-2.0
// Filling of arguments: reproducible, independent of the number of threads, and representable in
// the argument's type, so that sums can be exact and thresholds zero.
#ifndef BENCH_FILL_H
#define BENCH_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include <prim/prim.h>

struct arg;

/// What a tensor is to the operation; part of the seed, so that equal shapes get other numbers.
typedef enum {
    DATA_SRC,
    DATA_WEI,
    DATA_BIA,
    DATA_DST,
    DATA_DIFF_DST,
    DATA_ACC,
    DATA_SRC_1,
    DATA_SRC_2,
    DATA_MEAN,
    DATA_VARIANCE,
    DATA_SCALE,
    DATA_SHIFT,
    DATA_WORKSPACE,
    DATA_SCRATCHPAD,
    DATA_ATTR,
    DATA_DIFF_SRC,
} data_kind_t;

#define FILL_CHUNK 64 ///< elements that share one generator

/// A generator of pseudo-random numbers (multiplicative congruential, modulus 2^31 - 1).
typedef struct {
    uint32_t state;
} rng_t;

rng_t rng_seed(uint64_t seed);
/// Uniform in lo..hi, both included.
int64_t rng_int(rng_t *rng, int64_t lo, int64_t hi);
/// Uniform in [0, 1).
double rng_real(rng_t *rng);
bool rng_chance(rng_t *rng, double probability);

/// Integers lo..hi with probability `density`, zeros otherwise; element 0 is positive if it can be.
void fill_ints(struct arg *arg, int64_t lo, int64_t hi, double density);
/// The same, each value multiplied by `unit` (a power of two keeps it exact).
void fill_multiples(struct arg *arg, int64_t lo, int64_t hi, double unit, double density);
/// Uniform reals in [lo, hi), cut to the type's range.
void fill_reals(struct arg *arg, double lo, double hi);
/// One value everywhere.
void fill_value(struct arg *arg, double value);
/// value(context, index) for every element, in parallel.
void fill_by_index(
        struct arg *arg, double (*value)(const void *context, int64_t index), const void *context);
/// value(context, rng, index) for every element; chunks have their own generators and run in
/// parallel.
void fill_by_rng(struct arg *arg, double (*value)(const void *context, rng_t *rng, int64_t index),
        const void *context);

/// The density at which n_acc products of |src| <= max_src and |wei| <= max_wei add up exactly in
/// the narrower of 24 bits and the bits of `acc_dt`: min(1, 2^bits / (max_src·max_wei) / n_acc).
double fill_density(prim_data_type_t acc_dt, double max_src, double max_wei, int64_t n_acc);

#endif
