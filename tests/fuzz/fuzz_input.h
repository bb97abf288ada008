// SPDX-License-Identifier: Apache-2.0
// Choices from a string of bytes, for programs that make random calls. Past the end every choice is
// the first one, so that every string is an input.
#ifndef PRIM_TESTS_FUZZ_INPUT_H
#define PRIM_TESTS_FUZZ_INPUT_H

#include <prim/prim.h>

typedef struct {
    const uint8_t *at, *end;
    int layout; ///< that all tensors of a call have, see fuzz_md.c; 0: each its own
} fuzz_input_t;

bool fuzz_is_over(const fuzz_input_t *in);
/// The next byte, or 0.
uint8_t fuzz_byte(fuzz_input_t *in);
/// 0..n−1, n at most 65536.
int fuzz_below(fuzz_input_t *in, int n);
/// True once in about n.
bool fuzz_seldom(fuzz_input_t *in, int n);
/// Any number, numbers near powers of 2 more often than others.
int64_t fuzz_number(fuzz_input_t *in);
/// A dimension as users have it, and now and then 0 or one near 2^31.
prim_dim_t fuzz_dim(fuzz_input_t *in);
/// A float; now and then an infinity, NaN, the largest, the smallest.
float fuzz_float(fuzz_input_t *in);
/// Mostly types that are computed with; now and then no type.
prim_data_type_t fuzz_type(fuzz_input_t *in);

#endif
