// SPDX-License-Identifier: Apache-2.0
// Tensors [N, C, (D, (H,)) W] of less than 2³¹ elements by strides.
// Offsets count from the tensor's `long` argument.
#ifndef CLH_CHANNELS_H
#define CLH_CHANNELS_H

#include "clh/divide.h"
#include "clh/shared/channels_data.h"

// Where a kernel's sizes are: by value where -DSIZES_BY_VALUE=1 says that the compiler leaves them
// where the arguments are, so that no load precedes their first use (ocl_device.h, keeps_structs), else uploaded. SIZES(type) is the parameter `from`, SIZES_OF(type, data) declares `data`.
#if defined(SIZES_BY_VALUE) && SIZES_BY_VALUE
#define SIZES_SPACE
#define SIZES(type) const type from
#define SIZES_OF(type, data) const type *const data = &from
#else
#define SIZES_SPACE __constant
#define SIZES(type) __constant const type *from
#define SIZES_OF(type, data) __constant const type *const data = from
#endif

// Element (n, c, 0, 0, 0).
static inline int channels_offset(SIZES_SPACE const ocl_channels_t *t, int n, int c)
{
    const int block = (int)((uint)c / (uint)t->run);
    return n * t->n + block * t->block + (c - block * t->run);
}

// Takes the lowest digit of base `by->n` off *index.
static inline int split_digit(int *index, SIZES_SPACE const ocl_divisor_t *by)
{
    return divide_off(index, *by);
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
