// SPDX-License-Identifier: Apache-2.0
// Source positions of resampling: element y of `out` lies at (y + 0.5)·in/out − 0.5 of `in` elements. In
// integers, so that halves are exact.
#ifndef CLH_RESAMPLING_H
#define CLH_RESAMPLING_H

#include "clh/types.h"

// That position rounded to nearest, halves up: the integer part of (y + 0.5)·in/out.
static inline long nearest_source(long y, long in, long out)
{
    return div_long((2 * y + 1) * in, 2 * out);
}

// The neighbours of that position, and the shares that they have in it: a quotient each, for a small
// share is exact to its own last bits only so, not as 1 less the other.
typedef struct {
    long left, right;
    float keep, share; // of the left, of the right
} linear_t;

static inline linear_t linear_source(long y, long in, long out)
{
    const long position = max((2 * y + 1) * in - out, 0L); // in units of 1/(2·out)
    const long left = div_long(position, 2 * out);
    linear_t source = {left, left + 1, 1.0f, 0.0f};
    if (left >= in - 1) {
        source.left = source.right = in - 1;
    } else {
        const long unit = 2 * out, rest = position - left * unit;
        source.keep = (float)(unit - rest) / (float)unit;
        source.share = (float)rest / (float)unit;
    }
    return source;
}

#endif
