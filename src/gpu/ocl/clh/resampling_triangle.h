// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling by integer factors: weights and borders along one dimension.
//
// Linear weights are a triangle around each element of diff_src, the same for all of them: what lies beyond an edge of
// diff_dst is its mirror image, because the forward pass takes the edge for what is not there.
// -D: LINEAR
#ifndef CLH_RESAMPLING_TRIANGLE_H
#define CLH_RESAMPLING_TRIANGLE_H

#ifndef LINEAR
#error "clh/resampling_triangle.h needs LINEAR"
#endif

#include "clh/always_inline.h"

// Elements of diff_dst before the first of the `scale` under an element of diff_src, and behind the last, that have a
// weight for it.
#define BESIDE(scale) (LINEAR ? (scale) / 2 : 0)

// The weight of the element `t` behind the first one under an element of diff_src.
ALWAYS_INLINE float weight_of(int t, int scale)
{
    return LINEAR ? 1.0f - fabs(((float)t + 0.5f) / (float)scale - 0.5f) : 1.0f;
}

// Element i of an axis of n; what lies behind the last work-item's elements is never stored.
ALWAYS_INLINE int mirrored(int i, int n)
{
    const int inside = i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
    return clamp(inside, 0, n - 1);
}

#endif
