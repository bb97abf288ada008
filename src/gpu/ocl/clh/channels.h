// SPDX-License-Identifier: Apache-2.0
// Tensors [N, C, (D, (H,)) W] of less than 2³¹ elements by strides; the twin of ocl_channels_t.
// Offsets count from the tensor's `long` argument.
#ifndef CLH_CHANNELS_H
#define CLH_CHANNELS_H

typedef struct {
    int channels, padded_channels;
    int run;        // channels that lie next to each other
    int block;      // distance of runs
    int n, d, h, w; // strides
} channels_t;

// Element (n, c, 0, 0, 0).
static inline int channels_offset(__constant const channels_t *t, int n, int c)
{
    const int block = (int)((uint)c / (uint)t->run);
    return n * t->n + block * t->block + (c - block * t->run);
}

// Division of 0 … 2³¹ − 1 by n without a division instruction; the twin of ocl_divisor_t.
typedef struct {
    uint factor, own; // n = 1 takes the number itself: own is all ones, factor 0
    int shift, n;
} divisor_t;

// Takes the lowest digit of base `by->n` off *index.
static inline int split_digit(int *index, __constant const divisor_t *by)
{
    const uint x = (uint)*index;
    const uint quotient = (mul_hi(x, by->factor) + (x & by->own)) >> by->shift;
    *index = (int)quotient;
    return (int)(x - quotient * (uint)by->n);
}

// Takes the lowest digit of base `n` off *index.
static inline int take_digit(int *index, int n)
{
    const uint quotient = (uint)*index / (uint)n;
    const int digit = *index - (int)quotient * n;
    *index = (int)quotient;
    return digit;
}

#endif
