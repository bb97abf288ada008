// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors: a block of SCALE_H·SCALE_W outputs belongs to each element i of src along an axis: for
// linear it lies between elements i and i + 1, for nearest it is element i repeated.
// -D: LINEAR, SCALE_H, SCALE_W (out = SCALE·in, 1 to 4), those of clh/vec.h.
#ifndef CLH_RESAMPLING_SCALE_H
#define CLH_RESAMPLING_SCALE_H

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/shared/resampling_scale_data.h"
#include "clh/vec.h"

// Output SCALE·i + MIDDLE + k of an axis, 0 ≤ k < SCALE, is (1 − SHARE) of element i and SHARE of
// element i + 1. Blocks begin with i = −1 where MIDDLE is not 0; beyond the borders the outermost
// elements are repeated.
#if LINEAR
#define MIDDLE(scale) ((scale) / 2)
#define SHARE(scale, k) ((float)(2 * (MIDDLE(scale) + (k)) + 1 - (scale)) / (float)(2 * (scale)))
#else
#define MIDDLE(scale) 0
#define SHARE(scale, k) 0.0f
#endif
#define FIRST_BLOCK(scale) (MIDDLE(scale) > 0 ? -1 : 0)
// Further elements that blocks need.
#define MORE(scale) (LINEAR && (scale) > 1 ? 1 : 0)

// A neighbour of no weight may be an infinity.
ALWAYS_INLINE floatv between(floatv a, floatv b, float share)
{
    return share == 0.0f ? a : (1.0f - share) * a + share * b;
}

#endif
