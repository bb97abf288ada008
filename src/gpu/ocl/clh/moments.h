// SPDX-License-Identifier: Apache-2.0
// Mean and variance from one pass.
#ifndef CLH_MOMENTS_H
#define CLH_MOMENTS_H

#include "clh/norm.h"

// Statistics take one pass over src: sums of the differences from a centre, which is one of
// the elements, and of their squares. Where the centre is so far from the mean that the
// squares had to be more than MOMENTS_MOST_ABOVE times what remains of them, their rounding errors
// would matter: then the variance is MOMENTS_AGAIN until a second pass has computed it from the mean.
#define MOMENTS_MOST_ABOVE 64.0f
#define MOMENTS_AGAIN (-1.0f)

// Of `count` elements: the sums of x − centre and of its squares, and of all squares that were added
// up on the way.
typedef struct {
    float sum, squares, added;
} moments_t;

static inline moments_t moments_add(moments_t a, moments_t b)
{
    const moments_t m = {a.sum + b.sum, a.squares + b.squares, a.added + b.added};
    return m;
}

static inline float moments_mean(moments_t m, float centre, float count)
{
    return centre + divide_refined(m.sum, count);
}

static inline float moments_variance(moments_t m, float count)
{
    const float distance = divide_refined(m.sum, count);
    const float variance = fma(-distance, distance, divide_refined(m.squares, count));
    return m.squares + m.added > MOMENTS_MOST_ABOVE * count * variance ? MOMENTS_AGAIN : variance;
}

#endif
