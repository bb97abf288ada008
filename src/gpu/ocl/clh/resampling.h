// SPDX-License-Identifier: Apache-2.0
// Where resampling looks: element y of `out` ones lies at (y + 0.5)·in/out − 0.5 of `in` ones. In
// integers, so that halves are halves.
#ifndef CLH_RESAMPLING_H
#define CLH_RESAMPLING_H

#include "clh/types.h"

// That position rounded to nearest, halves up: the integer part of (y + 0.5)·in/out.
static inline long nearest_source(long y, long in, long out)
{
    return div_long((2 * y + 1) * in, 2 * out);
}

// The neighbours of that position, and the share that the right one has in it.
typedef struct {
    long left, right;
    float share;
} linear_t;

static inline linear_t linear_source(long y, long in, long out)
{
    const long position = max((2 * y + 1) * in - out, 0L); // in units of 1/(2·out)
    const long left = div_long(position, 2 * out);
    linear_t source = {left, left + 1, 0.0f};
    if (left >= in - 1)
        source.left = source.right = in - 1;
    else
        source.share = (float)(position - left * 2 * out) / (float)(2 * out);
    return source;
}

#endif
