// SPDX-License-Identifier: Apache-2.0
// What the typed kernels of pooling share: windows, and the reduction of vectors under ALG.
// -D: ALG = POOL_MAX, POOL_AVG_INCLUDE or POOL_AVG_EXCLUDE; DST; those of clh/vec.h.
#ifndef CLH_POOL_H
#define CLH_POOL_H

#include "clh/channels.h"
#include "clh/shared/pool_data.h"
#include "clh/vec.h"

#define POOL_MAX 0x1ff
#define POOL_AVG_INCLUDE 0x2ff
#define POOL_AVG_EXCLUDE 0x3ff

#if ALG == POOL_MAX
#define POOL_IDENTITY (-INFINITY)
#else
#define POOL_IDENTITY 0.0f
#endif

// The taps of a window that lie inside src, begin ≤ tap < end; tap 0 looks at `start`.
typedef struct {
    int start, begin, end;
} taps_t;

static inline int div_up(int a, int b)
{
    return b == 1 ? a : (int)((uint)(a + b - 1) / (uint)b);
}

static inline taps_t taps_at(SIZES_SPACE const ocl_pool_axis_t *axis, int out)
{
    const int start = out * axis->stride - axis->pad;
    taps_t taps = {start, 0, 0};
    if (start < 0) taps.begin = div_up(-start, axis->jump);
    if (start < axis->in) taps.end = min(div_up(axis->in - start, axis->jump), axis->taps);
    return taps;
}

// Element i of an axis or, where a constant says that it may lie before or behind all, the nearest one.
static inline int into_axis(int i, int size, bool may_precede, bool may_follow)
{
    if (may_precede) i = max(i, 0);
    return may_follow ? min(i, size - 1) : i;
}

// a NaN never wins a maximum
static inline floatv pool_take(floatv acc, floatv x)
{
#if ALG == POOL_MAX
    return x > acc ? x : acc;
#else
    return acc + x;
#endif
}

// The same for GPUs, where it is one instruction: NaN only if both are.
static inline floatv pool_join(floatv a, floatv b)
{
#if ALG == POOL_MAX
    return fmax(a, b);
#else
    return a + b;
#endif
}

// The mean of n elements whose sum is x. Where dst holds integers it is the nearest float, for halves are
// rounded to even, and a quotient may be 2.5 ulp off (NVIDIA's is): its remainder is divided, too. Else a
// product, and the reciprocal serves many.
#if DST_IS_INT
#define POOL_QUOTIENT(x, n) ((x) / (n))
#define POOL_REST(x, n) (fma(-POOL_QUOTIENT(x, n), n, x) / (n))
#define POOL_DIVIDE(x, n) \
    select(POOL_QUOTIENT(x, n), POOL_QUOTIENT(x, n) + POOL_REST(x, n), isfinite(POOL_REST(x, n)))
#else
#define POOL_DIVIDE(x, n) ((x) * (1.0f / (n)))
#endif

static inline float pool_mean_of_one(float x, float n)
{
    return POOL_DIVIDE(x, n);
}

static inline floatv pool_mean(floatv x, floatv n)
{
    return POOL_DIVIDE(x, n);
}

#endif
