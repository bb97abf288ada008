// SPDX-License-Identifier: Apache-2.0
// Σ (x − centre) and Σ (x − centre)² of VEC channels at once. -D: VEC.
#ifndef CLH_CENTRED_SUMS_H
#define CLH_CENTRED_SUMS_H

#include "clh/vec.h"

typedef struct {
    floatv centre, sum, squares;
} centred_sums_t;

static inline void add_centred(centred_sums_t *sums, floatv x)
{
    const floatv y = x - sums->centre;
    sums->sum += y;
    sums->squares = fma(y, y, sums->squares);
}

#endif
