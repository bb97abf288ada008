// SPDX-License-Identifier: Apache-2.0
// Classes of values. Small integers show whether the right elements meet; other values show in
// which arithmetic they do. A case draws its class from its own text, so that it always gets the
// same data and a sweep gets all classes; --data= forces one.
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include <prim/prim.h>

#include "bench_fill.h"
#include "bench_option.h"

typedef enum {
    CLASS_AUTO,     ///< of --data: drawn
    CLASS_SMALL,    ///< small integers, with which sums are exact
    CLASS_REALS,    ///< every bit of the mantissa is used
    CLASS_RANGE,    ///< integers over the whole range of the type
    CLASS_EXTREMES, ///< next to the largest, the smallest normal and the subnormal numbers
    CLASS_TIES,     ///< halfway between two numbers of the destination's type
    CLASS_SPECIAL,  ///< NaN and infinities
    CLASS_MIXED,    ///< several of them in one tensor
} data_class_t;

/// A set of classes holds the bit DATA_BIT(class) of each member.
#define DATA_BIT(class_) (1u << (class_))

extern const word_t data_words[];

/// A member of the set, chosen by the hash of `text`; CLASS_MIXED whenever the set has it.
data_class_t data_class_draw(unsigned classes, const char *text);

/// A well-mixed 64-bit function of `x`.
uint64_t data_mix(uint64_t x);
/// A number in [1, 2) that takes all bits of the type's mantissa, and all but the first of what
/// the next shorter types (bf16, and tf32 or f16) have to drop: cutting it, by rounding or by
/// truncation, loses 3/8 to 1/2 of a unit of theirs, always downwards.
double data_significand(rng_t *rng, prim_data_type_t dt);

/// A value of the class for a tensor of type `dt`; small for a class that the type does not have.
/// Integers have all classes but reals, extremes and special: in their place the whole range.
double data_value(rng_t *rng, data_class_t class_, prim_data_type_t dt);
/// What data_class_value() gives. Of CLASS_MIXED a third is small, the rest are integers over the
/// whole range or reals; of floats, each `nth_special`-th and, of the others, each `nth_extreme`-th
/// value takes the place of these. 0: none.
typedef struct {
    data_class_t data_class;
    prim_data_type_t dt;
    int64_t nth_special, nth_extreme;
} data_mixture_t;
/// For fill_by_rng(), with a data_mixture_t.
double data_class_value(const void *mixture, rng_t *rng, int64_t index);
/// Halfway between two neighbours of type `to`, below 2^6 or to's largest value; a real of `dt`
/// where that type cannot hold such a number.
double data_tie(rng_t *rng, prim_data_type_t dt, prim_data_type_t to);
/// The classes that data_value() knows for the type.
unsigned data_classes_of(prim_data_type_t dt);

#endif
